"""Averages of a model's parameters over its training, and the schedule that goes with them.

Source: Izmailov et al., "Averaging weights leads to wider optima and better generalization", 2018, for equal weights;
Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", 1992, for exponentially falling ones.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import int64
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.module import Module
from lazygrad.nn.normalizations.batch import _BatchNorm
from lazygrad.ops.creation.from_data import tensor as tensor_of
from lazygrad.optim.lr_scheduler.base import LRScheduler, Rate, per_group
from lazygrad.optim.optimizer import Optimizer
from lazygrad.tensor import Tensor

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

AverageOne = Callable[[Tensor, Tensor, Tensor | int], Tensor]
AverageMany = Callable[[Sequence[Tensor], Sequence[Tensor], Tensor | int], None]


def get_ema_avg_fn(decay: float = 0.999) -> AverageOne:
    """What computes an exponential average from itself, the present value and how many values it has seen.

    Raises:
        ValueError: a decay that is not in [0, 1].
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> AverageOne:
    """What computes the mean of all values from that of all before, the present value and how many it has seen."""

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageMany:
    """Like `get_ema_avg_fn`, for lists of tensors, in place."""
    _check_decay(decay)

    @no_grad()
    def ema_update(
        ema_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], num_averaged: Tensor | int
    ) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> AverageMany:
    """Like `get_swa_avg_fn`, for lists of tensors, in place."""

    @no_grad()
    def swa_update(
        averaged_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], num_averaged: Tensor | int
    ) -> None:
        share = 1 / (num_averaged + 1)
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            average.copy_(average + (current - average) * share)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's.

    Args:
        model: the model, whose present values are not part of the average.
        device: of the copy, the model's when left out.
        avg_fn: computes a parameter's average, see `get_ema_avg_fn`; equal weights when both are left out.
        multi_avg_fn: computes the averages of all parameters of one dtype and device, see `get_ema_multi_avg_fn`.
        use_buffers: average buffers, too; else they are copied.

    Attributes:
        module: the copy.
        n_averaged: how often `update_parameters` was called.

    Raises:
        AssertionError: both functions are given.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: DeviceLike = None,
        avg_fn: AverageOne | None = None,
        multi_avg_fn: AverageMany | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor_of(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the copy returns."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the present parameters of ``model`` into the average; the first ones are copied."""
        pairs = [
            (average.detach(), current.detach().to(average.device))
            for average, current in zip(self._averaged(self.module), self._averaged(model), strict=False)
        ]
        with no_grad():
            if self.n_averaged.item() == 0:
                for average, current in pairs:
                    average.copy_(current)
            elif self.avg_fn is not None:
                for average, current in pairs:
                    average.copy_(self.avg_fn(average, current, self.n_averaged.to(average.device)))
            else:
                self._average_together(pairs, self.multi_avg_fn or get_swa_multi_avg_fn())
            if not self.use_buffers:
                for copied, buffer in zip(self.module.buffers(), model.buffers(), strict=True):
                    copied.detach().copy_(buffer.detach().to(copied.device))
            self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterable[Tensor]:
        return itertools.chain(model.parameters(), model.buffers() if self.use_buffers else ())

    def _average_together(self, pairs: list[tuple[Tensor, Tensor]], average_many: AverageMany) -> None:
        kinds: dict[Any, tuple[list[Tensor], list[Tensor]]] = defaultdict(lambda: ([], []))
        for average, current in pairs:
            averages, currents = kinds[average.device, average.dtype]
            averages.append(average)
            currents.append(current)
        for (device, _), (averages, currents) in kinds.items():
            average_many(averages, currents, self.n_averaged.to(device))


def update_bn(loader: Iterable[Any], model: Module, device: DeviceLike = None) -> None:
    """Computes the running statistics of all batch normalizations anew, as means over the data.

    Args:
        loader: batches; of one that is a list or tuple the first entry is the input.
        model: called with each input, in training mode.
        device: where inputs are moved to.
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    was_training, momenta = model.training, [norm.momentum for norm in norms]
    with no_grad():
        model.train()
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # the mean of all batches
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
        model.train(was_training)


class SWALR(LRScheduler):
    """Goes from the present rate to a constant one.

    Args:
        optimizer: see `LRScheduler`.
        swa_lr: the constant rate, for all groups or for each.
        anneal_epochs: how many steps that takes.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: an unknown strategy, a negative number of steps, or a list of another length than there are groups.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        """The rates after the present number of steps, from those in the groups."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, share = self._share(step - 1), self._share(step)
        groups = self.optimizer.param_groups
        return [group["swa_lr"] * share + _undone(group, before) * (1 - share) for group in groups]

    def _share(self, step: int) -> float:
        """How much of the constant rate is in the rate after a step."""
        progress = max(0, min(1, step / max(1, self.anneal_epochs)))
        return progress if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * progress)) / 2


def _undone(group: dict[str, Any], share: float) -> Any:
    """The rate without the share of the constant one in it."""
    return group["swa_lr"] if share == 1 else (group["lr"] - share * group["swa_lr"]) / (1 - share)


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
