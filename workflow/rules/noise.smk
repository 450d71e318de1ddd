# How noisy are the labels: it decides how strongly the regulariser counts.


rule compile_kernels:
    # Once per machine, engine and variant, before many jobs start: they only load what is there.
    input:
        mark=ancient(at(paths.MARK)),
    output:
        kernel_mark(STUDY, "{variant}"),
    log:
        at("logs/compile_kernels/{variant}.log"),
    priority: 30
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    script:
        "../scripts/compile_kernels.py"


rule estimate_noise:
    input:
        unpack(data_of),
        splits=lambda wildcards: ancient(
            STUDY.split_file(wildcards.protocol, wildcards.dataset, wildcards.block)
        ),
        kernels=ancient(kernel_mark(STUDY, SHARED_KERNELS)),
    output:
        at(paths.NOISE),
    log:
        at("logs/estimate_noise/{protocol}/{dataset}-{identity}/seeds_{block}.log"),
    priority: 10
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(20),
    script:
        "../scripts/estimate_noise.py"
