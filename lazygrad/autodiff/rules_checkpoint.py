"""The pullback of a checkpoint: after its gradient has arrived, the value is computed once more.

Nothing would keep apart the two computations but the `after` nodes, through which the second one reads its inputs: they
stop common subexpressions from being shared with the first, and the scheduler from computing the second one early.
"""

from __future__ import annotations

from lazygrad.autodiff.registry import Cotangents, define_pullbacks
from lazygrad.autodiff.reverse import reverse_sweep_down_to
from lazygrad.autodiff.substitution import substituted
from lazygrad.ir.build import reshape
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import leaf
from lazygrad.ir.primitives.movement import slice_
from lazygrad.ir.shape import numel


def _checkpoint(g: Node, y: Node, value: Node, *inputs: Node) -> Cotangents:
    if not numel(g.shape):
        delayed = list(inputs)
    else:
        first = slice_(g, start=(0,) * g.rank, stop=(1,) * g.rank, step=(1,) * g.rank) if g.rank else g
        token = leaf.detach(reshape(first, ()))  # it says when, and no gradient flows to it
        delayed = [ew.after(token, source) if i < y["delayed"] else source for i, source in enumerate(inputs)]
    # Nothing is shared with the first computation, which no gradient is asked of: a value that it kept of its own would
    # have no history.
    (again,) = substituted([value], dict(zip(inputs, delayed, strict=True)), shares=False)
    # One input may be computed from another one: the sweep outside passes on what arrives at each.
    found = reverse_sweep_down_to(again, g, delayed)
    return (None, *[found.get(source) for source in delayed])


define_pullbacks({leaf.checkpoint: _checkpoint})
