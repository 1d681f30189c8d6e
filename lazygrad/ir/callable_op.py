"""Ops that build a node when they are called: ``exp(x)``, ``reduce_sum(x, axes=(0,))``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from lazygrad.ir.node import Node, derived_origin, make_node
from lazygrad.ir.op import Op

Decompose = Callable[[Node], Node]


class CallableOp(Op):
    """An op that is defined and called by its Python name; every op of the registry is one."""

    __slots__ = ()

    def __call__(self, *inputs: Node, **attrs: Any) -> Node:
        if attrs.keys() != self.position.keys():
            raise TypeError(f"{self.name} takes the attributes {self.attr_names}, not {tuple(attrs)}")
        try:
            return make_node(self, inputs, tuple(attrs[name] for name in self.attr_names), derived_origin())
        except AttributeError as error:
            for value in inputs:
                if not isinstance(value, Node):
                    raise TypeError(f"{self.name} takes nodes, not {_described(value)}") from error
            raise


def _described(value: object) -> str:
    remedy = "; x.like(number) is a number as a node" if isinstance(value, int | float | complex) else ""
    return f"{type(value).__name__}{remedy}"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Composite(CallableOp):
    """An op that is made of others.

    Attributes:
        decompose: the equivalent subgraph of a node of this op, built from the node's inputs and attributes.
    """

    _: KW_ONLY
    decompose: Decompose
