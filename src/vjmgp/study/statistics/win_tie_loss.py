"""Count the datasets on which one method is better than, similar to or worse than another."""

import itertools

import numpy as np
import pandas as pd

from .paired_tests import BETTER, OPPOSITE, OUTCOMES, SIMILAR, TOO_FEW, WORSE

COLUMNS = [
    *("method", "versus", BETTER, SIMILAR, WORSE, "datasets", "too_few_pairs", "unpaired_runs"),
    *("better_on", "worse_on"),
]


def win_tie_loss(tests: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Count outcomes for each ordered pair of methods in a table of tests by dataset.

    Datasets without a pair are not counted. Those with too few pairs for any difference to be
    significant have a separate column: their outcome is unknown.
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


def win_tie_loss_matrix(counts: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Return methods × methods with cells such as "29/27/2"; the diagonal is empty."""
    cells = {
        (row["method"], row["versus"]): f"{row[BETTER]}/{row[SIMILAR]}/{row[WORSE]}"
        for row in counts.to_dict("records")
    }
    table = pd.DataFrame(
        [[cells.get((a, b), "") for b in methods] for a in methods], columns=methods
    )
    table.insert(0, "method", methods)
    return table


def upper_triangle(matrix: pd.DataFrame) -> pd.DataFrame:
    """Return the matrix as the paper prints it: each pair once, with signs."""
    methods = list(matrix["method"])
    cells = matrix[methods[1:]].iloc[:-1]
    cells = cells.replace(r"^(\d+)/(\d+)/(\d+)$", r"\1(+)/\2(∼)/\3(−)", regex=True)
    table = cells.where(np.triu(np.ones(cells.shape, dtype=bool)), "")
    table.insert(0, "method", matrix["method"].iloc[:-1])
    return table
