"""Fit a model to a table and write a folder with a page about it."""
