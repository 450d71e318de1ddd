"""Fit and score the models of a large table on all its rows, of which evolution sees a sample.

The front, the models chosen along the way and those that count most in the teacher are kept. Their
ridge weights, scales, leave-one-out errors and training R² are computed again on all rows. So is
the gap, with the new weights, but at the vicinal points of the sample: the intrusion detector knows
only the labels of these rows, and a mean over thousands of anchors needs no more.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.arrays import Floats
from ..objectives.row_sample import sample_of_rows
from ..preparation import Prepared, prepare
from ..scorer import MEMORY, refit, regularize
from ..search.archive import ALIVE, DIED, O1, O2, Archive, part_of, with_front
from .teacher import teacher_of, teacher_tau

MOST_ROWS = 200_000
"""Rows of a table that models are fitted to at most; a larger one is sampled."""
MOST_OF_TEACHER = 200
"""Models that are kept for their weight in the teacher."""


def prepare_all(
    x: Floats, y: Floats, sample: Prepared, sample_weight: Floats | None = None
) -> Prepared:
    """Prepare all rows for scoring models evolved on a sample; there are no vicinal points."""
    rows = sample_of_rows(y, MOST_ROWS, sample.seed)
    settings = replace(sample.settings, regularizer="none", memory_limit=MEMORY)
    weights = None if sample_weight is None else sample_weight[rows]
    return prepare(x[rows], y[rows], settings, sample.seed, sample.noise_r2, weights)


def refitted(
    archive: Archive,
    history: Sequence[dict[str, float]],
    sample: Prepared,
    whole: Prepared,
    threads: int = 1,
) -> Archive:
    """Return the entries that matter, fitted to all rows; `chosen` in the history follows them."""
    teacher = teacher_of(archive, teacher_tau(sample.noise_r2))
    first = np.argsort(-teacher.weights, kind="stable")[:MOST_OF_TEACHER]
    choices = [record for record in history if "chosen" in record]
    chosen = np.array([record["chosen"] for record in choices], np.int64)
    entries = np.unique(np.concatenate([archive.front, chosen, teacher.entries[first]]))
    for record in choices:
        record["chosen"] = int(np.searchsorted(entries, record["chosen"]))
    kept = part_of(archive, entries)
    refit(kept, whole, threads)
    if sample.regularizer.depends_on_weights:
        regularize(kept, sample, threads)
    # A model that is not finite on rows which evolution did not see is invalid.
    invalid = ~np.isfinite(kept.scores[:, [O1, O2]]).all(axis=1)
    kept.facts[invalid & (kept.facts[:, DIED] == ALIVE), DIED] = 0
    return with_front(kept)
