"""Networks trained as scikit-learn trains them, without its checks.

On a hundred rows, scikit-learn spends more than half of an epoch on finding out what kind of table
it shuffles. Here an epoch is only arithmetic, in the same order and thus with the same bits. As in
`lean_ensembles`, each process first compares small networks.
"""

import itertools
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from ..core.arrays import Floats
from .lean import OTHER_VERSION, has_only_settings

KNOWN = {
    *("activation", "solver", "alpha", "learning_rate", "learning_rate_init", "max_iter", "tol"),
    *("n_iter_no_change", "random_state"),
}
HIDDEN, LARGEST_BATCH = 100, 200
"""Hidden units and maximum batch size: scikit-learn's defaults."""
SCHEDULES = ("constant", "invscaling", "adaptive")
SMALLEST_RATE = 1e-6
"""Learning rate at which "adaptive" ends."""


def _logistic_derivative(values: Floats, change: Floats) -> None:
    change *= values
    change *= 1 - values


def _tanh_derivative(values: Floats, change: Floats) -> None:
    change *= 1 - values**2


def _relu_derivative(values: Floats, change: Floats) -> None:
    change[values == 0] = 0


Activation = tuple[Callable[[Floats], Any], Callable[[Floats, Floats], None]]
ACTIVATIONS: dict[str, Activation] = {
    "logistic": (lambda values: expit(values, out=values), _logistic_derivative),
    "tanh": (lambda values: np.tanh(values, out=values), _tanh_derivative),
    "relu": (lambda values: np.maximum(values, 0, out=values), _relu_derivative),
}
"""Each function, and the multiplication of gradients by its derivative; both in place."""


@dataclass
class Network:
    """One hidden layer, after training."""

    weights: tuple[Floats, Floats]
    biases: tuple[Floats, Floats]
    activation: str
    epochs: int
    at_limit: bool
    """Whether training ended at the maximum number of epochs."""

    def hidden(self, x: Floats) -> Floats:
        """Return the values of the hidden units."""
        values: Floats = x @ self.weights[0]
        values += self.biases[0]
        ACTIVATIONS[self.activation][0](values)
        return values

    def output(self, hidden: Floats) -> Floats:
        """Return the values of the output unit, as a column."""
        values: Floats = hidden @ self.weights[1]
        values += self.biases[1]
        return values

    def predict(self, x: Floats) -> Floats:
        """Predict the target."""
        return self.output(self.hidden(x)).ravel()


def trained(learner: Any, x: Floats, y: Floats) -> Network | None:
    """Train as scikit-learn with adam or sgd; `None` means: use scikit-learn."""
    can = (
        learner.solver in ("adam", "sgd")
        and learner.activation in ACTIVATIONS
        and len(y) <= LARGEST_BATCH
        and isinstance(learner.random_state, int)
        and x.dtype == y.dtype == np.float64
        and has_only_settings(learner, KNOWN)
    )
    return _train(learner, x, y) if can and behaves_as_expected() else None


@cache
def behaves_as_expected() -> bool:
    """Return whether scikit-learn's networks train as they do here, until they stall."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=(20, 3)), random.normal(size=20)
    kinds = [("adam", "constant"), *(("sgd", name) for name in SCHEDULES)]
    with suppress(*OTHER_VERSION):
        for (solver, schedule), activation in itertools.product(kinds, ACTIVATIONS):
            learner = MLPRegressor(
                solver=solver, learning_rate=schedule, activation=activation, random_state=7,
                max_iter=12, tol=0.02, n_iter_no_change=2, learning_rate_init=0.05,
            )  # fmt: skip
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                found, expected = _train(learner, x, y), learner.fit(x, y)
            same = np.array_equal(found.predict(x), expected.predict(x))
            if not same or found.epochs != expected.n_iter_:
                return False
        return True
    return False


def _train(learner: Any, x: Floats, y: Floats) -> Network:
    rows, inputs = x.shape
    random = np.random.RandomState(learner.random_state)
    state = np.empty(inputs * HIDDEN + HIDDEN + HIDDEN + 1)
    gradient = np.empty_like(state)
    first, last, bias, bias_out = _parts(state, inputs)
    first_gradient, last_gradient, bias_gradient, bias_out_gradient = _parts(gradient, inputs)
    for values, biases in ((first, bias), (last, bias_out)):
        widest = np.sqrt((2.0 if learner.activation == "logistic" else 6.0) / sum(values.shape))
        values[:] = random.uniform(-widest, widest, values.shape)
        biases[:] = random.uniform(-widest, widest, biases.shape)
    network = Network((first, last), (bias, bias_out), learner.activation, 0, False)
    derivative = ACTIVATIONS[learner.activation][1]
    step = _Adam(learner, state) if learner.solver == "adam" else _Descent(learner, state)
    order, labels = np.arange(rows), y.reshape(-1, 1)
    flat, flat_out = first.ravel(), last.ravel()  # views: they follow the steps
    best, stalled = np.inf, 0
    while network.epochs < learner.max_iter:
        drawn = np.arange(rows)
        random.shuffle(drawn)
        order = order[drawn]
        batch, wanted = x[order], labels[order]
        hidden = network.hidden(batch)
        output = network.output(hidden)
        penalty = (0.5 * learner.alpha) * (flat @ flat + flat_out @ flat_out) / rows
        # Multiply and divide by the rows, as scikit-learn does, for equal rounding.
        loss = (0.5 * ((wanted - output) ** 2).mean(axis=0).mean() + penalty) * rows / rows

        change = output - wanted
        last_gradient[:] = (hidden.T @ change + learner.alpha * last) / rows
        bias_out_gradient[:] = np.sum(change, axis=0) / rows
        change = change @ last.T
        derivative(hidden, change)
        first_gradient[:] = (batch.T @ change + learner.alpha * first) / rows
        bias_gradient[:] = np.sum(change, axis=0) / rows
        step(state, gradient)

        network.epochs += 1
        stalled = stalled + 1 if loss > best - learner.tol else 0
        best = min(best, loss)
        step.end_epoch(network.epochs * rows)
        if stalled > learner.n_iter_no_change:
            if step.ends_here():
                break
            stalled = 0
    else:
        network.at_limit = True
    if not np.isfinite(state).all():
        raise ValueError("the network's weights are not finite")
    return network


def _parts(state: Floats, inputs: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return views of the weights and the biases of both layers."""
    ends = np.cumsum([inputs * HIDDEN, HIDDEN, HIDDEN])
    first, last, bias, bias_out = np.split(state, ends)
    return first.reshape(inputs, HIDDEN), last.reshape(HIDDEN, 1), bias, bias_out


class _Adam:
    """Adam: steps by running means of the gradient and of its square."""

    def __init__(self, learner: Any, state: Floats) -> None:
        self.first_rate = learner.learning_rate_init
        self.beta_1, self.beta_2 = learner.beta_1, learner.beta_2
        self.epsilon = learner.epsilon
        self.steps = 0
        self.mean, self.squares = np.zeros_like(state), np.zeros_like(state)

    def __call__(self, state: Floats, gradient: Floats) -> None:
        self.steps += 1
        self.mean = self.beta_1 * self.mean + (1 - self.beta_1) * gradient
        self.squares = self.beta_2 * self.squares + (1 - self.beta_2) * gradient**2
        rate = (
            self.first_rate * np.sqrt(1 - self.beta_2**self.steps) / (1 - self.beta_1**self.steps)
        )
        state += -rate * self.mean / (np.sqrt(self.squares) + self.epsilon)

    def end_epoch(self, rows_seen: int) -> None:
        """Do nothing."""

    def ends_here(self) -> bool:
        """Return whether to end if progress stalls."""
        return True


class _Descent:
    """Stochastic gradient descent with Nesterov's momentum and a schedule."""

    def __init__(self, learner: Any, state: Floats) -> None:
        self.first_rate = self.rate = learner.learning_rate_init
        self.schedule, self.power = learner.learning_rate, learner.power_t
        self.momentum = learner.momentum
        self.velocity = np.zeros_like(state)

    def __call__(self, state: Floats, gradient: Floats) -> None:
        step = self.rate * gradient
        self.velocity = self.momentum * self.velocity - step
        state += self.momentum * self.velocity - step

    def end_epoch(self, rows_seen: int) -> None:
        """Reduce the learning rate as scheduled."""
        if self.schedule == "invscaling":
            self.rate = self.first_rate / (rows_seen + 1) ** self.power

    def ends_here(self) -> bool:
        """Return whether to end if progress stalls, or continue with smaller steps."""
        if self.schedule != "adaptive" or self.rate <= SMALLEST_RATE:
            return True
        self.rate /= 5.0
        return False
