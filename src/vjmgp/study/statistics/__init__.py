"""Which method is better: pure functions on the table of runs, always paired by dataset and seed.

`paired` tests two methods on each dataset, `counts` adds up who wins where, `pairwise` compares
methods over all datasets, `ranks` has the critical difference, `effects` says by how much, and
`summaries` holds medians and means. `compare` writes all of it for one experiment.
"""

from .counts import win_tie_loss
from .effects import bootstrap_medians, rank_biserial
from .paired import BETTER, SIMILAR, WORSE, outcome, paired_tests, too_few
from .pairwise import pairwise_tests
from .ranks import CriticalDifference, critical_difference
from .summaries import by_dataset, common_datasets, summary_of, with_paper

__all__ = [
    "BETTER",
    "SIMILAR",
    "WORSE",
    "CriticalDifference",
    "bootstrap_medians",
    "by_dataset",
    "common_datasets",
    "critical_difference",
    "outcome",
    "paired_tests",
    "pairwise_tests",
    "rank_biserial",
    "summary_of",
    "too_few",
    "win_tie_loss",
    "with_paper",
]
