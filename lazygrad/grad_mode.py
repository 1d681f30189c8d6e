"""Whether operations are recorded for differentiation, per thread."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

from lazygrad.ir.node import next_serial
from lazygrad.ir.settings import Settings

Function = TypeVar("Function", bound=Callable[..., Any])


class _Mode(Settings, threading.local):
    enabled = True
    inference = False
    spares_gradients = False  # gradients use recorded values that were written to later
    inference_began = 0  # nodes of a smaller serial were there before the outermost inference mode
    save_for_backward: Callable[[Any], None] | None = None  # told of every tracked node; for saved-tensor hooks


_mode = _Mode()


class _Inference:
    """What all threads know of inference modes, so that programs without them are not asked about their own.

    Attributes:
        entered: how many are entered at present.
        used: whether any ever was, so that there can be inference tensors.
    """

    __slots__ = ("entered", "lock", "used")

    def __init__(self) -> None:
        self.entered, self.used, self.lock = 0, False, threading.Lock()

    def enter(self) -> None:
        with self.lock:
            self.entered += 1
            self.used = True

    def leave(self) -> None:
        with self.lock:
            self.entered -= 1


inference = _Inference()


def is_grad_enabled() -> bool:
    """Whether results of operations on tensors that require gradients require them too."""
    return _mode.enabled


def is_inference_mode_enabled() -> bool:
    """Whether the code runs inside `inference_mode`."""
    return _mode.inference


class _SwitchesGrad:
    """A context manager and decorator that sets the mode and restores it."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._outer: list[bool] = []

    # Ctrl-C arrives between calls. It must not leave the mode set and forget what it was: the last thing on entering,
    # and the first on leaving, is a store into the thread's dictionary, which calls nothing.

    # Whoever asks what was set asks for this mode apart: it is switched too often to look at all settings again.

    def __enter__(self) -> None:
        values = _mode.__dict__
        self._outer.append(_mode.enabled)
        values["enabled"] = self._enabled

    def __exit__(self, *_: object) -> None:
        _mode.__dict__["enabled"] = self._outer[-1]
        self._outer.pop()

    def __call__(self, function: Function) -> Function:
        """``function`` running in this mode; of a generator, each of its steps does."""
        if inspect.isgeneratorfunction(function):
            return cast(Function, _switched_steps(self._again, function))

        @functools.wraps(function)
        def switched(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return cast(Function, switched)

    def _again(self) -> _SwitchesGrad:
        """The same mode to enter: calls can be nested, and come from several threads."""
        return _SwitchesGrad(self._enabled)


def _switched_steps(
    mode: Callable[[], _SwitchesGrad], function: Callable[..., Generator[Any, Any, Any]]
) -> Callable[..., Generator[Any, Any, Any]]:
    """A generator function that is in the mode while it computes, and out of it while its caller does."""

    @functools.wraps(function)
    def steps(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with mode():
            generator = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(next, generator)
        while True:
            try:
                with mode():
                    item = resume()
            except StopIteration as stop:
                return stop.value
            resume = yield from _handed_out(generator, item, mode)

    return steps


def _handed_out(
    generator: Generator[Any, Any, Any], item: Any, mode: Callable[[], _SwitchesGrad]
) -> Generator[Any, Any, Callable[[], Any]]:
    """Yield ``item``; returns what continues the generator with whatever the caller answered."""
    try:
        answer = yield item
    except GeneratorExit:
        with mode():
            generator.close()
        raise
    except BaseException as error:
        return functools.partial(generator.throw, error)
    return functools.partial(generator.send, answer)


class no_grad(_SwitchesGrad):
    """Operations inside do not record gradients: ``with no_grad():``, ``@no_grad()`` or ``@no_grad``."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(False)


class enable_grad(_SwitchesGrad):
    """Operations inside record gradients, also within ``no_grad``."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(True)


class set_grad_enabled(_SwitchesGrad):
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


class inference_mode(_SwitchesGrad):
    """Operations inside do not record gradients; with ``mode=False`` they do, whatever holds outside.

    The tensors made inside are inference tensors, as ``is_inference()`` says: outside, they cannot be written to,
    require gradients or be kept for a gradient. A ``clone()`` made outside is a normal tensor.
    """

    def __new__(cls, mode: Any = True) -> Any:
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)
        self._inference = bool(mode)
        self._outer_inference: list[bool] = []

    def __enter__(self) -> None:
        super().__enter__()
        self._outer_inference.append(_mode.inference)
        if self._inference:
            if not _mode.inference:
                _mode.inference_began = next_serial()
            inference.enter()
        _mode.inference = self._inference

    def __exit__(self, *_: object) -> None:
        _mode.inference = self._outer_inference.pop()
        if self._inference:
            inference.leave()
        super().__exit__()

    def _again(self) -> inference_mode:
        mode: inference_mode = inference_mode(self._inference)
        return mode


class set_multithreading_enabled:
    """Accepted as PyTorch does, at once or as a context manager; one thread records gradients, all compute them."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass
