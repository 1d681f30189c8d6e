"""`TorchFunctionMode`: a context in which an object sees all functions that are called, whatever their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from lazygrad.overrides import placing
from lazygrad.torch_function import asking


class TorchFunctionMode:
    """A context in which ``__torch_function__`` of this object answers all calls of functions and methods of tensors.

    A class derived from it defines ``__torch_function__(self, func, types, args=(), kwargs=None)``. What that calls
    itself is seen by the modes around this one. Modes of one thread do not see what other threads do, nor what a
    function of `lazygrad.compile` computes whose call is replayed.
    """

    _entered: ClassVar[int] = 0  # of all threads
    _leave_attributes: ClassVar[Callable[[], None] | None] = None

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        if TorchFunctionMode._entered == 0:
            placing.keep_in_place()
            TorchFunctionMode._leave_attributes = placing.attributes_ask()
        TorchFunctionMode._entered += 1
        asking.modes.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        asking.modes.pop()
        TorchFunctionMode._entered -= 1
        if TorchFunctionMode._entered == 0 and TorchFunctionMode._leave_attributes is not None:
            TorchFunctionMode._leave_attributes()
            TorchFunctionMode._leave_attributes = None

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        """A mode made of these arguments."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls what it sees, from which a class may inherit and answer some calls itself."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return func(*args, **(kwargs or {}))
