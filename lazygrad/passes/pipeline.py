"""The one ordered list of passes, from the recorded graph to the schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lazygrad.ir.graph import Graph
from lazygrad.ir.op import Kind
from lazygrad.passes.cse import cse
from lazygrad.passes.dce import dce
from lazygrad.passes.decompose import decompose
from lazygrad.passes.differentiate import differentiate
from lazygrad.passes.fuse import FusedGraph, fuse
from lazygrad.passes.fusion_cost import DEFAULT_LIMITS, FusionLimits
from lazygrad.passes.merge_products import merge_products
from lazygrad.passes.merge_sums import merge_sums
from lazygrad.passes.pick_early import pick_early
from lazygrad.passes.recognize_attention import recognize_attention
from lazygrad.passes.reuse import reuse_realized
from lazygrad.passes.schedule import Schedule, schedule
from lazygrad.passes.simplify import simplify
from lazygrad.passes.views import materialize_views

GraphPass = Callable[[Graph], Graph]

PRIMITIVE_KINDS = frozenset({Kind.LEAF, Kind.ELEMENTWISE, Kind.MOVEMENT, Kind.PADDING, Kind.REDUCTION, Kind.LIBRARY})

PASSES: tuple[GraphPass, ...] = (
    recognize_attention,  # softmax(q · kᵀ) · v becomes one call, whose gradient is one call
    differentiate,  # grad nodes become the operations that compute them
    reuse_realized,  # what an earlier run computed is read, not computed again
    decompose,  # composites become primitives; detach and friends disappear
    cse,  # forward pieces that the backward repeats are shared before algebra looks at use counts
    simplify,  # algebra, constants, casts, movements
    pick_early,  # what a gather picks few elements of is computed for those alone
    merge_sums,  # the gradients of slices, and of a weight used many times, become one op
    merge_products,  # what a weight used step after step can do once
    cse,
    dce,
    materialize_views,  # every movement chain becomes a strided view of something stored
)

Observer = Callable[[str, Graph], None]
_observers: list[Observer] = []


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Within this context ``observer(pass name, graph)`` sees the graph after every pass (tests verify it there)."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def _show(name: str, graph: Graph) -> None:
    for observer in _observers:
        observer(name, graph)


@dataclass(slots=True)
class Stages:
    """A program in its graph forms: recorded, after each pass, fused, scheduled."""

    recorded: Graph
    after: list[tuple[str, Graph]] = field(default_factory=list)
    fused: FusedGraph | None = None
    schedule: Schedule | None = None

    @property
    def differentiated(self) -> Graph:
        return dict(self.after)[differentiate.__name__]

    @property
    def primitive(self) -> Graph:
        return self.after[-1][1]

    def forget_between(self) -> None:
        """Keep the differentiated and the primitive form: nobody looks at the others, the most of a plan's memory."""
        self.after = [(differentiate.__name__, self.differentiated), self.after[-1]]


def run_passes(recorded: Graph, fusion: bool = True, limits: FusionLimits = DEFAULT_LIMITS) -> Stages:
    """Take ``recorded`` through every pass.

    Args:
        recorded: buffers and scalars carry their slot numbers.
        fusion: False gives every op its own kernel, for comparison.
        limits: how large kernels may become.
    """
    stages = Stages(recorded)
    graph = recorded
    _show("recorded", graph)
    for graph_pass in PASSES:
        graph = graph_pass(graph)
        stages.after.append((graph_pass.__name__, graph))
        _show(graph_pass.__name__, graph)
    stages.fused = fuse(graph, fusion, limits)
    stages.schedule = schedule(stages.fused)
    return stages
