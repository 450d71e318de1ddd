"""Methods of a study beside the algorithms that SRBench has published results of.

`published` reads SRBench's figures, `ranks` puts ours among them, `picture` draws it, and `compare`
is the step that does so.
"""
