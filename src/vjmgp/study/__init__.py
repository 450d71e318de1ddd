"""The study behind the workflow: what each step does, importable and testable without Snakemake."""
