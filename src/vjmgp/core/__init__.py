"""Provide what every other package builds on: array types, safe files, optional imports."""
