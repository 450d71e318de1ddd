"""Blocks of seeds: what one job runs. Their size decides no result."""

from __future__ import annotations


def blocks(seeds: int, size: int) -> list[str]:
    """Seeds 0, 1, … in blocks; more seeds add blocks and leave the full ones as they are."""
    return [f"{first}-{min(first + size, seeds) - 1}" for first in range(0, seeds, size)]


def seeds_of(block: str) -> range:
    """The seeds of a block such as "0-9"."""
    first, last = block.split("-")
    return range(int(first), int(last) + 1)
