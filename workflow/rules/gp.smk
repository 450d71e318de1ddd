# Genetic programming: one job runs a block of seeds of one method on one dataset.


rule run_gp:
    input:
        data="<results>/datasets/{dataset}/data.parquet",
        facts="<results>/datasets/{dataset}/facts.json",
        splits=lambda wildcards: files_of_block("splits", wildcards),
        noise=lambda wildcards: files_of_block("noise", wildcards),
        kernels=ancient(kernels_of),
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
        engine=engine_id(),
        own_code=lambda wildcards: checks.own_code(method_of(wildcards)),
        code=code_id(
            "model.py",
            "formula.py",
            "regressor.py",
            "front.py",
            "tabular.py",
            *CODE_OF_RUNS,
            "study/gp.py",
        ),
    script:
        "../scripts/run_block.py"
