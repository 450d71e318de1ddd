"""Compile the kernels and keep them on disk."""
