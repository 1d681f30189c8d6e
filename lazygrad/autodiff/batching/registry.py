"""The table of batching rules: for every op a rule, a reason why it needs none, or (composites) its decomposition.

A rule is ``rule(call)``, see `Call`: at least one input is a stack of examples. It returns the stack of results, its
batch axis in front, or None where the op's decomposition has to be batched instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module

from lazygrad.autodiff.batching.call import Call
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.op import Kind, Op

BatchingRule = Callable[[Call], Node | None]


class Unneeded:
    """Marks an op that is never asked for its batched form.

    Attributes:
        reason: why, as a clause for the op table.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"no batching rule: {self.reason}"


LEAF = Unneeded("it has no inputs that could be stacks")
GRADIENT = Unneeded("it is spelled out before anything is batched")
CALLBACK = Unneeded("the custom function it belongs to is recorded anew")

_table: dict[Op, BatchingRule | Unneeded] = {}


def define_batching(rule: BatchingRule | Unneeded, ops: Iterable[Op]) -> None:
    """Give ops a rule or a marker; to do so again is harmless, as it is for pullbacks."""
    _table.update(dict.fromkeys(ops, rule))


@cache
def batching_rules() -> Mapping[Op, BatchingRule | Unneeded]:
    """The whole table, loaded as that of pullbacks is."""
    import_module("lazygrad.autodiff.batching.rules")
    return _table


def elementwise(call: Call) -> Node:
    """Broadcasting does it, once the examples' dimensions are aligned from the right."""
    rank = max(source.rank for source in call.node.inputs)
    return call.again(*call.all_aligned(rank))


def batching_entry(op: Op) -> BatchingRule | Unneeded | None:
    """The rule or marker of ``op``; None for a composite that is batched through its decomposition."""
    entry = batching_rules().get(op)
    if entry is None and op.kind is Kind.ELEMENTWISE:
        return elementwise
    return entry


def batched_node(call: Call) -> Node | None:
    """The stack of results of a call; None where the op's decomposition has to be batched instead.

    Raises:
        NotImplementedError: the op has neither a rule nor a decomposition.
    """
    node = call.node
    entry = batching_entry(node.op)
    if entry is None or isinstance(entry, Unneeded):
        if not isinstance(node.op, Composite):
            raise NotImplementedError(f"vmap over {node.op.name} is not implemented")
        return None
    with deriving_from(node.origin):
        return entry(call)
