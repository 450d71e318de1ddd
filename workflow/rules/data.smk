# Datasets: fetch, check, and split into training and test rows.


rule mark_results:
    # A folder with files but without this mark was not made by vjmgp, and is left alone.
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
        log_of("fetch_dataset", "{dataset}"),
    priority: 20
    retries: 1
    localrule: True  # cluster nodes may have no network
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=500, runtime=20),
    params:
        step="fetch_dataset",
        dataset="{dataset}",
        cache=STUDY.config["pmlb_cache"],
    script:
        "../scripts/run_step.py"


rule prepare_dataset:
    input:
        unpack(source_of),
    output:
        data=at(paths.DATA),
        facts=at(paths.FACTS),
    log:
        log_of("prepare_dataset", "{dataset}-{identity}"),
    priority: 20
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=2000, runtime=20),
    params:
        step="prepare_dataset",
        dataset="{dataset}",
        own=lambda wildcards: STUDY.own_data.get(wildcards.dataset),
    script:
        "../scripts/run_step.py"


rule split_rows:
    input:
        unpack(data_of),
    output:
        splits=at(paths.SPLITS),
    log:
        log_of("split_rows", "{protocol}/{dataset}-{identity}/seeds_{block}"),
    priority: 10
    conda:
        "../../envs/vjmgp.yaml"
    resources:
        **grow(mem_mb=1000, runtime=10),
    params:
        step="split_rows",
        protocol=lambda wildcards: STUDY.protocols[wildcards.protocol],
    script:
        "../scripts/run_step.py"
