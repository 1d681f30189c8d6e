"""Asking why: fusion decisions and cache misses."""

from __future__ import annotations

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives.gradient import grad
from lazygrad.passes.fuse import FusedGraph, FusionDecision
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.runtime.dynamic.families import families
from lazygrad.runtime.realize import cache, new_plan
from lazygrad.runtime.recording import Recording
from lazygrad.tensor import Tensor


class FusionExplanation:
    """What fusion decided between two tensors of one program.

    Attributes:
        same_kernel: whether one kernel computes both.
        decisions: the decisions made between nodes of the two, in order.
    """

    def __init__(self, same_kernel: bool, decisions: list[FusionDecision], summary: str) -> None:
        self.same_kernel, self.decisions, self._summary = same_kernel, decisions, summary

    def __str__(self) -> str:
        reasons = [f"  {decision}" for decision in self.decisions] or ["  no value passes directly between the two"]
        return "\n".join([self._summary, *reasons])

    __repr__ = __str__


def explain_fusion(a: Tensor, b: Tensor) -> FusionExplanation:
    """Why the operations that made two pending tensors do or do not share a kernel.

    The program asked about is the one that computes both. A tensor recorded as a compound operation stands for all
    primitives it was spelled out into, a gradient for the primitive that computes it.

    Raises:
        RuntimeError: a tensor is realized already, so no kernel computes it.
    """
    nodes = [a.node(), b.node()]
    if any(node.value is not None for node in nodes):
        raise RuntimeError("explain_fusion: both tensors must be pending; ask before they are realized")
    recording = Recording(nodes)
    plan = new_plan(recording)
    fused = plan.stages.fused
    assert fused is not None
    results = dict(zip(recording.stored, plan.stages.primitive.roots, strict=True))
    operations = [_without_aliases(node) for node in nodes]
    first, second = (
        _made_by(fused, plan.stages.primitive, operation) or {_computed(fused, results[node])}
        for operation, node in zip(operations, nodes, strict=True)
    )
    shared = any(fused.group_of.get(a) is group for b in second if (group := fused.group_of.get(b)) for a in first)
    between = [d for d in fused.decisions if (d.a in first and d.b in second) or (d.a in second and d.b in first)]
    between += _read_by_calls(fused, first, second) + _read_by_calls(fused, second, first)
    verdict = "share a kernel" if shared else "do not share a kernel"
    names = [
        operation.op.name if operation.op is grad else node.op.name
        for operation, node in zip(operations, nodes, strict=True)
    ]
    return FusionExplanation(shared, between, f"{names[0]} and {names[1]} {verdict}")


def _read_by_calls(fused: FusedGraph, values: set[Node], readers: set[Node]) -> list[FusionDecision]:
    """Why library calls do not join what they read: fusion does not ask about these edges."""
    return [
        FusionDecision(value, node, False, f"{node.op.name} is a library call", bytes_of(value))
        for node in fused.graph.nodes
        if node in readers and node in fused.group_of and fused.group_of[node].is_library
        for value in dict.fromkeys([_computed(fused, source) for source in node.inputs])
        if value in values and value in fused.group_of
    ]


def _computed(fused: FusedGraph, node: Node) -> Node:
    """What a view looks at."""
    while node not in fused.group_of and node.inputs:
        node = node.inputs[0]
    return node


def _without_aliases(node: Node) -> Node:
    while node.op.is_alias:
        node = node.inputs[0]
    return node


def _made_by(fused: FusedGraph, primitive: Graph, node: Node) -> set[Node]:
    """The computed primitives that come from a recorded node: itself, or what it was spelled out into."""
    origin = node.origin
    if origin is None:
        return set()
    return {other for other in primitive.nodes if other in fused.group_of and _comes_from(other, node.op.name, origin)}


def _comes_from(node: Node, name: str, origin: Origin) -> bool:
    if node.origin is None or not node.origin.same_place(origin):
        return False
    return node.origin.label == name if node.origin.label else node.op.name == name


def explain_cache_miss() -> str:
    """Why the last program that had no plan had none: how it differs from an earlier one, and what would avoid it."""
    text, why_not = cache.last_misses.explain(), families.why_not if cache.last_misses.last_is_marked else ""
    return f"{text}\nother sizes were expected, but no plan serves it: {why_not}" if why_not else text
