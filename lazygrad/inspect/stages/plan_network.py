"""A plan as a network: its steps, and the memory that they read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lazygrad.inspect.stages.plan_text import describe_plan, step_bytes
from lazygrad.ir.network import AsNetwork
from lazygrad.ir.node import Node
from lazygrad.memory.slots import Place
from lazygrad.passes.fuse import Group
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.runtime.plan import Plan

if TYPE_CHECKING:
    import networkx


class PlanNetwork(AsNetwork):
    """The plan form for networkx, and for files that other programs read.

    Vertices are steps, whose ``kind`` is ``kernel`` or ``call``, in order, and behind them buffers, whose ``kind`` is
    ``buffer`` and whose ``op`` is the place: ``input``, ``output`` or ``arena``. An edge leads from a buffer to a step
    that reads it, or from a step to one that it writes.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __str__(self) -> str:
        return describe_plan(self.plan)

    def to_networkx(self) -> networkx.MultiDiGraph:
        import networkx

        plan = self.plan
        schedule, steps = plan.schedule, plan.schedule.steps
        buffers = {node: len(steps) + number for number, node in enumerate(plan.memory.slots)}
        results = {schedule.memory_of(root)[0] for root in schedule.roots}
        found = networkx.MultiDiGraph(roots=[buffers[node] for node in buffers if node in results])
        lowered = iter(plan.kernels)
        for number, group in enumerate(steps):
            kernel = None if group.is_library else next(lowered).kernel
            found.add_node(
                number,
                op=group.nodes[0].op.name if kernel is None else kernel.name,
                kind="call" if kernel is None else "kernel",
                type="" if kernel is None else "×".join(map(str, kernel.sizes)),
                attrs={"bytes": step_bytes(plan, group)},
                name="",
                origin=_origin(group),
                root=False,
            )
        for node, number in buffers.items():
            found.add_node(number, **self._buffer(node), root=node in results)
        for number, group in enumerate(steps):
            read = dict.fromkeys(schedule.memory_of(node)[0] for node in group.reads)
            written = dict.fromkeys(schedule.memory_of(node)[0] for node in group.nodes if node in schedule.stored)
            edges = [(buffers[node], number) for node in read] + [(number, buffers[node]) for node in written]
            for position, edge in enumerate(edges):
                found.add_edge(*edge, position=position)
        return found

    def _buffer(self, node: Node) -> dict[str, Any]:
        memory = self.plan.memory
        slot = memory.slots[node]
        attrs: dict[str, Any] = {"slot": slot.index, "bytes": bytes_of(node)}
        if slot.place is Place.ARENA:
            temporary = memory.temporaries[slot.index]
            attrs |= {"offset": temporary.offset, "first": temporary.first, "last": temporary.last}
        return {
            "op": slot.place.value,
            "kind": "buffer",
            "type": str(node.type),
            "attrs": attrs,
            "name": self.plan.schedule.fused.graph.names.get(node, ""),
            "origin": str(node.origin or ""),
        }


def _origin(group: Group) -> str:
    """The place that most of a step comes from."""
    places = [str(node.origin) for node in group.nodes if node.origin is not None]
    return max(dict.fromkeys(places), key=places.count, default="")
