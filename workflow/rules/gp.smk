# Genetic programming: one job runs a block of seeds of one method on one dataset.


rule run_gp:
    input:
        unpack(inputs_of_block),
    output:
        at(paths.RUNS),
    log:
        at("logs/run_gp/{protocol}/{dataset}/{method}-{identity}/seeds_{block}.log"),
    wildcard_constraints:
        method=slugs(is_gp=True),
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
        "../scripts/run_gp.py"
