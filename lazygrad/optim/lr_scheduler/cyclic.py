"""A schedule that goes up and down (Smith, "Cyclical learning rates for training neural networks", 2015)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from lazygrad.optim.lr_scheduler.base import LRScheduler, Rate, per_group, require_optimizer, write
from lazygrad.optim.lr_scheduler.momentum import begin_with, set_momentum, uses_beta1
from lazygrad.optim.optimizer import Optimizer


class CyclicLR(LRScheduler):
    """The rate goes from ``base_lr`` to ``max_lr`` and back in straight lines, again and again.

    Args:
        optimizer: see `LRScheduler`.
        base_lr: the lowest rate, for all groups or for each.
        max_lr: the highest rate of the first cycle, for all groups or for each.
        step_size_up: steps of the way up.
        step_size_down: steps of the way down; as many when left out.
        mode: ``"triangular"``: all cycles are as high; ``"triangular2"``: each has half the height of the one before;
            ``"exp_range"``: the height falls by ``gamma`` in each step.
        gamma: see ``mode``.
        scale_fn: the height as a function of cycle or step, in place of ``mode``.
        scale_mode: ``"cycle"`` or ``"iterations"``: what ``scale_fn`` is given.
        cycle_momentum: the momentum goes down from ``max_momentum`` to ``base_momentum`` while the rate goes up.
        base_momentum: the lowest momentum, for all groups or for each.
        max_momentum: the highest momentum, for all groups or for each.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: an unknown mode, a list of another length than there are groups, or an optimizer without momentum.
        TypeError: ``optimizer`` is none.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                write(group, "lr", rate)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta1(optimizer)
            self.base_momentums, self.max_momentums = begin_with(
                optimizer, base_momentum, max_momentum, self.use_beta1, last_epoch == -1
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is None:
            self._scale_fn_ref = partial(_SCALES[self.mode], self.gamma)
            self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, or at a step, as a share of the first one's."""
        return self._scale_fn_ref(x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    def get_lr(self) -> list[Rate]:
        """The rates after ``last_epoch`` steps; also sets the momenta."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        height = place / self.step_ratio if place <= self.step_ratio else (place - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            limits = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in limits:
                set_momentum(group, high - (high - low) * height * scale, self.use_beta1)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of a ``scale_fn`` that is an object its attributes."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        function = state["_scale_fn_custom"]
        is_object = function is not None and not isinstance(function, FunctionType)
        state["_scale_fn_custom"] = vars(function).copy() if is_object else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of such a schedule returned; a ``scale_fn`` stays."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            vars(self._scale_fn_custom).update(state_dict["_scale_fn_custom"])
        self._init_scale_fn()


def _always_one(gamma: float, cycle: float) -> float:
    return 1.0


def _halved(gamma: float, cycle: float) -> float:
    return 1 / 2.0 ** (cycle - 1)


def _power(gamma: float, step: float) -> float:
    return float(gamma**step)


_SCALES: dict[str, Callable[[float, float], float]] = {
    "triangular": _always_one,
    "triangular2": _halved,
    "exp_range": _power,
}
