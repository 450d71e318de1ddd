"""Methods of a study beside the algorithms that SRBench has published results of.

`published_results` reads SRBench's figures, `mean_ranks` adds ours, `rank_size_plot` draws them,
and `compare_srbench` is the step that writes both.
"""
