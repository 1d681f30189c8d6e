"""A schedule that looks at how training goes."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from lazygrad.optim.lr_scheduler.base import LRScheduler, require_optimizer, values_of, warn_of_epoch, write
from lazygrad.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rates by ``factor`` when a quantity has not improved for a while.

    Args:
        optimizer: see `LRScheduler`.
        mode: ``"min"`` if less is better, ``"max"`` if more is.
        factor: below 1.
        patience: how many steps without improvement are allowed.
        threshold: what counts as an improvement.
        threshold_mode: ``"rel"``: by that share of the best; ``"abs"``: by that much.
        cooldown: how many steps after a reduction are not counted.
        min_lr: the lowest rate, for all groups or for each.
        eps: smaller changes of a rate are not made.

    Raises:
        ValueError: a factor of 1 or more, an unknown mode, or a list of another length than there are groups.
        TypeError: ``optimizer`` is none.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        require_optimizer(optimizer)
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        self.default_min_lr: float | None
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != count:
                raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
            self.default_min_lr, self.min_lrs = None, list(min_lr)
        else:
            self.default_min_lr, self.min_lrs = min_lr, [min_lr] * count
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = values_of(optimizer, "lr")
        self._set_mode(mode, threshold, threshold_mode)
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Looks at the quantity once more.

        Args:
            metrics: its value; a tensor is read.
            epoch: deprecated: the number of this step.
        """
        current = float(metrics)
        if epoch is not None:
            warn_of_epoch()
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values_of(self.optimizer, "lr")

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param group "
                    "being added to the optimizer. Please modify the `min_lrs` field to match the length of the "
                    "`optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            rate = float(group["lr"])
            reduced = max(rate * self.factor, lowest)
            if rate - reduced > self.eps:
                write(group, "lr", reduced)

    @property
    def in_cooldown(self) -> bool:
        """Whether steps are not counted yet after a reduction."""
        return self.cooldown_counter > 0

    def _is_better(self, current: float, best: float) -> bool:
        sign = -1.0 if self.mode == "min" else 1.0
        limit = best * (1.0 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return current < limit if self.mode == "min" else current > limit

    def _set_mode(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in {"min", "max"}:
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of such a schedule returned."""
        super().load_state_dict(state_dict)
        self._set_mode(self.mode, self.threshold, self.threshold_mode)
