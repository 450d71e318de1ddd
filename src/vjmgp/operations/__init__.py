"""What keeps long studies alive, and decides no result.

`hooks` is what Snakemake calls before and after a run; `jobs` and `warm` run a step; `lock` lets
one run at a time into a results folder, and `slurm` cancels what a killed one left in the queue;
`stops` has the signals that end one; `progress` counts; `status`, `verify` and `repair` look at the
files.
"""
