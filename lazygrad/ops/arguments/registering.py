"""Turns functions into Tensor methods, so that each operation is written once.

    @method(inplace=True)
    def exp(input: Tensor) -> Tensor: ...

makes ``exp(x)``, ``x.exp()`` and ``x.exp_()``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from lazygrad.autograd_meta import is_tracked
from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.dtype import DType, float32, float64
from lazygrad.ir.node import Node, next_serial
from lazygrad.ir.primitives import movement
from lazygrad.ir.primitives.leaf import canonical
from lazygrad.ir.view import View
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere
from lazygrad.ops.arguments.in_memory import update_called
from lazygrad.ops.arguments.operands import cast_node, in_range, is_scalar
from lazygrad.runtime.realize import realize_if_small
from lazygrad.tensor import Tensor, check_castable
from lazygrad.tensor_base import record_node
from lazygrad.versions import let_go

Function = TypeVar("Function", bound=Callable[..., Any])


def method(
    *names: str, inplace: bool = False, directly: Callable[..., bool] | None = None
) -> Callable[[Function], Function]:
    """Attach a function to `Tensor` under its own name and ``names``; the first parameter becomes ``self``.

    A function with a private name gets only ``names``.

    Args:
        names: further method names, such as ``__add__``.
        inplace: also make the variant with a trailing underscore, which writes the result into its first argument.
        directly: takes that variant's arguments, and says whether it could do its work in memory at once.
    """

    def attach(function: Function) -> Function:
        plain = function.__name__
        private = plain.startswith("_") and not plain.startswith("__")
        attached = names if private else (plain, *names)
        for name in attached:
            setattr(Tensor, name, function)
        if inplace:
            for name in attached:
                variant = _inplace_name(name)
                if variant:
                    setattr(Tensor, variant, inplace_variant(function, variant, directly))
        return function

    return attach


_AUGMENTED = frozenset("add sub mul truediv floordiv mod pow and or xor lshift rshift".split())


def _inplace_name(name: str) -> str:
    """``add`` → ``add_``, ``__add__`` → ``__iadd__``; empty for operators Python has no in-place form of."""
    if not name.startswith("__"):
        return f"{name}_"
    return f"__i{name[2:]}" if name.strip("_") in _AUGMENTED else ""


def inplace_variant(
    function: Callable[..., Tensor], name: str, directly: Callable[..., bool] | None = None
) -> Callable[..., Tensor]:
    """``function`` writing its result into its first argument, under PyTorch's rules for in-place results."""
    directly = directly or update_called(name)

    @functools.wraps(function)
    def variant(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        try:
            if directly is not None and directly(self, *args, **kwargs):
                return self
            since = next_serial()
            return write(self, function(self, *args, **kwargs), name, since)
        except FAILED:
            return answered_elsewhere(getattr(Tensor, name, function), (self, *args), kwargs)

    variant.__name__ = variant.__qualname__ = name
    variant.__doc__ = f"In-place version of `{function.__name__}`."
    return variant


def write(target: Tensor, result: Tensor, name: str, since: int | None = None) -> Tensor:
    """Store ``result`` into ``target``.

    Args:
        target: what is written to.
        result: the new elements.
        name: of the function that writes, for errors.
        since: a serial above those of all nodes made before the function ran, and not above those that it recorded.

    Raises:
        RuntimeError: the result's dtype is of a higher category, its shape differs, or `Tensor.assign` refuses.
    """
    check_castable(result.dtype, target.dtype, name)
    if result._sizes() != target._sizes():
        raise RuntimeError(
            f"{name}: output with shape {list(target.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    if target._chain and may_be_written_directly(target) and written_directly(target, target.view_of_storage(), result):
        return target
    node = result._storage.value
    if since is not None and node.serial >= since:
        let_go(node)  # the function made it for this write: it becomes the contents of one storage only
    return target.assign(cast_node(result.node(), target.dtype), name, since)


def may_be_written_directly(target: Tensor) -> bool:
    """Whether it is worth asking `written_directly`. What a view names a part of is computed if that is little work."""
    storage = target._storage
    if storage.value.value is None and target._chain:
        realize_if_small(storage.value)
    if storage.value.value is None:
        return False
    if not is_tracked(storage.value):
        return True
    return storage.leaf is not None and (bool(target._detached) or not is_grad_enabled())


def written_directly(target: Tensor, view: View, value: Tensor) -> bool:
    """Whether ``value`` could be put into the memory of some elements of ``target`` at once.

    Args:
        target: what is written to, for which `may_be_written_directly` holds.
        view: of its storage: all its elements or some of them.
        value: computed, or computed with next to no work; of its dtype, or a real number where it has floats.
    """
    if value._sizes() not in (view.shape, ()):
        return False
    dtype, wanted = value.dtype, target.dtype
    if dtype is not wanted and not _becomes(dtype, wanted):
        return False
    realize_if_small(value._storage.value)
    without_gradient = target._unseen or not is_grad_enabled()
    return value.holds_plain_memory(without_gradient) and target.write_directly(view, value)


def number_written_directly(target: Tensor, view: View, value: Any) -> bool:
    """`written_directly` of a Python number; False for anything else.

    Raises:
        RuntimeError, OverflowError: see `in_range`.
    """
    dtype = target.dtype
    if not is_scalar(value) or dtype.is_half or dtype.is_float8:
        return False
    return target.write_directly(view, canonical(in_range(value, dtype), dtype))


def _becomes(dtype: DType, wanted: DType) -> bool:
    """Whether numpy writes the floats that a `cast` makes on every target: real numbers, rounded to 32 or 64 bits."""
    return wanted in (float32, float64) and not (dtype.is_storage or dtype.is_complex or dtype.is_half)


def start_of_call(result: Node, old: Node) -> int:
    """The least serial of the nodes that the user's call which made ``result`` from ``old`` recorded."""
    origin = result.origin
    seen, pending = {result}, [result]
    while pending and origin is not None:
        for source in pending.pop().inputs:
            place = source.origin
            if source is not old and source not in seen and place is not None and place.same_place(origin):
                seen.add(source)
                pending.append(source)
    return min([node.serial for node in seen])


def broadcast_node(node: Node, shape: tuple[int, ...]) -> Node:
    """``node`` expanded to ``shape`` where it is not already.

    Raises:
        RuntimeError: the shapes do not broadcast.
    """
    return node if node.type.shape == shape else record_node(movement.expand, (node,), (shape,))
