# Other learners, tuned over their grids: one job runs a block of seeds of one on one dataset.


rule run_baseline:
    input:
        unpack(inputs_of_block),
    output:
        at(paths.RUNS),
    log:
        at(
            "logs/run_baseline/{protocol}/{dataset}/{method}-{identity}/seeds_{block}.log"
        ),
    wildcard_constraints:
        method=slugs(is_gp=False),
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=block_memory,
        runtime=block_minutes,
    params:
        name=lambda wildcards: method_of(wildcards).name,
        definition=lambda wildcards: method_of(wildcards).definition,
    script:
        "../scripts/run_baseline.py"
