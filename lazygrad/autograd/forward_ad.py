"""Dual tensors: a tensor and the direction in which it varies, for derivatives in forward mode.

The tangent of a result is worked out when `unpack_dual` asks for it, from what was recorded.
"""

from __future__ import annotations

import threading
from math import inf
from types import TracebackType
from typing import NamedTuple

from lazygrad.autograd.application import Pushed
from lazygrad.autograd.jvp import tangents_of
from lazygrad.autograd_meta import is_tracked, mark_tracked, track
from lazygrad.ir.node import Node, make_node, next_serial
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import straight_through
from lazygrad.runtime.recording import keep_history_from
from lazygrad.tensor import Tensor


class _Level:
    """The open level: the dual tensors made in it, and the primals taken out of it.

    Attributes:
        tangents: of each dual tensor, and of each that was unpacked.
        primals: nodes that do not vary although they depend on such.
        unpacked: the tensors handed out, or given, as tangents of nodes.
        pushed: what each custom function's ``jvp`` returned, which runs once.
    """

    def __init__(self) -> None:
        self.tangents: dict[Node, Node] = {}
        self.primals: set[Node] = set()
        self.unpacked: dict[Node, Tensor] = {}
        self.pushed: Pushed = {}

    def tangent_of(self, node: Node) -> Tensor | None:
        """The same tensor each time, as long as nobody has written to it."""
        known = self.unpacked.get(node)
        if known is not None and known.node() is self.tangents[node]:
            return known
        first_new = next_serial()
        (tangent,) = tangents_of([node], self.tangents, self.primals, self.pushed)
        if tangent is None:
            return None
        mark_tracked([tangent], first_new)
        self.tangents[node] = tangent
        self.unpacked[node] = made = Tensor.from_node(tangent)
        return made


class _State(threading.local):
    level: _Level | None = None


_state = _State()


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns; ``tangent`` is None for a tensor that does not vary."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Open the level in which dual tensors live; there is one, of number 0.

    Raises:
        RuntimeError: it is open already.
    """
    if _state.level is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _state.level = _Level()
    keep_history_from(next_serial())
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level and forget all tangents.

    Raises:
        RuntimeError: no level is open, or not this one.
    """
    if _state.level is None or level not in (None, 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created.")
    _state.level = None
    keep_history_from(inf)


class dual_level:
    """Within this context dual tensors can be made; their tangents are forgotten at its end."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor with the value of ``tensor`` that varies in the direction ``tangent``.

    Raises:
        RuntimeError: no level is open; shapes or dtypes differ.
        ValueError: not a floating or complex dtype.
    """
    if _state.level is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for what, item in (("primal", tensor), ("tangent", tangent)):
        if not item.dtype.differentiable:
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {item.dtype}")
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    node, level_now = _same_value(tensor.node()), _state.level
    kept = tangent.to(tensor.dtype)
    level_now.tangents[node] = kept.node()
    if tangent.stride() == tensor.stride():
        level_now.unpacked[node] = kept
    return Tensor.from_node(node)


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value of a tensor without its tangent, and its tangent, or None if it has none."""
    if _state.level is None:
        return UnpackedDualTensor(tensor, None)
    tangent = _state.level.tangent_of(tensor.node())
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    primal = _same_value(tensor.node())
    _state.level.primals.add(primal)
    return UnpackedDualTensor(Tensor.from_node(primal), tangent)


def _same_value(source: Node) -> Node:
    node = make_node(straight_through, (source, source), (), capture())
    track(node, is_tracked(source))
    return node
