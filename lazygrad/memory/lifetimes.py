"""Which step writes a value, and which one reads it last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lazygrad.ir.node import Node
from lazygrad.passes.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """When the stored values of a schedule are needed.

    Attributes:
        temporary: the values with memory of their own that are neither inputs nor outputs.
        writes: per step, those of them that it writes at least a part of.
        last_read: the last step that reads a stored value or anything inside it. What a part of an input is read for is
            not known to begin and end with what the whole is read for, so that counts as one step more.
    """

    temporary: frozenset[Node]
    writes: Sequence[Sequence[Node]]
    last_read: Mapping[Node, int]


def lifetimes_of(schedule: Schedule, parts: Mapping[int, int]) -> Lifetimes:
    """The lifetimes of what ``schedule`` stores.

    Args:
        parts: for input slots that hold a part of another input, the slot of that.
    """
    inputs = {node["slot"]: node for node in schedule.inputs}
    whole = {inputs[part]: inputs[of] for part, of in parts.items() if part in inputs and of in inputs}
    destinations = schedule.destinations

    def owner(node: Node) -> Node:
        return destinations[node].root if node in destinations else node

    last_read: dict[Node, int] = {}
    for step, group in enumerate(schedule.steps):
        for node in group.reads:
            last_read[node] = max(step, last_read.get(node, 0))  # a part of it may be read in this very step
            last_read[owner(node)] = last_read[node]
            if node in whole:
                last_read[whole[node]] = step + 1
    temporary = schedule.stored.difference(schedule.inputs, schedule.outputs, destinations)
    owners = [dict.fromkeys(map(owner, group.nodes)) for group in schedule.steps]
    return Lifetimes(temporary, [[node for node in nodes if node in temporary] for nodes in owners], last_read)
