"""Measure tree evaluation in node·rows per second, beside pyoperon on the same trees."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from vjmgp.engine.compilation.kernels import kernel
from vjmgp.engine.trees.evaluation import Workspace, make_workspace, run, translate
from vjmgp.engine.trees.primitives import FIRST_VARIABLE, FUNCTION_NAMES, PRIMITIVES

ROWS, INPUTS, NODES, TREES = 1100, 7, 49, 200
SETS = {
    "add, mul, aq": ("add", "mul", "aq"),
    "add, sub, mul, min, max, abs, neg": ("add", "sub", "mul", "min", "max", "abs", "neg"),
}


def random_tree(rng: np.random.Generator, length: int, names: tuple[str, ...]) -> list[int]:
    """Return a random prefix tree of a given number of nodes."""
    if length == 1:
        return [FIRST_VARIABLE + int(rng.integers(INPUTS))]
    fitting = [n for n in names if PRIMITIVES[FUNCTION_NAMES.index(n)].arity < length]
    if length == 2:
        fitting = [n for n in fitting if PRIMITIVES[FUNCTION_NAMES.index(n)].arity == 1]
    name = str(rng.choice(fitting))
    code = FUNCTION_NAMES.index(name)
    if PRIMITIVES[code].arity == 1:
        return [code, *random_tree(rng, length - 1, names)]
    unary = any(PRIMITIVES[FUNCTION_NAMES.index(n)].arity == 1 for n in names)
    step = 1 if unary else 2
    left = int(rng.choice(np.arange(1, length - 1, step)))
    rest = length - 1 - left
    return [code, *random_tree(rng, left, names), *random_tree(rng, rest, names)]


@kernel
def evaluate_all(
    codes: np.ndarray, constants: np.ndarray, length: int, workspace: Workspace, out: np.ndarray
) -> None:
    """Evaluate every tree (trees × nodes) on every row."""
    for tree in range(len(codes)):
        count = translate(codes[tree], constants, np.int64(0), length, workspace)
        run(workspace, count, np.int64(0), out.shape[1], out[tree])


def fastest(action: Callable[[], None], repeats: int = 30) -> float:
    """Return the seconds of the fastest of several runs, after a warm-up."""
    action()
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - started)
    return best


def ours(trees: list[list[int]], x: np.ndarray) -> tuple[float, np.ndarray]:
    codes = np.array(trees, np.int32)
    workspace = make_workspace(np.ascontiguousarray(x.T), NODES, NODES)
    out = np.empty((len(trees), ROWS))
    constants = np.zeros(NODES)
    seconds = fastest(lambda: evaluate_all(codes, constants, NODES, workspace, out))
    return NODES * ROWS * len(trees) / seconds, out


def operon(trees: list[list[int]], x: np.ndarray) -> tuple[float, np.ndarray] | None:
    """Time EvaluateTrees of pyoperon in single precision and one thread, if it is installed."""
    try:
        import pyoperon as op
    except ImportError:
        return None
    kinds = {
        "add": op.NodeType.Add,
        "sub": op.NodeType.Sub,
        "mul": op.NodeType.Mul,
        "aq": op.NodeType.Aq,
        "min": op.NodeType.Fmax,  # in pyoperon 0.6.2 each of the two computes the other
        "max": op.NodeType.Fmin,
        "abs": op.NodeType.Abs,
        "neg": op.NodeType.Sub,  # of one argument
    }
    single = np.asfortranarray(x.astype(np.float32))  # it does not copy: keep it alive
    data = op.Dataset(single)
    hashes = {v.Index: v.Hash for v in data.Variables}

    def convert(codes: list[int]) -> op.Tree:
        nodes = []
        for code in reversed(codes):  # its order is postfix, the first operand last
            if code >= FIRST_VARIABLE:
                node = op.Node(op.NodeType.Variable, hashes[code - FIRST_VARIABLE])
                node.Value = 1
            else:
                node = op.Node(kinds[FUNCTION_NAMES[code]])
                node.Arity = PRIMITIVES[code].arity
            nodes.append(node)
        return op.Tree(nodes).UpdateNodes()

    converted = [convert(tree) for tree in trees]
    out = np.empty((len(trees), ROWS), np.float32)
    rows = op.Range(0, ROWS)
    seconds = fastest(lambda: op.EvaluateTrees(converted, data, rows, out, 1))
    return NODES * ROWS * len(trees) / seconds, out


def report() -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [
        f"Trees of {NODES} nodes on {ROWS} rows, one thread, fastest of 30 runs.",
        "",
        "| functions | vjmgp, float64 | pyoperon, float32 | ratio |",
        "| --- | --- | --- | --- |",
    ]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, INPUTS))
    for label, names in SETS.items():
        trees = [random_tree(rng, NODES, names) for _ in range(TREES)]
        rate, values = ours(trees, x)
        theirs = operon(trees, x)
        if theirs is None:
            lines.append(f"| {label} | {rate:.2e} | not installed (extra `bench`) | |")
            continue
        finite = np.isfinite(values) & (np.abs(values) < 1e6)
        agree = np.isclose(values, theirs[1], rtol=1e-2, atol=1e-2)[finite].mean()
        lines.append(
            f"| {label} | {rate:.2e} | {theirs[0]:.2e} | {rate / theirs[0]:.1f} × "
            f"(values agree on {agree:.1%}) |"
        )
    return lines


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    print("\n".join(report()))
