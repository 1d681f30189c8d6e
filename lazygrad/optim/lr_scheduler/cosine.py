"""Schedules along a cosine (Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2016)."""

from __future__ import annotations

import math

from lazygrad.optim.lr_scheduler.base import LRScheduler, Rate
from lazygrad.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """The rate falls to ``eta_min`` along half a cosine of ``T_max`` steps, rises again, and so on."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        step, low = self.last_epoch, self.eta_min
        if self._is_initial:
            return self._unchanged()
        if self._step_count == 1 and step > 0:
            return [low + (rate - low) * (1 + math.cos(step * math.pi / self.T_max)) / 2 for rate in self.base_lrs]
        groups = self.optimizer.param_groups
        if (step - 1 - self.T_max) % (2 * self.T_max) == 0:  # the rate is at its lowest: no ratio leads away from it
            rise = 1 - math.cos(math.pi / self.T_max)
            return [group["lr"] + (rate - low) * rise / 2 for rate, group in zip(self.base_lrs, groups, strict=True)]
        height, before = (1 + math.cos(math.pi * at / self.T_max) for at in (step, step - 1))
        return [height / before * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Rate]:
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (rate - self.eta_min) * height / 2 for rate in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate falls to ``eta_min`` along half a cosine and begins anew, with periods that grow.

    Args:
        optimizer: see `LRScheduler`.
        T_0: steps of the first period.
        T_mult: what the number is multiplied by from period to period.
        eta_min: the lowest rate.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: counts that are no positive integers, or an ``eta_min`` that is no number.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (rate - self.eta_min) * height / 2 for rate in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Writes the next rates, or those of ``epoch``, which may be a fraction.

        Raises:
            ValueError: a negative epoch.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self._go_on()
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with self._computing():
            rates = self.get_lr()
        self._write(rates)

    def _go_on(self) -> None:
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur %= self.T_i
            self.T_i *= self.T_mult

    def _go_to(self, epoch: float) -> None:
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            periods = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**periods - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**periods
