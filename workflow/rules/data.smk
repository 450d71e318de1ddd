# Datasets: fetch, check, and divide into training and test rows.


rule mark_results:
    # A folder with files but without this mark is somebody else's: it is left alone.
    output:
        touch(at(paths.MARK)),
    priority: 40
    localrule: True


rule fetch_dataset:
    input:
        mark=ancient(at(paths.MARK)),
    output:
        table=at(paths.SOURCE),
        note=at(paths.SOURCE_NOTE),
    log:
        at("logs/fetch_dataset/{dataset}.log"),
    priority: 20
    retries: 1
    localrule: True  # nodes of a cluster may have no network
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=500, runtime=20),
    params:
        dataset="{dataset}",
        cache=STUDY.config["pmlb_cache"],
    script:
        "../scripts/fetch_dataset.py"


rule prepare_dataset:
    input:
        unpack(source_of),
    output:
        data=at(paths.DATA),
        facts=at(paths.FACTS),
    log:
        at("logs/prepare_dataset/{dataset}-{identity}.log"),
    priority: 20
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        dataset="{dataset}",
        own=lambda wildcards: STUDY.own_data.get(wildcards.dataset),
    script:
        "../scripts/prepare_dataset.py"


rule split_rows:
    input:
        unpack(data_of),
    output:
        splits=at(paths.SPLITS),
    log:
        at("logs/split_rows/{protocol}/{dataset}-{identity}/seeds_{block}.log"),
    priority: 10
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=1000, runtime=10),
    params:
        protocol=lambda wildcards: STUDY.protocols[wildcards.protocol],
    script:
        "../scripts/split_rows.py"
