# Genetic programming: one job runs a block of seeds of one method on one dataset.


rule run_gp:
    input:
        data="<results>/datasets/{dataset}/data.parquet",
        facts="<results>/datasets/{dataset}/facts.json",
        splits=lambda wildcards: files_of_block("splits", wildcards),
        noise=lambda wildcards: files_of_block("noise", wildcards),
        kernels=kernels_of,
    output:
        "<results>/runs/{protocol}/{dataset}/{method}/seeds_{block}.jsonl",
    log:
        "<logs>/run_gp/{protocol}/{dataset}/{method}/seeds_{block}.log",
    wildcard_constraints:
        method="|".join(map(re.escape, GP_METHODS)) or "-",
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=block_memory,
        runtime=block_minutes,
    params:
        name=lambda wildcards: method_of(wildcards).name,
        definition=lambda wildcards: method_of(wildcards).definition,
        code=lambda wildcards: code_of(method_of(wildcards)),
    script:
        "../scripts/run_block.py"
