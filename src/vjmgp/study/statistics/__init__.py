"""Compare methods: pure functions of the table of runs, paired by dataset and seed.

`paired_tests` tests two methods on each dataset and over all datasets, `win_tie_loss` counts the
outcomes, `critical_difference` ranks all methods, `effect_sizes` measures differences, and
`summaries` computes medians and means. `compare_methods` writes all of it for one experiment.
"""
