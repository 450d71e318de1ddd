"""Methods of a study beside the algorithms that SRBench has published results of.

`mean_ranks` reads SRBench's figures and adds ours, `rank_size_plot` draws them,
and `compare_srbench` is the step that writes both.
"""
