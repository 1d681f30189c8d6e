"""Where layers draw their random numbers."""

from __future__ import annotations

from lazygrad.ir.settings import Settings


class _Choice(Settings):
    """Whether layers of every device draw inside the graph."""

    inside_graphs = False


_choice = _Choice()


def draw_inside_graphs(mode: bool = True) -> None:
    """Let dropout, alpha dropout, rrelu and gumbel_softmax draw from Philox, inside the graph.

    By default they draw from the default generator when they are called, and give PyTorch's numbers on the CPU. Numbers
    drawn inside the graph are computed by all threads and take no memory; for one seed they are not PyTorch's. On
    devices other than the CPU they are always drawn inside the graph.
    """
    _choice.inside_graphs = bool(mode)


def draws_inside_graphs() -> bool:
    """Whether `draw_inside_graphs` is in force."""
    return _choice.inside_graphs
