"""Schedules made of schedules: one after another, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from lazygrad.optim.lr_scheduler.base import LRScheduler, values_of, write
from lazygrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from lazygrad.optim.optimizer import Optimizer


class _ComposedSchedule(LRScheduler):
    """A schedule whose state is that of its parts."""

    _schedulers: Sequence[LRScheduler]

    def _check_parts(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
        name = type(self).__name__
        for number, part in enumerate(schedulers):
            if not hasattr(part, "optimizer"):
                raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
            if isinstance(part, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {number} in the given schedulers sequence."
                )
            if part.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(part).__name__} at index {number} has {part.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer, with the state dictionaries of the parts."""
        return {**super().state_dict(), "_schedulers": [part.state_dict() for part in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of such a schedule returned, and gives the parts theirs."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for part, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            part.load_state_dict(state)


class SequentialLR(_ComposedSchedule):
    """One schedule after another.

    Args:
        optimizer: whose groups all schedules write to.
        schedulers: the schedules, in order.
        milestones: at which step each but the first begins.
        last_epoch: see `LRScheduler`.

    Raises:
        ValueError: no schedules, those of other optimizers, `ReduceLROnPlateau`, or another number of milestones.
        TypeError: something else than schedules.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_parts(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            write(group, "lr", group["initial_lr"])
        self.recursive_undo()  # each part has made a first step when it was created
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Takes one step of each schedule's counter back, also inside composed ones."""
        schedule = self if sched is None else sched
        if hasattr(schedule, "_schedulers"):
            for part in schedule._schedulers:
                self.recursive_undo(part)
        elif hasattr(schedule, "last_epoch"):
            schedule.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """A step of the schedule whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_ComposedSchedule):
    """All schedules at once: each changes the rates that the one before it has written.

    Args:
        schedulers: the schedules, in order.
        optimizer: whose groups they write to; the first one's when left out.

    Raises:
        ValueError: no schedules, those of different optimizers, or `ReduceLROnPlateau`.
        TypeError: something else than schedules.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check_parts(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = values_of(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """A step of each schedule."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values_of(self.optimizer, "lr")
