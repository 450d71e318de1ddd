"""Which method is better: pure functions on the table of runs, always paired by dataset and seed.

`paired` tests two methods on each dataset, `counts` adds up who wins where, `pairwise` compares
methods over all datasets, `ranks` has the critical difference, `effects` says by how much, and
`summaries` holds medians and means. `compare` writes all of it for one experiment.
"""
