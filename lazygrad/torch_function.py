"""``__torch_function__``: classes that see the functions they are given to, and what a thread says about asking them.

Tensors of a class derived from `Tensor` are asked before a function runs (`lazygrad.overrides` puts what asks into
place when a program makes the first such tensor). What tensors of all classes need to know of it stands here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from lazygrad.tensor_base import TensorBase, kinds, new_tensor


class Asking(threading.local):
    """Whom this thread asks.

    Attributes:
        modes: the `TorchFunctionMode` objects that are entered, the innermost last.
        asks_classes: whether the classes of arguments are asked.
        asks_modes: whether the modes are.
    """

    def __init__(self) -> None:
        self.modes: list[Any] = []
        self.asks_classes = True
        self.asks_modes = True


asking = Asking()


def left_alone(
    func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """What a class has for ``__torch_function__`` that leaves functions as they are."""
    return func(*args, **(kwargs or {}))


def has_override(cls: type[Any]) -> bool:
    """Whether a class is to be asked for what functions do with its objects."""
    return cls is not kinds.plain and getattr(cls, "__torch_function__", left_alone) is not left_alone


class DisableTorchFunctionSubclass:
    """A context in which the classes of arguments are not asked; modes are."""

    _asks_modes: bool | None = None

    def __enter__(self) -> None:
        self._before = asking.asks_classes, asking.asks_modes
        asking.asks_classes = False
        if self._asks_modes is not None:
            asking.asks_modes = self._asks_modes

    def __exit__(self, *_: object) -> None:
        asking.asks_classes, asking.asks_modes = self._before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A context in which neither the classes of arguments nor modes are asked."""

    _asks_modes = False


def of_subclass(
    cls: type[Any],
    func: Callable[..., Any],
    types: Iterable[type[Any]],
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """What ``Tensor.__torch_function__`` does: runs the function, and makes tensors in its result ones of ``cls``.

    Returns:
        NotImplemented where an argument is of a class that ``cls`` is not derived from.
    """
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
    return result if _keeps_class(func) else _converted(result, cls)


def _keeps_class(func: Callable[..., Any]) -> bool:
    """Whether what a function gives is an object that a program put there, and stays what it is."""
    owner = getattr(func, "__self__", None)
    return getattr(func, "__name__", "") == "__get__" and getattr(owner, "__name__", "") in ("grad", "_base", "_grad")


def _converted(result: Any, cls: type[Any]) -> Any:
    if cls is kinds.plain:
        return result
    if isinstance(result, TensorBase):
        return result if isinstance(result, cls) else alias_of_class(result, cls)
    if isinstance(result, (tuple, list)):
        parts = [_converted(part, cls) for part in result]
        return type(result)._make(parts) if hasattr(result, "_make") else type(result)(parts)
    return result


def alias_of_class(tensor: TensorBase, cls: type[Any]) -> Any:
    """A ``cls`` that names the same elements, through which gradients flow."""
    made = new_tensor(cls, tensor._storage, tensor._chain, tensor._base, tensor._detached)
    made._view, made._node, made._node_version = tensor._view, tensor._node, tensor._node_version
    made._origin, made._unseen = tensor._origin, tensor._unseen
    return made
