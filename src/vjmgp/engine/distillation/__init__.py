"""Distil the models of a run into one short formula."""
