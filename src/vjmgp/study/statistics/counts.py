"""On how many datasets a method is better than, similar to or worse than another."""

from __future__ import annotations

import itertools

import pandas as pd

from .paired import BETTER, OPPOSITE, OUTCOMES, SIMILAR, TOO_FEW, WORSE

COLUMNS = [
    *("method", "versus", BETTER, SIMILAR, WORSE, "datasets", "too_few_pairs", "unpaired_runs"),
    *("better_on", "worse_on"),
]


def counts_of(tests: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """For each pair of methods of a table of paired tests, both ways: counts, and datasets.

    Datasets without a pair are not counted. Those with too few pairs for any difference to be
    significant are counted in a column of their own: nothing is known of them.
    """
    groups = dict(list(tests.groupby(["method", "versus"], sort=False)))
    rows = []
    for method, versus in itertools.permutations(methods, 2):
        turned = (method, versus) not in groups
        group = groups[(versus, method) if turned else (method, versus)]
        found = group["outcome"].map(OPPOSITE) if turned else group["outcome"]
        few = (group["note"] == TOO_FEW).to_numpy()
        where = {
            kind: group["dataset"][(found == kind).to_numpy() & ~few].tolist() for kind in OUTCOMES
        }
        rows.append(
            {
                "method": method,
                "versus": versus,
                **{kind: len(names) for kind, names in where.items()},
                "datasets": sum(map(len, where.values())) + int(few.sum()),
                "too_few_pairs": int(few.sum()),
                "unpaired_runs": int(group["unpaired"].sum()),
                "better_on": " ".join(where[BETTER]),
                "worse_on": " ".join(where[WORSE]),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def matrix_of(counts: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Methods × methods: "29/27/2", better, similar and worse; empty on the diagonal."""
    cells = {
        (row["method"], row["versus"]): f"{row[BETTER]}/{row[SIMILAR]}/{row[WORSE]}"
        for row in counts.to_dict("records")
    }
    table = pd.DataFrame(
        [[cells.get((a, b), "") for b in methods] for a in methods], columns=methods
    )
    table.insert(0, "method", methods)
    return table
