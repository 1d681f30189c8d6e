"""What differs between two programs."""

from __future__ import annotations

from lazygrad.ir.difference import Difference, difference
from lazygrad.ir.graph import Graph
from lazygrad.tensor import Tensor


def graph_diff(a: Tensor | Graph, b: Tensor | Graph) -> Difference:
    """How the program ``b`` differs from ``a``: lines that are gone, with a minus, and new ones, with a plus.

    Nodes are matched by what they compute, in order; each keeps its number in ``a``. ``x.graph().passes()`` steps
    through the passes, with the same text for each.

    Args:
        a, b: graphs; of a tensor, what was recorded to compute it.
    """
    before, after = (each.graph() if isinstance(each, Tensor) else each for each in (a, b))
    return difference(before, after)
