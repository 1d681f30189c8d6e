"""A schedule of one cycle for the whole training (Smith and Topin, "Super-convergence", 2018)."""

from __future__ import annotations

import math
from typing import Any

from lazygrad.optim.lr_scheduler.base import LRScheduler, Rate, per_group, require_optimizer
from lazygrad.optim.lr_scheduler.momentum import begin_with, set_momentum, uses_beta1
from lazygrad.optim.optimizer import Optimizer


class OneCycleLR(LRScheduler):
    """The rate goes up to ``max_lr`` and then down to almost nothing.

    Args:
        optimizer: see `LRScheduler`.
        max_lr: the highest rate, for all groups or for each.
        total_steps: steps of the whole training; or give the next two.
        epochs: how often the data is seen.
        steps_per_epoch: how many steps that takes.
        pct_start: the share of the steps that go up.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        cycle_momentum: the momentum goes down from ``max_momentum`` to ``base_momentum`` while the rate goes up.
        base_momentum: the lowest momentum, for all groups or for each.
        max_momentum: the highest momentum, for all groups or for each.
        div_factor: the first rate is ``max_lr / div_factor``.
        final_div_factor: the last rate is the first one divided by this.
        three_phase: go down to the first rate as fast as up, and then to the last one.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: counts that are no positive integers, a share that is not in [0, 1], an unknown strategy, a list of
            another length than there are groups, or an optimizer without momentum.
        TypeError: ``optimizer`` is none.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _count_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        max_lrs = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, max_lrs, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta1(optimizer)
            begin_with(optimizer, base_momentum, max_momentum, self.use_beta1, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        """The rates after ``last_epoch`` steps; also sets the momenta.

        Raises:
            ValueError: more steps than the whole training has.
        """
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        phase, share = self._phase_of(step)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                limits = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self._between(*limits, share), self.use_beta1)
        return rates

    def _phase_of(self, step: int) -> tuple[dict[str, Any], float]:
        """The phase that a step belongs to, and which share of it is over."""
        start = 0.0
        for phase in self._schedule_phases[:-1]:
            if step <= phase["end_step"]:
                break
            start = phase["end_step"]
        else:
            phase = self._schedule_phases[-1]
        return phase, (step - start) / (phase["end_step"] - start)

    def _between(self, start: Any, end: Any, share: float) -> Any:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start


def _count_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    if total_steps is not None:
        return _positive("total_steps", total_steps)
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)


def _positive(name: str, count: int) -> int:
    if count <= 0 or not isinstance(count, int):
        raise ValueError(f"Expected positive integer {name}, but got {count}")
    return count


def _phases(steps: int, share_up: float, three_phase: bool) -> list[dict[str, Any]]:
    """When each phase ends, and between which options of a group it goes."""
    top = float(share_up * steps) - 1
    up = _phase(top, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if not three_phase:
        return [up, _phase(steps - 1, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
    return [
        up,
        _phase(float(2 * share_up * steps) - 2, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum")),
        _phase(steps - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]


def _phase(end: float, rates: tuple[str, str], momenta: tuple[str, str]) -> dict[str, Any]:
    return {
        "end_step": end,
        "start_lr": rates[0],
        "end_lr": rates[1],
        "start_momentum": momenta[0],
        "end_momentum": momenta[1],
    }
