"""The smallest sample that can be significant. Light to import."""

import itertools


def fewest_pairs(level: float) -> int:
    """Return the fewest pairs with which a signed-rank test can be significant at a level."""
    return next(pairs for pairs in itertools.count(1) if 2.0 * 0.5**pairs < level)
