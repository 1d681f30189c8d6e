"""What differs between two programs."""

from __future__ import annotations

from lazygrad.inspect.stages.forms import Form
from lazygrad.ir.difference import Difference, difference
from lazygrad.ir.graph import Graph
from lazygrad.tensor import Tensor


def graph_diff(a: Tensor | Graph | Form, b: Tensor | Graph | Form) -> Difference:
    """How the program ``b`` differs from ``a``: lines that are gone, with a minus, and new ones, with a plus.

    Nodes are matched by what they compute, in order; each keeps its number in ``a``. The places in the program, behind
    ``#``, make no difference. ``x.graph().passes()`` steps through the passes, with the same text for each.

    Args:
        a, b: graphs; of a tensor, what was recorded to compute it; or the recorded, differentiated or primitive form
            of `stages`.

    Returns:
        A text; empty where nothing differs.

    Raises:
        TypeError: it is none of these.
    """
    return difference(_graph_of(a), _graph_of(b))


def _graph_of(what: Tensor | Graph | Form) -> Graph:
    if isinstance(what, Tensor):
        return what.graph()
    graph = what.value if isinstance(what, Form) else what
    if not isinstance(graph, Graph):
        raise TypeError(f"graph_diff: expected tensors, graphs or forms that are graphs, not {what!r}")
    return graph
