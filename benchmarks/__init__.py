"""Benchmarks: `python -m benchmarks.speed` and `python -m benchmarks.accuracy`."""
