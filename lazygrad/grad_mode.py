"""Whether operations are recorded for differentiation, per thread."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])


class _Mode(threading.local):
    enabled = True


_mode = _Mode()


def is_grad_enabled() -> bool:
    """Whether results of operations on tensors that require gradients require them too."""
    return _mode.enabled


class _SwitchesGrad:
    """A context manager and decorator that sets the mode and restores it."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._outer: list[bool] = []

    def __enter__(self) -> None:
        self._outer.append(_mode.enabled)
        _mode.enabled = self._enabled

    def __exit__(self, *_: object) -> None:
        _mode.enabled = self._outer.pop()

    def __call__(self, function: Function) -> Function:
        @functools.wraps(function)
        def switched(*args: Any, **kwargs: Any) -> Any:
            with type(self)._again(self):
                return function(*args, **kwargs)

        return switched  # type: ignore[return-value]

    def _again(self) -> _SwitchesGrad:
        return _SwitchesGrad(self._enabled)


class no_grad(_SwitchesGrad):  # noqa: N801 - PyTorch's name
    """Operations inside do not record gradients: ``with no_grad():`` or ``@no_grad()``."""

    @overload
    def __new__(cls, function: Function) -> Function: ...
    @overload
    def __new__(cls, function: None = None) -> no_grad: ...
    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(False)


class enable_grad(_SwitchesGrad):  # noqa: N801 - PyTorch's name
    """Operations inside record gradients, also within ``no_grad``."""

    def __new__(cls, function: Any = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(True)


class set_grad_enabled(_SwitchesGrad):  # noqa: N801 - PyTorch's name
    """Switch gradients on or off at once; as a context manager, until its end."""

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        self._outer = [_mode.enabled]
        _mode.enabled = bool(mode)
        self._entered = False

    def __enter__(self) -> None:
        if self._entered:
            self._outer.append(_mode.enabled)
        self._entered = True
        _mode.enabled = self._enabled

    def __call__(self, function: Function) -> Function:
        _mode.enabled = self._outer.pop()  # as a decorator it changes nothing until the function runs
        return super().__call__(function)
