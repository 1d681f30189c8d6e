"""Momentum that goes down while the rate goes up: ``"momentum"`` of a group, or the first of its ``"betas"``."""

from __future__ import annotations

from typing import Any

from lazygrad.optim.lr_scheduler.base import per_group
from lazygrad.optim.optimizer import Optimizer


def uses_beta1(optimizer: Optimizer) -> bool:
    """Whether the optimizer's momentum is the first of its betas.

    Raises:
        ValueError: it has neither.
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def set_momentum(group: dict[str, Any], momentum: float, is_beta1: bool) -> None:
    """Writes the momentum where the group has it."""
    if is_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def begin_with(
    optimizer: Optimizer, base: float | list[float], largest: float | list[float], is_beta1: bool, is_new: bool
) -> tuple[list[Any], list[Any]]:
    """The limits of each group's momentum; a new schedule writes them into the groups and begins with the largest."""
    bases = per_group("base_momentum", optimizer, base)
    maxima = per_group("max_momentum", optimizer, largest)
    if is_new:
        for group, low, high in zip(optimizer.param_groups, bases, maxima, strict=True):
            set_momentum(group, high, is_beta1)
            group["max_momentum"], group["base_momentum"] = high, low
    return bases, maxima
