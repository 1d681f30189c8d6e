"""Schedules that the user gives as functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from lazygrad.optim.lr_scheduler.base import LRScheduler, Rate
from lazygrad.optim.optimizer import Optimizer

Factor = Callable[[int], float]


class _FunctionSchedule(LRScheduler):
    """A schedule by one function per group. Of functions that are objects the attributes are saved."""

    lr_lambdas: list[Any]

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | list[Factor], last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of functions only the attributes of those that are objects."""
        kept = [None if isinstance(each, FunctionType) else vars(each).copy() for each in self.lr_lambdas]
        return {**super().state_dict(), "lr_lambdas": kept}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` returned; functions stay, those that are objects get their attributes back."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, kept in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=False):
            if kept is not None:
                vars(function).update(kept)


class LambdaLR(_FunctionSchedule):
    """The initial rate times a function of the number of steps.

    Args:
        optimizer: see `LRScheduler`.
        lr_lambda: the function, or a list with one for each group.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: a list of another length than there are groups.
    """

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        return [rate * factor(self.last_epoch) for factor, rate in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_FunctionSchedule):
    """Each step multiplies the rate by a function of the number of steps; arguments and errors as for `LambdaLR`.

    Raises:
        TypeError: something else than a function.
    """

    def _check_functions(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        if self._is_initial:
            return self._unchanged()
        groups = self.optimizer.param_groups
        return [group["lr"] * factor(self.last_epoch) for factor, group in zip(self.lr_lambdas, groups, strict=True)]
