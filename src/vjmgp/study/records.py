"""What a run leaves behind: its record."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Record(TypedDict):
    """One line of a file of runs."""

    dataset: str
    protocol: str
    method: str
    seed: int
    identity: str
    """Of its settings, code and data: the hash in the name of its folder."""
    status: str
    """"ok" or "failed"."""
    error: NotRequired[str]
    train_r2: NotRequired[float]
    test_r2: NotRequired[float]
    size: NotRequired[int | None]
    """Nodes of a symbolic model; SRBench's conventions for others."""
    trees: NotRequired[int | None]
    seconds: NotRequired[float]
    cpu_seconds: NotRequired[float]
    formula: NotRequired[str | None]
    legend: NotRequired[list[list[str]]]
    """Names in the formula that are not columns, with what they stand for."""
    features: NotRequired[list[list[Any]]]
    """Coefficient and formula of each constructed feature."""
    model: NotRequired[dict[str, Any]]
    """The whole model, as `vjmgp.load_model` reads it."""
    curve: NotRequired[list[list[float]]]
    """[generation, training R², test R²] where the chosen model changes."""
    noise_r2: NotRequired[float]
    tau: NotRequired[float]
    generations: NotRequired[int]
    engine: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    """What tuning chose."""
    failed_candidates: NotRequired[int]
    warnings: NotRequired[dict[str, int]]
    definition: dict[str, Any]
    versions: dict[str, str]
    inputs: dict[str, Any]
    """Checksums of the source file, the prepared table and the training rows; the noise."""
