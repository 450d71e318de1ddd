"""The figures of an experiment, in one style: a file for each kind, `draw` writes them all."""
