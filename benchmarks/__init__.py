"""Benchmarks, such as `python -m benchmarks.speed` and `python -m benchmarks.accuracy`."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The repository."""
