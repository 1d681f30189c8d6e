"""Schedules by simple formulas. Each has a chained form, from rate to rate, and a closed one."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

from lazygrad.optim.lr_scheduler.base import LRScheduler, Rate
from lazygrad.optim.optimizer import Optimizer


class StepLR(LRScheduler):
    """Multiplies the rate by ``gamma`` every ``step_size`` steps."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        is_due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma) if is_due else self._unchanged()

    def _get_closed_form_lr(self) -> list[Rate]:
        return [rate * self.gamma ** (self.last_epoch // self.step_size) for rate in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the rate by ``gamma`` at each of the steps in ``milestones``."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        if self.last_epoch not in self.milestones:
            return self._unchanged()
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Rate]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [rate * self.gamma**passed for rate in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiplies the rate by ``factor`` until step ``total_iters``.

    Raises:
        ValueError: a factor that is not in [0, 1].
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor) if self.last_epoch == self.total_iters else self._unchanged()

    def _get_closed_form_lr(self) -> list[Rate]:
        is_over = self.last_epoch >= self.total_iters
        return [rate * (self.factor + is_over * (1 - self.factor)) for rate in self.base_lrs]


class LinearLR(LRScheduler):
    """A factor that goes from ``start_factor`` to ``end_factor`` in ``total_iters`` equal steps.

    Raises:
        ValueError: a start that is not in (0, 1], or an end that is not in [0, 1].
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1.0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._scaled(1.0 + rise / before)

    def _get_closed_form_lr(self) -> list[Rate]:
        rise, steps = self.end_factor - self.start_factor, min(self.total_iters, self.last_epoch)
        return [rate * (self.start_factor + rise * steps / self.total_iters) for rate in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the rate by ``gamma`` in every step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        return self._unchanged() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Rate]:
        return [rate * self.gamma**self.last_epoch for rate in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The rate falls to 0 in ``total_iters`` steps, as (1 − step / total_iters)^power."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        left, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Rate]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [rate * left**self.power for rate in self.base_lrs]
