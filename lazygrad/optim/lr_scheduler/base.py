"""What all schedules share: counting steps, and writing rates into an optimizer's groups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from lazygrad.ir.user_warning import warn_user
from lazygrad.optim._options import as_number
from lazygrad.optim.optimizer import Optimizer
from lazygrad.tensor import Tensor

Rate: TypeAlias = float | Tensor

_ORDER = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_EPOCH_IS_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. With an epoch, the closed form is used where there is one."
)


class LRScheduler:
    """Base class of schedules. A subclass defines `get_lr`.

    Args:
        optimizer: whose groups' ``"lr"`` is written. What a group has at first is kept as its ``"initial_lr"``.
        last_epoch: the number of the last step when a schedule is resumed; -1 for a new one.

    Attributes:
        base_lrs: the groups' ``"initial_lr"``.
        last_epoch: the number of steps made.

    Raises:
        TypeError: ``optimizer`` is none.
        KeyError: a schedule is resumed, and a group has no ``"initial_lr"``.
    """

    # Attributes have PyTorch's names, because they are the keys of state dictionaries.
    optimizer: Optimizer
    base_lrs: list[Rate]
    last_epoch: int
    _last_lr: list[Rate]
    _step_count: int
    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state first, or begin with last_epoch=-1"
                )
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        """The step that writes the first rates."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> list[Rate]:
        """The rates after ``last_epoch`` steps, from those in the groups; called by `step` only."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Rate]:
        """The rates that the last step wrote, one per group."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` of such a schedule returned."""
        self.__dict__.update(state_dict)

    def step(self, epoch: int | None = None) -> None:
        """Writes the next rates. Called after ``optimizer.step()``.

        Args:
            epoch: deprecated: the number of this step.
        """
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch()
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if "step" in vars(self.optimizer):
            warn_user(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
                + _ORDER,
            )
        elif not self.optimizer._opt_called:
            warn_user(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. The opposite order is right: "
                "otherwise the first value of the learning rate schedule is skipped. See more details at " + _ORDER,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._computing():
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed_form = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            rates = self.get_lr() if closed_form is None else closed_form()
        self._write(rates)

    def _write(self, rates: list[Rate]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            write(group, "lr", rate)
        self._last_lr = values_of(self.optimizer, "lr")

    @contextmanager
    def _computing(self) -> Iterator[None]:
        """While this lasts, `get_lr` does not warn."""
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    # What subclasses compute rates with.

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warn_user(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
            )

    def _unchanged(self) -> list[Rate]:
        return values_of(self.optimizer, "lr")

    def _scaled(self, factor: float) -> list[Rate]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


def values_of(optimizer: Optimizer, name: str) -> list[Any]:
    """An option of each group; tensors are copied, since they are written in place."""
    return [_copied(group[name]) for group in optimizer.param_groups]


def write(group: dict[str, Any], name: str, value: Rate) -> None:
    """Sets an option; one that is a tensor stays that tensor."""
    if isinstance(group[name], Tensor):
        group[name].fill_(as_number(value))
    else:
        group[name] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A list with a value for each group, from such a list or from one value for all.

    Raises:
        ValueError: a list of another length.
    """
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [_copied(value) for _ in range(count)]
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {count}."
        )
    return [_copied(each) for each in value]


def require_optimizer(optimizer: object) -> None:
    """Raises TypeError if this is no optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def warn_of_epoch() -> None:
    """Warns the caller of the caller that ``epoch`` is deprecated."""
    warn_user(_EPOCH_IS_DEPRECATED)


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value
