"""Batching of factorizations and linear systems, which have batches of their own: the stack is one more dimension."""

from __future__ import annotations

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import define_batching
from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fa

# For ops whose inputs' batches broadcast: how many dimensions of each input are not batch.
_MATRIX_DIMENSIONS = {
    fa.triangular_solve: (2, 2),
    fa.ldl_solve: (2, 1, 2),
    la.solve: (2, 2),
    la.lu_solve: (2, 1, 2),
    la.cholesky_solve: (2, 2),
    la.reflected: (2, 1, 2),
    la.pinv: (2, 0, 0),
}


def _unchanged(call: Call) -> Node:
    return call.again(*call.inputs)


def _broadcast(call: Call) -> Node:
    own = _MATRIX_DIMENSIONS[call.node.op]
    batch = max(call.rank(position) - count for position, count in enumerate(own))
    return call.again(*[call.aligned(position, batch + count) for position, count in enumerate(own)])


def _stacked(call: Call) -> Node:
    return call.again(*call.all_stacked())


define_batching(_unchanged, (fa.cholesky, fa.lu, fa.ldl, fa.qr, fa.geqrf, fa.pivot_order, fa.matrix_exp))
define_batching(_unchanged, (fa.svd, fa.svdvals, fa.eigh, fa.eigvalsh, fa.eig, fa.eigvals))
define_batching(_unchanged, (la.det, la.det_sign, la.log_abs_det, la.cofactors))
define_batching(_broadcast, _MATRIX_DIMENSIONS)
define_batching(_stacked, (fa.lstsq, la.least_squares))
