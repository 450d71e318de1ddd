"""Find the formula to show: a short student, or a simple law if the labels follow one."""

from ..preparation import Prepared
from ..search.archive import O1, Archive
from .distil import NODE_PRICE, SIZE_PRICE, distil_short
from .laws import Units, law_of

LAWFUL = 0.02
"""Largest leave-one-out error of a law, as a share of the target's variance."""


def short_formula(
    prepared: Prepared,
    archive: Archive,
    units: Units,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> Archive | None:
    """Return the formula as an archive of one entry, or None if students are far from the teacher.

    A law competes with the students by the same sum of error and price of nodes.
    """
    student, best = distil_short(prepared, archive, price, tau, whole)
    law = law_of(prepared, units, whole)
    if law is not None:
        entry, size = law
        error = float(entry.scores[0, O1])
        if error <= LAWFUL and error + SIZE_PRICE * size < best:
            return entry
    return student
