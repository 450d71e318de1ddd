"""The paper's protocol as plain functions: the split of a seed, label noise, R²."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from .engine.noise import r2

__all__ = ["add_label_noise", "label_noise_split", "paper_split", "r2"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

TRAIN_ROWS = 100
LABEL_NOISE_SHARE = 0.8
LABEL_NOISE_MAX_ROWS = 2000
"""Datasets with fewer rows take part in the label-noise experiment."""


def _generator(dataset: str, seed: int, purpose: str) -> np.random.Generator:
    """Random numbers that depend on the dataset's name, the seed and the purpose alone."""
    words = [zlib.crc32(dataset.encode()), seed, zlib.crc32(purpose.encode())]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def _split(dataset: str, n_rows: int, n_train: int, seed: int) -> tuple[Integers, Integers]:
    if n_train < 2 or n_rows - n_train < 1:
        raise ValueError(f"Dataset {dataset!r} has {n_rows} rows: too few to train and test on.")
    order = _generator(dataset, seed, "split").permutation(n_rows)
    return order[:n_train], order[n_train:]


def paper_split(dataset: str, n_rows: int, seed: int) -> tuple[Integers, Integers]:
    """Training and test rows of a run: 100 rows to train, the rest to test.

    Where that leaves fewer than 100 test rows, half and half. The same dataset and seed give
    the same rows to every method.
    """
    n_train = TRAIN_ROWS if n_rows - TRAIN_ROWS >= TRAIN_ROWS else n_rows // 2
    return _split(dataset, n_rows, n_train, seed)


def label_noise_split(dataset: str, n_rows: int, seed: int) -> tuple[Integers, Integers]:
    """Training and test rows of the label-noise experiment: 80 % and 20 %."""
    return _split(dataset, n_rows, int(LABEL_NOISE_SHARE * n_rows), seed)


def add_label_noise(y_train: Floats, dataset: str, seed: int) -> Floats:
    """Training labels with N(0, 1) noise added on the standardised scale, in original units."""
    noise = _generator(dataset, seed, "label noise").standard_normal(len(y_train))
    return np.asarray(y_train + noise * np.std(y_train))
