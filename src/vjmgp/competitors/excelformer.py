"""ExcelFormer of pytorch-frame, trained with its mixups and early stopping."""

import contextlib
import copy
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.arrays import Floats

MIXUPS = {"none": None, "feat_mix": "feature", "hidden_mix": "hidden"}
"""Names in the method's paper and in pytorch-frame."""


@dataclass(eq=False, repr=False)
class ExcelFormerRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer over the inputs, ordered by their mutual information with the target.

    A part of the training rows is held out for validation. Training ends if the error there has not
    improved for `patience` epochs; the model has the weights of the best epoch.
    """

    mix_type: str = "none"
    channels: int = 32
    layers: int = 3
    heads: int = 4
    attention_dropout: float = 0.3
    mixup_beta: float = 0.5
    learning_rate: float = 1e-3
    batch_size: int = 256
    max_epochs: int = 300
    patience: int = 32
    validation_share: float = 0.2
    random_state: int | None = None
    n_jobs: int = 1

    def fit(self, x: Any, y: Any) -> Self:
        """Train until the validation error stops improving."""
        import torch

        if self.mix_type not in MIXUPS:
            raise ValueError(f"mix_type is {self.mix_type!r}; known are {', '.join(MIXUPS)}.")
        x, y = validate_data(self, x, y, y_numeric=True)
        parts = train_test_split(
            x, y, test_size=self.validation_share, random_state=self.random_state
        )
        with torch_settings(self.n_jobs, self.random_state):
            self._order_inputs(parts[0], parts[2])
            train, valid = self._frame(parts[0], parts[2]), self._frame(parts[1], parts[3])
            self.network_ = self._network(train)
            self._train(torch, train, valid)
        return self

    def _order_inputs(self, x: Floats, y: Floats) -> None:
        """Learn the order of the inputs, the most informative first."""
        from sklearn.feature_selection import mutual_info_regression
        from torch_frame import TaskType
        from torch_frame.transforms import MutualInformationSort

        self.sort_ = MutualInformationSort(TaskType.REGRESSION)
        self.sort_.mi_func = functools.partial(
            mutual_info_regression, random_state=self.random_state, n_neighbors=min(3, len(y) - 1)
        )
        self.sort_.fit(_tensor_frame(x, y), {})
        if not self.sort_.mi_scores.sum() > 0:  # no input is informative
            self.sort_.mi_scores = np.ones(x.shape[1])

    def _frame(self, x: Floats, y: Floats | None = None) -> Any:
        return self.sort_(_tensor_frame(x, y))

    def _network(self, train: Any) -> Any:
        from torch_frame import stype
        from torch_frame.data.stats import StatType
        from torch_frame.nn import ExcelFormer

        values = train.feat_dict[stype.numerical]
        names = train.col_names_dict[stype.numerical]
        stats = {
            name: {
                StatType.MEAN: float(values[:, k].mean()),
                StatType.STD: float(values[:, k].std(correction=0)),
                StatType.QUANTILES: values[:, k].quantile(
                    values.new_tensor([0.0, 0.25, 0.5, 0.75, 1.0])
                ).tolist(),
            }
            for k, name in enumerate(names)
        }  # fmt: skip
        return ExcelFormer(
            in_channels=self.channels,
            out_channels=1,
            num_cols=len(names),
            num_layers=self.layers,
            num_heads=self.heads,
            col_stats=stats,
            col_names_dict=train.col_names_dict,
            diam_dropout=self.attention_dropout,
            mixup=MIXUPS[self.mix_type],
            beta=self.mixup_beta,
        )

    def _train(self, torch: Any, train: Any, valid: Any) -> None:
        network = self.network_
        optimizer = torch.optim.AdamW(network.parameters(), lr=self.learning_rate)
        best, best_weights, self.best_epoch_ = float("inf"), network.state_dict(), 0
        for epoch in range(1, self.max_epochs + 1):
            self.n_iter_ = epoch
            network.train()
            for rows in torch.randperm(len(train)).split(self.batch_size):
                batch = train[rows]
                if MIXUPS[self.mix_type] is None:
                    values, target = network(batch), batch.y
                else:
                    values, target = network(batch, mixup_encoded=True)
                loss = torch.nn.functional.mse_loss(values.view(-1), target.view(-1))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            error = float(torch.mean((self._evaluate(valid) - valid.y) ** 2))
            if error < best:
                best, self.best_epoch_ = error, epoch
                best_weights = copy.deepcopy(network.state_dict())
            elif epoch - self.best_epoch_ >= self.patience:
                break
        network.load_state_dict(best_weights)

    def _evaluate(self, frame: Any) -> Any:
        import torch

        self.network_.eval()
        with torch.no_grad():
            parts = torch.arange(len(frame)).split(4096)
            return torch.cat([self.network_(frame[rows]).view(-1) for rows in parts])

    def predict(self, x: Any) -> Floats:
        """Return the network's output."""
        check_is_fitted(self)
        x = validate_data(self, x, reset=False)
        with torch_settings(self.n_jobs, self.random_state):
            return np.asarray(self._evaluate(self._frame(x)).numpy(), dtype=np.float64)

    def model_size(self) -> int:
        """Return the number of weights."""
        return sum(part.numel() for part in self.network_.parameters())


@contextlib.contextmanager
def torch_settings(threads: int, seed: int | None) -> Iterator[None]:
    """Set the number of threads and the seed; restore both afterwards."""
    import torch

    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.set_num_threads(threads)
        if seed is not None:
            torch.manual_seed(seed)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def _tensor_frame(x: Floats, y: Floats | None = None) -> Any:
    import torch
    from torch_frame import TensorFrame, stype

    return TensorFrame(
        {stype.numerical: torch.tensor(x, dtype=torch.float32)},
        {stype.numerical: [f"x{k}" for k in range(x.shape[1])]},
        None if y is None else torch.tensor(y, dtype=torch.float32),
    )
