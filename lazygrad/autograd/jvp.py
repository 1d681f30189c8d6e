"""The forward sweep over live nodes: recorded gradients are spelled out first, custom functions push with their jvp."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from lazygrad.autodiff.forward import forward_sweep
from lazygrad.autograd.application import Pushed, pushforwards
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.passes.differentiate import spelled_out


def tangents_of(
    nodes: Sequence[Node],
    tangents: Mapping[Node, Node],
    constant: Collection[Node] = (),
    pushed: Pushed | None = None,
) -> list[Node | None]:
    """The tangents of ``nodes``; None for those that do not vary.

    Args:
        nodes: any nodes.
        tangents: per node that varies, the direction in which it does.
        constant: nodes to take as constant although they depend on such.
        pushed: what the ``jvp`` of custom functions returned for the same tangents; what is returned now is added.
    """
    oldest = min((node.serial for node in tangents), default=0)

    def inside(node: Node) -> tuple[Node, ...]:
        return node.inputs if node.serial > oldest and node not in tangents else ()

    spelled = spelled_out(nodes, oldest, tangents)
    custom = pushforwards(topological_order(spelled, inside), {} if pushed is None else pushed)
    found = forward_sweep(spelled, tangents, {**custom, **dict.fromkeys(constant, _nothing)})
    return [found.get(node) for node in spelled]


def _nothing(node: Node, tangents: Mapping[Node, Node]) -> None:
    return None
