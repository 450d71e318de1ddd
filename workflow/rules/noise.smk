# How noisy are the labels: it decides how strongly the regulariser counts.


rule compile_kernels:
    # Once per machine, engine and variant, before many jobs start: they only load what is there.
    output:
        f"<results>/kernels/{source_hash()}/{{variant}}.txt",
    log:
        "<logs>/compile_kernels/{variant}.log",
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
        data="<results>/datasets/{dataset}/data.parquet",
        facts="<results>/datasets/{dataset}/facts.json",
        splits="<results>/splits/{protocol}/{dataset}/seeds_{block}.json",
        kernels=f"<results>/kernels/{source_hash()}/{SHARED_KERNELS}.txt",
    output:
        "<results>/noise/{protocol}/{dataset}/seeds_{block}.json",
    log:
        "<logs>/estimate_noise/{protocol}/{dataset}/seeds_{block}.log",
    priority: 10
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(20),
    params:
        engine=ENGINE_VERSION,
        code=code_id("tabular.py", "study/data.py"),
    script:
        "../scripts/estimate_noise.py"
