"""The library calls that have a CUDA form: each writes the launches and products that compute it."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import alignment as al
from lazygrad.ir.primitives import attention as at
from lazygrad.ir.primitives import contraction as ct
from lazygrad.ir.primitives import factorization as fa
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import pointwise as pw
from lazygrad.ir.primitives import recurrence as rc
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives import spectral as sp
from lazygrad.ir.primitives.float8 import cast_float8
from lazygrad.ir.primitives.random import philox
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.targets.cuda.dialect import NoCudaForm
from lazygrad.targets.cuda.library import (
    alignment,
    attention,
    conv,
    float8,
    indexing,
    linear_algebra,
    lines,
    matmul,
    moves,
    pointwise,
    pooling,
    random,
    recurrence,
    replacing,
)
from lazygrad.targets.cuda.writer import Writer

_CALLS: dict[Op, Callable[[Writer, Node], None]] = {
    ct.matmul: matmul.matmul,
    ix.concat: moves.concat,
    ix.update_view: moves.update_view,
    ix.read_view: moves.read_view,
    ix.roll: moves.roll,
    ix.iota: moves.iota,
    reinterpret: moves.reinterpret,
    cast_float8: float8.cast_float8,
    pw.pointwise: pointwise.pointwise,
    at.attend: attention.attend,
    at.attend_gradients: attention.attend_gradients,
    rc.recur: recurrence.recur,
    rc.recur_gradients: recurrence.recur_gradients,
    ct.conv: conv.conv,
    ct.conv_input_grad: conv.conv_input_grad,
    ct.conv_weight_grad: conv.conv_weight_grad,
    ct.pool_argmax: pooling.pool_argmax,
    ix.windows_adjoint: pooling.windows_adjoint,
    rd.argmax: lines.arg_extreme,
    rd.argmin: lines.arg_extreme,
    rd.argsort: lines.argsort,
    rd.cumsum: lines.scan,
    rd.cumprod: lines.scan,
    rd.logcumsumexp: lines.scan,
    rd.cummax_index: lines.cummax_index,
    philox: random.philox,
    **dict.fromkeys((sp.fft_c2c, sp.fft_r2c, sp.fft_c2r), linear_algebra.call),
    **dict.fromkeys((fa.triangular_solve, fa.matrix_exp, fa.eigvalsh), linear_algebra.call),
    fa.ldl_solve: linear_algebra.ldl_solve,
}

# Those that may refuse an operand; they are also given what waits for that, and call it before they write.
_CHECKED: dict[Op, Callable[[Writer, Node, Callable[[], None]], None]] = {
    al.ctc: alignment.ctc,
    al.ctc_gradients: alignment.ctc_gradients,
    ix.take: indexing.take,
    ix.put: replacing.put,
    ix.gather: indexing.gather,
    ix.scatter: replacing.scatter,
    **dict.fromkeys((fa.cholesky, fa.lu, fa.qr, fa.geqrf, fa.svd, fa.eigh, fa.eig), linear_algebra.factorize),
    **dict.fromkeys((fa.svdvals, fa.eigvals), linear_algebra.checked_call),
    fa.ldl: linear_algebra.ldl,
    fa.lstsq: linear_algebra.lstsq,
    fa.pivot_order: linear_algebra.pivot_order,
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
    if not serves(node.op):
        raise NoCudaForm(f"{node.op.name} has no CUDA form yet; compute it on the CPU (.cpu())")
    if node.op in _CHECKED:
        _CHECKED[node.op](writer, node, check)
    else:
        _CALLS[node.op](writer, node)


def serves(op: Op) -> bool:
    """Whether a call has a CUDA form."""
    return op in _CALLS or op in _CHECKED
