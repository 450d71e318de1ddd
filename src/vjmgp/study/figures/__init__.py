"""Figures of an experiment: a module for each kind; `draw_figures` writes them all."""
