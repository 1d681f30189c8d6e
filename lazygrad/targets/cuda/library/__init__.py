"""The library calls that have a CUDA form: each writes the launches and products that compute it."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.targets.cuda.dialect import NoCudaForm
from lazygrad.targets.cuda.library import matmul, moves
from lazygrad.targets.cuda.writer import Writer

_CALLS: dict[Op, Callable[[Writer, Node], None]] = {
    ct.matmul: matmul.matmul,
    ix.concat: moves.concat,
    ix.update_view: moves.update_view,
    ix.read_view: moves.read_view,
    ix.roll: moves.roll,
    ix.iota: moves.iota,
    reinterpret: moves.reinterpret,
}


def write_call(writer: Writer, node: Node, check: Callable[[], None]) -> None:
    """Write the steps of a library call.

    Args:
        writer: of the plan.
        node: the call.
        check: waits for what may refuse; a call that may does so before it writes.

    Raises:
        NoCudaForm: it has none.
    """
    call = _CALLS.get(node.op)
    if call is None:
        raise NoCudaForm(f"{node.op.name} has no CUDA form yet; compute it on the CPU (.cpu())")
    call(writer, node)


def serves(op: Op) -> bool:
    """Whether a call has a CUDA form."""
    return op in _CALLS
