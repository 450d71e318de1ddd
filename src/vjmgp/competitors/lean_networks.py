"""A network trained step by step as scikit-learn's, without its checks.

On a hundred rows, scikit-learn spends more than half of an epoch on looking what kind of table it
shuffles. Here an epoch is its arithmetic alone, in the same order and so to the bit. As with
`lean_ensembles`, the first network in a process is compared with scikit-learn's.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from .lean_ensembles import asks_only

Floats = NDArray[np.float64]
KNOWN = {
    *("activation", "solver", "alpha", "learning_rate", "learning_rate_init", "max_iter", "tol"),
    *("n_iter_no_change", "random_state"),
}
HIDDEN, LARGEST_BATCH = 100, 200
"""Units, and rows up to which all make one step: scikit-learn's defaults."""
SMALLEST_RATE = 1e-6
"""At which "adaptive" ends."""


def _logistic_slope(values: Floats, change: Floats) -> None:
    change *= values
    change *= 1 - values


def _tanh_slope(values: Floats, change: Floats) -> None:
    change *= 1 - values**2


def _relu_slope(values: Floats, change: Floats) -> None:
    change[values == 0] = 0


Activation = tuple[Callable[[Floats], Any], Callable[[Floats, Floats], None]]
ACTIVATIONS: dict[str, Activation] = {
    "logistic": (lambda values: expit(values, out=values), _logistic_slope),
    "tanh": (lambda values: np.tanh(values, out=values), _tanh_slope),
    "relu": (lambda values: np.maximum(values, 0, out=values), _relu_slope),
}
"""Each function, and what it does to the change that is handed back; both in place."""


@dataclass
class Network:
    """One hidden layer, after training."""

    weights: tuple[Floats, Floats]
    shifts: tuple[Floats, Floats]
    activation: str
    epochs: int
    at_limit: bool
    """Whether it trained for as many epochs as it may."""

    def hidden(self, x: Floats) -> Floats:
        """Values of the hidden units."""
        values: Floats = x @ self.weights[0]
        values += self.shifts[0]
        ACTIVATIONS[self.activation][0](values)
        return values

    def output(self, hidden: Floats) -> Floats:
        """Values of the last unit, as a column."""
        values: Floats = hidden @ self.weights[1]
        values += self.shifts[1]
        return values

    def predict(self, x: Floats) -> Floats:
        """The target's values."""
        return self.output(self.hidden(x)).ravel()


def trained(learner: Any, x: Floats, y: Floats) -> Network | None:
    """The network that scikit-learn would train by adam or sgd; `None`: ask scikit-learn."""
    can = (
        learner.solver in ("adam", "sgd")
        and learner.activation in ACTIVATIONS
        and len(y) <= LARGEST_BATCH
        and isinstance(learner.random_state, int)
        and asks_only(learner, KNOWN)
    )
    return _train(learner, x, y) if can and is_as_known() else None


@cache
def is_as_known() -> bool:
    """Whether scikit-learn's networks learn as they do here."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=(30, 3)), random.normal(size=30)
    for solver, activation in (("adam", "tanh"), ("sgd", "relu")):
        learner = MLPRegressor(solver=solver, activation=activation, max_iter=5, random_state=7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found, expected = _train(learner, x, y), learner.fit(x, y)
        if not np.array_equal(found.predict(x), expected.predict(x)):
            return False
    return True


def _train(learner: Any, x: Floats, y: Floats) -> Network:
    rows, inputs = x.shape
    random = np.random.RandomState(learner.random_state)
    state = np.empty(inputs * HIDDEN + HIDDEN + HIDDEN + 1)
    slopes = np.empty_like(state)
    first, last, shift, shift_out = _parts(state, inputs)
    first_slope, last_slope, shift_slope, shift_out_slope = _parts(slopes, inputs)
    for values, shifts in ((first, shift), (last, shift_out)):
        widest = np.sqrt((2.0 if learner.activation == "logistic" else 6.0) / sum(values.shape))
        values[:] = random.uniform(-widest, widest, values.shape)
        shifts[:] = random.uniform(-widest, widest, shifts.shape)
    network = Network((first, last), (shift, shift_out), learner.activation, 0, False)
    hand_back = ACTIVATIONS[learner.activation][1]
    step = _Adam(learner, state) if learner.solver == "adam" else _Descent(learner, state)
    order, labels = np.arange(rows), y.reshape(-1, 1)
    best, stalled = np.inf, 0
    while True:
        drawn = np.arange(rows)
        random.shuffle(drawn)
        order = order[drawn]
        batch, wanted = x[order], labels[order]
        hidden = network.hidden(batch)
        output = network.output(hidden)
        flat, flat_out = first.ravel(), last.ravel()
        penalty = (0.5 * learner.alpha) * (flat @ flat + flat_out @ flat_out) / rows
        loss = (0.5 * ((wanted - output) ** 2).mean(axis=0).mean() + penalty) * rows / rows

        change = output - wanted
        last_slope[:] = (hidden.T @ change + learner.alpha * last) / rows
        shift_out_slope[:] = np.sum(change, axis=0) / rows
        change = change @ last.T
        hand_back(hidden, change)
        first_slope[:] = (batch.T @ change + learner.alpha * first) / rows
        shift_slope[:] = np.sum(change, axis=0) / rows
        step(state, slopes)

        network.epochs += 1
        stalled = stalled + 1 if loss > best - learner.tol else 0
        best = min(best, loss)
        step.end_epoch(network.epochs * rows)
        if stalled > learner.n_iter_no_change:
            if step.ends_here():
                break
            stalled = 0
        if network.epochs == learner.max_iter:
            network.at_limit = True
            break
    if not np.isfinite(state).all():
        raise ValueError("the network's weights are not finite")
    return network


def _parts(state: Floats, inputs: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Views of the weights and the shifts of both layers."""
    ends = np.cumsum([inputs * HIDDEN, HIDDEN, HIDDEN])
    first, last, shift, shift_out = np.split(state, ends)
    return first.reshape(inputs, HIDDEN), last.reshape(HIDDEN, 1), shift, shift_out


class _Adam:
    """Steps by the running mean of slopes and of their squares."""

    def __init__(self, learner: Any, state: Floats) -> None:
        self.first_rate = learner.learning_rate_init
        self.keep, self.keep_squares = learner.beta_1, learner.beta_2
        self.least = learner.epsilon
        self.steps = 0
        self.mean, self.squares = np.zeros_like(state), np.zeros_like(state)

    def __call__(self, state: Floats, slopes: Floats) -> None:
        self.steps += 1
        self.mean = self.keep * self.mean + (1 - self.keep) * slopes
        self.squares = self.keep_squares * self.squares + (1 - self.keep_squares) * slopes**2
        rate = (
            self.first_rate
            * np.sqrt(1 - self.keep_squares**self.steps)
            / (1 - self.keep**self.steps)
        )
        state += -rate * self.mean / (np.sqrt(self.squares) + self.least)

    def end_epoch(self, rows_seen: int) -> None:
        """Nothing to do."""

    def ends_here(self) -> bool:
        """Whether to end where progress stalls."""
        return True


class _Descent:
    """Steps against the slope, with Nesterov's momentum and a schedule."""

    def __init__(self, learner: Any, state: Floats) -> None:
        self.first_rate = self.rate = learner.learning_rate_init
        self.schedule, self.power = learner.learning_rate, learner.power_t
        self.momentum = learner.momentum
        self.speed = np.zeros_like(state)

    def __call__(self, state: Floats, slopes: Floats) -> None:
        push = self.rate * slopes
        self.speed = self.momentum * self.speed - push
        state += self.momentum * self.speed - push

    def end_epoch(self, rows_seen: int) -> None:
        """Slow down as scheduled."""
        if self.schedule == "invscaling":
            self.rate = self.first_rate / (rows_seen + 1) ** self.power

    def ends_here(self) -> bool:
        """Whether to end where progress stalls, or to go on with smaller steps."""
        if self.schedule != "adaptive" or self.rate <= SMALLEST_RATE:
            return True
        self.rate /= 5.0
        return False
