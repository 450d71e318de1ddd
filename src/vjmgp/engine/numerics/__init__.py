"""Compute elementary functions, dot products and random numbers, the same bits everywhere."""
