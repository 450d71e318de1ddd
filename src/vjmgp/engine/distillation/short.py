"""The formula to show: a short student, or the simple law where the labels follow one."""

from __future__ import annotations

from ..preparation import Prepared
from ..search.archive import O1, Archive
from .distil import NODE_PRICE, SIZE_PRICE, distil_short
from .laws import Units, law_of

LAWFUL = 0.02
"""A law is taken where its leave-one-out error is at most this share of the target's variance."""


def short_formula(
    prepared: Prepared,
    archive: Archive,
    units: Units,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> Archive | None:
    """The formula as an archive of one entry; None where students stay far from their teacher.

    A law competes with the students by the same sum of error and nodes.
    """
    student, best = distil_short(prepared, archive, price, tau, whole)
    law = law_of(prepared, units, whole)
    if law is not None:
        error = float(law.entry.scores[0, O1])
        if error <= LAWFUL and error + SIZE_PRICE * law.size < best:
            return law.entry
    return student
