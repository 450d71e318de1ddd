# The workflow is in workflow/; this file lets a plain `snakemake` find it.
include: "workflow/Snakefile"


rule study:
    input:
        rules.all.input,
    localrule: True
