"""Fusion: partitions a primitive graph into groups, one kernel or library call each, with a written reason per edge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lazygrad.ir.graph import Graph
from lazygrad.ir.network import GROUP, AsNetwork
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.view import View
from lazygrad.passes.fusion_cost import DEFAULT_LIMITS, FusionLimits, bytes_of, refusal
from lazygrad.passes.fusion_legality import Domain, Span, domain_of, reads_in_place, span_of, spans_stay, unify
from lazygrad.passes.reachability import Reachability
from lazygrad.passes.views import view_of

if TYPE_CHECKING:
    import networkx

_MAX_SIBLINGS = 4


class FusionDecision(NamedTuple):
    """Why two nodes do or do not share a kernel.

    Attributes:
        a, b: the producer (or sibling) and the node that could join it.
        fused: what was decided.
        reason: in words.
        bytes_saved: memory traffic the merge avoids, in bytes.
    """

    a: Node
    b: Node
    fused: bool
    reason: str
    bytes_saved: int

    def __str__(self) -> str:
        verdict = "fused" if self.fused else "not fused"
        return f"{self.a.op.name} and {self.b.op.name}: {verdict}: {self.reason} ({self.bytes_saved:,} bytes)"


@dataclass(eq=False, slots=True)
class Group:
    """Nodes computed by one kernel, or one library call (then ``domain`` is None).

    Attributes:
        nodes: members in topological order.
        domain: the iteration domain of a kernel.
        reads: stored values it reads from other groups or leaves.
        needs_whole_row: a full value depends on a row value, so a block must hold whole rows.
        final: no member reads a value that is not full, so its reductions may become column reductions.
    """

    nodes: list[Node]
    domain: Domain | None
    reads: set[Node] = field(default_factory=set)
    needs_whole_row: bool = False
    final: bool = True

    @property
    def is_library(self) -> bool:
        return self.domain is None


class FusedGraph(AsNetwork):
    """The third form: a primitive graph, its groups, and the decisions that made them.

    Attributes:
        graph: the primitive graph (movement nodes stay as views between the groups).
        groups: in an order where producers come first.
        group_of: the group that computes a node.
        decisions: every edge that was considered.
    """

    def __init__(self, graph: Graph, groups: list[Group], decisions: list[FusionDecision]) -> None:
        self.graph, self.groups, self.decisions = graph, groups, decisions
        self.group_of = {node: group for group in groups for node in group.nodes}

    def explain(self, a: Node, b: Node) -> list[FusionDecision]:
        """The decisions about two nodes, in either order."""
        return [d for d in self.decisions if {d.a, d.b} == {a, b}]

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The primitive graph; ``group`` numbers the group that computes a vertex, if one does."""
        found, numbers = self.graph.to_networkx(), {id(group): i for i, group in enumerate(self.groups)}
        for vertex, node in enumerate(self.graph.nodes):
            if node in self.group_of:
                found.nodes[vertex][GROUP] = numbers[id(self.group_of[node])]
        return found

    def __str__(self) -> str:
        numbers = {node: f"%{i}" for i, node in enumerate(self.graph.nodes)}
        lines = []
        for i, group in enumerate(self.groups):
            kind = "library call" if group.is_library else f"kernel over {list(_shape_of(group))}"
            lines.append(f"group {i}: {kind}")
            for node in group.nodes:
                inputs = " ".join(numbers[source] for source in node.inputs)
                line = f"    {numbers[node]}: {node.type} = {node.op.name} {inputs}"
                lines.append(f"{line}  # {node.origin}" if node.origin is not None else line)
        lines += [f"decision: {decision}" for decision in self.decisions]
        return "\n".join(lines)


class Read(NamedTuple):
    """One input of a node: a view of a stored value.

    Attributes:
        base, view: what is read, and how it is seen.
        in_place: element by element, so that a kernel can make the value and use it in one iteration.
    """

    base: Node
    view: View
    in_place: bool


def _read(node: Node, source: Node) -> Read | None:
    """What an input of ``node`` reads, or None if it is a number."""
    base, view = view_of(source)
    if base.op.kind is Kind.LEAF and base.op is not buffer:
        return None
    in_place = node.op.kind is not Kind.PADDING and (base is source or reads_in_place(base, view, source.shape))
    return Read(base, view, in_place)


def _shape_of(group: Group) -> tuple[int, ...]:
    return group.domain.shape if group.domain else ()


def fuse(graph: Graph, enabled: bool = True, limits: FusionLimits = DEFAULT_LIMITS) -> FusedGraph:
    """Group ``graph``, which `materialize_views` has prepared.

    Args:
        graph: primitives over views of stored values.
        enabled: False gives every op its own kernel.
        limits: of the targets that may run the kernels.
    """
    return _Fuser(graph, enabled, limits).run()


class _Fuser:
    """Visits nodes in order; each starts alone and merges with its producers, then with readers of the same data."""

    def __init__(self, graph: Graph, enabled: bool, limits: FusionLimits) -> None:
        self.graph, self.enabled, self.limits = graph, enabled, limits
        self.reach = Reachability()
        self.groups: dict[int, Group] = {}
        self.number_of: dict[Node, int] = {}
        self.readers: dict[tuple[Node, View], list[Node]] = {}
        self.decisions: list[FusionDecision] = []
        self.reads: dict[Node, list[Read]] = {}

    def run(self) -> FusedGraph:
        for node in self.graph.nodes:
            if node.op.kind not in (Kind.LEAF, Kind.MOVEMENT):
                self._place(node)
        return FusedGraph(self.graph, self._ordered(), self.decisions)

    def _place(self, node: Node) -> None:
        domain = None if node.op.kind is Kind.LIBRARY else domain_of(node)
        reads = self.reads[node] = [read for source in node.inputs if (read := _read(node, source)) is not None]
        number = self.reach.open({self.number_of[read.base] for read in reads if read.base in self.number_of})
        self.groups[number] = Group([node], domain, {read.base for read in reads})
        self.number_of[node] = number
        if domain is not None and self.enabled:
            self._merge_with_neighbours(node, reads)
        for base, view, _ in reads:
            self.readers.setdefault((base, view), []).append(node)

    def _merge_with_neighbours(self, node: Node, reads: list[Read]) -> None:
        producers = dict.fromkeys([read.base for read in reads if read.base in self.number_of])
        for producer in sorted(producers, key=bytes_of, reverse=True):
            self._try_merge(producer, node, producer)
        for base, view, _ in reads:
            for sibling in self.readers.get((base, view), ())[-_MAX_SIBLINGS:]:
                self._try_merge(sibling, node, base)

    def _try_merge(self, earlier: Node, node: Node, shared: Node) -> None:
        """Let two nodes share a kernel if they may; ``shared`` is the value that then stays in it."""
        first, second = self.reach.find(self.number_of[earlier]), self.reach.find(self.number_of[node])
        if first == second:
            return
        merged, saved = self._merged(first, second), bytes_of(shared)
        if isinstance(merged, Group):
            self.reach.merge(first, second)
            self.groups[first] = merged
            del self.groups[second]
            reason = "they share one iteration domain" if earlier in merged.reads else "the value stays in the kernel"
            self.decisions.append(FusionDecision(earlier, node, True, reason, saved))
        else:
            self.decisions.append(FusionDecision(earlier, node, False, merged, saved))

    def _merged(self, first: int, second: int) -> Group | str:
        a, b = self.groups[first], self.groups[second]
        if a.domain is None or b.domain is None:
            return f"{(a if a.domain is None else b).nodes[0].op.name} is a library call"
        domain = unify(a.domain, b.domain, a.final, b.final)
        if isinstance(domain, str):
            return domain
        if not self.reach.is_open(first):
            return "too many kernels lie between them"
        if len(a.nodes) + len(b.nodes) > self.limits.ops:
            return f"{len(a.nodes) + len(b.nodes)} ops in one kernel exceed the limit of {self.limits.ops}"
        crossing = a.reads.intersection(b.nodes) | b.reads.intersection(a.nodes)
        whole_row, final = a.needs_whole_row or b.needs_whole_row, a.final and b.final
        for node, base, in_place in self._affected_reads(a, b, domain, crossing):
            if not in_place:
                return f"{node.op.name} reads {base.op.name} through a view that names elements of other iterations"
            source = span_of(base, domain)
            if source is Span.COLUMN:
                return f"{base.op.name} is complete only after the last row"
            final = final and source is Span.FULL
            full_use = node.op.kind is Kind.REDUCTION or span_of(node, domain) is Span.FULL
            whole_row = whole_row or (full_use and source is Span.ROW)
        if self.reach.would_cycle(first, second):
            return "another kernel has to run between them"
        reads = (a.reads | b.reads) - crossing
        too_costly = refusal(domain, whole_row, len(reads), self.limits)
        if too_costly:
            return too_costly
        return Group(a.nodes + b.nodes, domain, reads, whole_row, final)

    def _affected_reads(
        self, a: Group, b: Group, domain: Domain, crossing: set[Node]
    ) -> Iterator[tuple[Node, Node, bool]]:
        """Reads within the merged group whose role the merge can change, as (reader, value read, whether in place).

        A group's own reads keep theirs as long as its domain means the same: looking only at what crosses keeps a merge
        from costing as much as the group is large.
        """
        for group in (b, a):
            assert group.domain is not None
            if not spans_stay(group.domain, domain):
                bases = crossing.union(group.nodes)
            elif crossing.isdisjoint(group.reads):
                continue
            else:
                bases = crossing
            for node in group.nodes:
                for base, _, in_place in self.reads[node]:
                    if base in bases:
                        yield node, base, in_place

    def _ordered(self) -> list[Group]:
        """Groups so that producers come first, and results of few steps before those of many.

        The gradient of the last layer's weight is thus computed while its operands are at hand, not after the gradients
        of all layers, which would keep them all.
        """
        position = {node: i for i, node in enumerate(self.graph.nodes)}
        group_of = {node: group for group in self.groups.values() for node in group.nodes}
        for group in self.groups.values():
            group.nodes.sort(key=position.__getitem__)
        waits_for = {
            group: sorted(
                {group_of[base] for base in group.reads if base in group_of}, key=lambda g: position[g.nodes[0]]
            )
            for group in self.groups.values()
        }
        order = _depth_first(self.groups.values(), waits_for)
        steps: dict[Group, int] = {}
        for group in order:
            steps[group] = 1 + max((steps[source] for source in waits_for[group]), default=0)
        read = {source for sources in waits_for.values() for source in sources}
        results = [group for group in order if group not in read]
        return _depth_first(sorted(results, key=steps.__getitem__), waits_for)


def _depth_first(starts: Iterable[Group], waits_for: dict[Group, list[Group]]) -> list[Group]:
    """``starts`` and what they wait for, producers first."""
    order: list[Group] = []
    state: dict[Group, bool] = {}
    for start in starts:
        stack = [start]
        while stack:
            group = stack[-1]
            if state.get(group):
                stack.pop()
                continue
            pending = [source for source in waits_for[group] if not state.get(source)]
            if not pending:
                state[group] = True
                order.append(group)
                stack.pop()
                continue
            if group in state and any(source in state for source in pending):
                raise AssertionError("fusion made groups that wait for each other")
            state[group] = False
            stack.extend(reversed(pending))
    return order
