"""Stepping through the passes: what each did to a program, with the rules that it applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lazygrad.ir.difference import Difference, difference
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.watching import watching
from lazygrad.passes.pipeline import PASSES


@dataclass(frozen=True, slots=True)
class PassStep:
    """One pass over a program; prints as the difference that it made.

    Attributes:
        name: of the pass.
        before, after: the program; one object where the pass found nothing to do.
        rules: how often it applied each rule.
        same: what stands in ``after`` for nodes of ``before``.
    """

    name: str
    before: Graph
    after: Graph
    rules: Mapping[str, int]
    same: Mapping[Node, Node]

    @property
    def diff(self) -> Difference:
        """The lines that are gone and those that are new; see `lazygrad.graph_diff`."""
        return difference(self.before, self.after, self.same)

    def __str__(self) -> str:
        rules = ", ".join([f"{rule} ×{count}" for rule, count in self.rules.items()])
        counts = f"{len(self.before)} → {len(self.after)} nodes"
        return "\n".join([f"{self.name}: {counts}{'; ' if rules else ''}{rules}", *([self.diff] if self.diff else [])])

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.before)} → {len(self.after)} nodes; print it>"


class RecordedGraph(Graph):
    """What was recorded to compute a tensor."""

    __slots__ = ()

    def passes(self) -> Iterator[PassStep]:
        """The passes one by one, from this graph to primitives; nothing is computed. `print` shows what each did."""
        return stepped(self)


def stepped(graph: Graph) -> Iterator[PassStep]:
    """Take ``graph`` through every pass, and stop after each."""
    for graph_pass in PASSES:
        noted = _Noted()
        with watching(noted):
            after = graph_pass(graph)
        yield PassStep(graph_pass.__name__, graph, after, dict(noted.rules.most_common()), noted.same)
        graph = after


class _Noted:
    def __init__(self) -> None:
        self.rules: Counter[str] = Counter()
        self.same: dict[Node, Node] = {}

    def on_rule(self, rule: str) -> None:
        self.rules[rule] += 1

    def on_replaced(self, mapping: Mapping[Node, Node]) -> None:
        self.same.update(mapping)
