# The workflow is in workflow/; this file lets a plain `snakemake` find it.
include: "workflow/Snakefile"


workflow.default_target = "all"
