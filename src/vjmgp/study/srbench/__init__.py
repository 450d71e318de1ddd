"""Methods of a study beside methods with published results on SRBench's datasets.

`mean_ranks` reads the published figures and adds ours, `rank_size_plot` draws them,
and `compare_srbench` is the step that writes both.
"""
