# Datasets: fetch, check, and divide into training and test rows.


rule fetch_dataset:
    output:
        table="<results>/datasets/{dataset}/source.tsv.gz",
        source="<results>/datasets/{dataset}/source.json",
    log:
        "<logs>/fetch_dataset/{dataset}.log",
    priority: 20
    retries: 1
    localrule: True  # nodes of a cluster may have no network
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(20),
    params:
        cache=STUDY.config["pmlb_cache"],
    script:
        "../scripts/fetch_dataset.py"


rule prepare_dataset:
    input:
        table=table_of,
        source=source_of,
    output:
        data="<results>/datasets/{dataset}/data.parquet",
        facts="<results>/datasets/{dataset}/facts.json",
    log:
        "<logs>/prepare_dataset/{dataset}.log",
    priority: 20
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        own=lambda wildcards: checks.own_entry(STUDY, wildcards.dataset),
        code=code_id("datasets.py", "tabular.py", "study/data.py"),
    script:
        "../scripts/prepare_dataset.py"


rule split_rows:
    input:
        data="<results>/datasets/{dataset}/data.parquet",
        facts="<results>/datasets/{dataset}/facts.json",
    output:
        "<results>/splits/{protocol}/{dataset}/seeds_{block}.json",
    log:
        "<logs>/split_rows/{protocol}/{dataset}/seeds_{block}.log",
    priority: 10
    conda:
        "../../envs/vjmgp.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        protocol=lambda wildcards: checks.protocol_entry(
            STUDY.protocols[wildcards.protocol]
        ),
        code=code_id("protocol.py", "study/data.py"),
    script:
        "../scripts/split_rows.py"
