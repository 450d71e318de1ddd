# The workflow is in workflow/; this file lets a plain `snakemake` find it.
include: "workflow/Snakefile"


snakemake_internals.set_default_target(workflow, "all")
