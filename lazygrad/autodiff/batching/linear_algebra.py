"""Batching of factorizations and solvers: matrices are their last axes, so a batch is one axis more in front."""

from __future__ import annotations

from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import BatchingRule, define_batching
from lazygrad.ir.build import reshape
from lazygrad.ir.composites import linear_algebra as la
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import factorization as fz
from lazygrad.ir.primitives.reinterpret import reinterpret


def _leading(*axes: int) -> BatchingRule:
    """A rule for a call that treats so many last axes of each input as one thing, and maps over those before."""

    def rule(call: Call) -> Node:
        lead = max(call.rank(i) - own for i, own in enumerate(axes))
        inputs = []
        for i, own in enumerate(axes):
            stack = call.stacked(i)
            missing = lead + own - call.rank(i)
            inputs.append(reshape(stack, (call.size, *[1] * missing, *stack.shape[1:])))
        return call.again(*inputs)

    return rule


define_batching(
    _leading(2),
    (fz.cholesky, fz.lu, fz.ldl, fz.qr, fz.geqrf, fz.svd, fz.eigh, fz.eig, fz.svdvals, fz.eigvalsh, fz.eigvals,
     fz.matrix_exp),
)  # fmt: skip
define_batching(_leading(2, 2), (fz.lstsq, fz.triangular_solve))
define_batching(_leading(2, 1, 2), (fz.ldl_solve,))
# The composites stay whole, so that their derivatives are their own formulas, not those of their parts.
define_batching(_leading(2), (la.det, la.det_sign, la.log_abs_det, la.cofactors))
define_batching(_leading(2, 2), (la.solve, la.cholesky_solve, la.least_squares))
define_batching(_leading(2, 1, 2), (la.lu_solve, la.reflected))
define_batching(_leading(2, 0, 0), (la.pinv,))
define_batching(_leading(1), (fz.pivot_order,))
define_batching(_leading(0), (reinterpret,))
