"""The protocols of the paper and of SRBench: splits, label noise, and R²."""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats, Integers
from ..engine.numerics import scores

__all__ = ["Protocol", "add_label_noise", "label_noise_split", "paper_split", "r2"]


SRBENCH_SEEDS = (860, 5390, 6265, 11284, 11964, 15795, 21575, 22118, 23654, 29802)
"""The seeds of the splits with published results of SRBench."""
LEAST_TRAIN_ROWS, LEAST_TEST_ROWS = 5, 2
"""Five folds need a row each, and R² needs two."""


def r2(truth: ArrayLike, prediction: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the coefficient of determination; 0 if the truth is constant.

    Examples
    --------
    >>> from vjmgp import r2
    >>> r2([1, 2, 3, 4], [1, 2, 3, 5])
    0.8

    """
    try:
        observed, predicted = np.asarray(truth, np.float64), np.asarray(prediction, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"r2 needs two sequences of numbers ({error}).") from None
    if observed.shape != predicted.shape or observed.ndim != 1 or not len(observed):
        raise ValueError(
            f"r2 needs two non-empty sequences of the same length; truth has the shape "
            f"{observed.shape}, prediction {predicted.shape}."
        )
    from ..tables.validation import check_sample_weight  # slow to import

    weights = check_sample_weight(sample_weight, len(observed), "truth", least=1)
    return scores.r2(observed, predicted, weights)


def _entropy(dataset: str, seed: int, purpose: str) -> np.random.SeedSequence:
    """Return the entropy of random numbers, from the dataset's name, the seed and the purpose."""
    words = [zlib.crc32(dataset.encode()), seed, zlib.crc32(purpose.encode())]
    return np.random.SeedSequence(words)


@dataclass(frozen=True)
class Protocol:
    """The split of a dataset for a run, and the noise added to the training labels."""

    train_rows: int | None = 100
    """The number of training rows; half of all rows if fewer would be left to test on."""
    train_share: float | None = None
    """The share of training rows, instead of `train_rows`."""
    label_noise: float = 0.0
    """Standard deviation of the noise added to the training labels, in units of theirs."""

    @property
    def most_seeds(self) -> int | None:
        """The number of splits; None if it is unlimited."""
        return None

    def describe(self) -> str:
        """Return the protocol in a sentence."""
        if self.train_share is not None:
            text = f"{100 * self.train_share:g} % of the rows to train, the rest to test"
        else:
            text = f"{self.train_rows} rows to train, the rest to test"
            text += "; half and half if that would leave fewer to test than to train"
        if self.label_noise:
            text += (
                f". Normal noise of {self.label_noise:g} times their deviation is added to the "
                "training labels"
            )
        return f"{text}."

    def rows_to_train(self, n_rows: int) -> int:
        """Return the number of training rows of a dataset."""
        if self.train_share is not None:
            return int(self.train_share * n_rows)
        rows = self.train_rows or 0
        return rows if n_rows - rows >= rows else n_rows // 2

    def split(self, dataset: str, n_rows: int, seed: int) -> tuple[Integers, Integers]:
        """Return training and test rows of a run, which depend on dataset name and seed only."""
        n_train = self.rows_to_train(n_rows)
        if n_train < LEAST_TRAIN_ROWS or n_rows - n_train < LEAST_TEST_ROWS:
            raise ValueError(
                f"Dataset {dataset!r} has {n_rows} rows: too few to train and test on "
                f"({n_train} and {n_rows - n_train})."
            )
        order = self._order(dataset, n_rows, seed)
        return order[:n_train], order[n_train:]

    def _order(self, dataset: str, n_rows: int, seed: int) -> Integers:
        """Return all rows, training rows first."""
        bits = np.random.PCG64(_entropy(dataset, seed, "split"))
        return np.random.Generator(bits).permutation(n_rows)

    def training_labels(self, y_train: Floats, dataset: str, seed: int) -> Floats:
        """Return the labels that a method is trained on."""
        return add_label_noise(y_train, dataset, seed, self.label_noise)


@dataclass(frozen=True)
class SRBenchProtocol(Protocol):
    """The splits of scikit-learn's `train_test_split`: run k uses the k-th seed."""

    train_rows: int | None = None
    train_share: float | None = 0.75
    split_seeds: tuple[int, ...] = SRBENCH_SEEDS

    @property
    def most_seeds(self) -> int:
        """The number of known seeds."""
        return len(self.split_seeds)

    def describe(self) -> str:
        """Return the protocol in a sentence."""
        seeds = ", ".join(map(str, self.split_seeds))
        return (
            f"{super().describe()} SRBench's own splits: scikit-learn's train_test_split with the "
            f"random states {seeds}, the k-th for run k; the methods' own random numbers come "
            "from k."
        )

    def _order(self, dataset: str, n_rows: int, seed: int) -> Integers:
        """Return the rows as `train_test_split` shuffles them, which puts test rows first."""
        if seed >= self.most_seeds:
            raise ValueError(f"SRBench has {self.most_seeds} splits; there is none for run {seed}.")
        order = np.random.RandomState(self.split_seeds[seed]).permutation(n_rows)
        return np.roll(order, self.rows_to_train(n_rows))


PAPER = Protocol()
LABEL_NOISE = Protocol(train_rows=None, train_share=0.8, label_noise=1.0)
SRBENCH = SRBenchProtocol()


def paper_split(dataset: str, n_rows: int, seed: int) -> tuple[Integers, Integers]:
    """Return training and test rows of a run: 100 rows to train, the rest to test.

    If that leaves fewer than 100 test rows, the dataset is halved. The same dataset and seed give
    the same rows to every method.

    Examples
    --------
    >>> from vjmgp import paper_split
    >>> train, test = paper_split("547_no2", 500, seed=0)
    >>> len(train), len(test)
    (100, 400)

    """
    return PAPER.split(dataset, n_rows, seed)


def label_noise_split(dataset: str, n_rows: int, seed: int) -> tuple[Integers, Integers]:
    """Return training and test rows of the label-noise experiment: 80 % and 20 %.

    Examples
    --------
    >>> from vjmgp import label_noise_split
    >>> train, test = label_noise_split("547_no2", 500, seed=0)
    >>> len(train), len(test)
    (400, 100)

    """
    return LABEL_NOISE.split(dataset, n_rows, seed)


def add_label_noise(y_train: Floats, dataset: str, seed: int, deviation: float = 1.0) -> Floats:
    """Return training labels with N(0, 1) noise added on the standardised scale.

    Examples
    --------
    >>> import numpy as np
    >>> from vjmgp import add_label_noise
    >>> add_label_noise(np.array([1.0, 2.0, 3.0]), "547_no2", seed=0).round(2)
    array([1.48, 3.02, 2.85])

    """
    if deviation == 0.0:
        return y_train
    from ..engine.numerics.rng import fill_normal  # slow to import

    state = _entropy(dataset, seed, "label noise").generate_state(4, np.uint64).astype(np.uint64)
    noise = np.empty(len(y_train))
    fill_normal(state, noise)
    return np.asarray(y_train + deviation * noise * np.std(y_train))
