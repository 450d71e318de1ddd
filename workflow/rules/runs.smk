# Noise estimates, and runs: a job runs a block of seeds of one method on one dataset.


rule compile_kernels:
    # Once per machine, engine and variant, before jobs that load the kernels.
    input:
        mark=ancient(at(paths.MARK)),
    output:
        note=FILES.kernel_mark("{variant}"),
    log:
        log_of("compile_kernels", "{variant}"),
    priority: 30
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=1500, runtime=10),
    params:
        step="compile_kernels",
        variant="{variant}",
    script:
        "../scripts/run_step.py"


rule estimate_noise:
    # The label noise sets the weight of the regulariser.
    input:
        unpack(data_of),
        splits=lambda wildcards: splits_of(wildcards)[0],
        kernels=lambda wildcards: kernels_for(paths.NOISE, SHARED_KERNELS, wildcards),
    output:
        noise=at(paths.NOISE),
    log:
        log_of("estimate_noise", "{protocol}/{dataset}-{identity}/seeds_{block}"),
    priority: 10
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=1000, runtime=20),
    params:
        step="estimate_noise",
    script:
        "../scripts/run_step.py"


rule run_gp:
    input:
        unpack(inputs_of_block),
    output:
        runs=at(paths.RUNS),
    log:
        log_of("run_gp", "{protocol}/{dataset}/{method}-{identity}/seeds_{block}"),
    wildcard_constraints:
        method=slugs(is_gp=True),
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        mem_mb=block_memory,
        runtime=block_minutes,
    params:
        step="run_gp",
        method=lambda wildcards: method_of(wildcards).name,
        definition=lambda wildcards: method_of(wildcards).definition,
    script:
        "../scripts/run_step.py"


use rule run_gp as run_baseline with:
    # Other learners, tuned over their grids.
    log:
        log_of("run_baseline", "{protocol}/{dataset}/{method}-{identity}/seeds_{block}"),
    wildcard_constraints:
        method=slugs(is_gp=False),
