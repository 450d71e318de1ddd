"""Keep long studies running; nothing here decides a result.

`hooks` has the functions that Snakemake calls before and after a run, `snakemake_internals` the
writes into Snakemake; `jobs` and `warm` run a step; `lock` admits one run at a time to a results
folder, and `slurm` cancels jobs that a killed run left in the queue; `stops` has the signals that
end a run; `progress` counts jobs; `status`, `verify` and `repair` inspect the files.
"""
