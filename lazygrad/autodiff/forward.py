"""The forward sweep: tangents flow from values that vary to the outputs computed from them.

There are next to no forward rules (`PUSHFORWARDS`). A pullback is linear in its cotangent, so its own pullback with
respect to that cotangent is its transpose, and the transpose of a pullback pushes tangents forward (Townsend, "A new
trick for calculating Jacobian vector products", 2017; Radul et al., "You Only Linearize Once", 2023, transpose in the
other direction). It is taken op by op, so that no reverse pass of the whole function is ever written down; the
cotangent itself, a placeholder, is not part of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lazygrad.autodiff.pushforwards import PUSHFORWARDS
from lazygrad.autodiff.registry import PullbackRule, is_differentiable, made, pullback_entry
from lazygrad.autodiff.reverse import fitted, reverse_sweep
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives.leaf import leaf_node, placeholder

Tangents = Mapping[Node, Node]
Pushforward = Callable[[Node, Tangents], Node | None]


def forward_sweep(
    outputs: Sequence[Node], tangents: Tangents, custom: Mapping[Node, Pushforward] | None = None
) -> dict[Node, Node]:
    """The directional derivatives of ``outputs``, as new nodes.

    Args:
        outputs: values to differentiate.
        tangents: per node that varies, the direction in which it does; of its shape and dtype.
        custom: ``pushforward(node, tangents)`` of single nodes that replace their op's.

    Returns:
        The tangents of all nodes that vary, those given included; outputs that do not vary are absent.

    Raises:
        NotImplementedError: an op on the way has no derivative.
    """
    return _Sweep(tangents, custom or {}, None).run(outputs)


class _Sweep:
    def __init__(self, tangents: Tangents, custom: Mapping[Node, Pushforward], label: Origin | None) -> None:
        self.tangents, self.custom, self.label = dict(tangents), custom, label
        # Nothing made before the first value that varies depends on it.
        self.oldest = min((node.serial for node in tangents), default=0)

    def run(self, outputs: Sequence[Node]) -> dict[Node, Node]:
        for node in topological_order(outputs, self._varying_inputs):
            if node not in self.tangents and any(source in self.tangents for source in self._varying_inputs(node)):
                with deriving_from(self._origin_of_derivatives(node)):
                    tangent = self._pushed_forward(node)
                if tangent is not None:
                    self.tangents[node] = tangent
        return self.tangents

    def _varying_inputs(self, node: Node) -> tuple[Node, ...]:
        if node.serial < self.oldest or node in self.tangents or not node.dtype.differentiable:
            return ()
        return node.inputs if node in self.custom or is_differentiable(node.op) else ()

    def _origin_of_derivatives(self, node: Node) -> Origin | None:
        if self.label is not None or node.origin is None:
            return self.label
        return node.origin.labelled(f"jvp of {node.op.name}")

    def _pushed_forward(self, node: Node) -> Node | None:
        if node in self.custom:
            return self.custom[node](node, self.tangents)
        if node.op in PUSHFORWARDS:
            return PUSHFORWARDS[node.op](node, [self.tangents.get(source) for source in node.inputs])
        rule = pullback_entry(node.op)
        if callable(rule):
            return self._transposed(rule, node)
        if not isinstance(node.op, Composite):
            raise NotImplementedError(f"the derivative of {node.op.name} is not implemented")
        with deriving_from(node.origin):
            body = node.op.decompose(node)
        varying = {source: self.tangents[source] for source in node.inputs if source in self.tangents}
        return _Sweep(varying, {}, self._origin_of_derivatives(node)).run([body]).get(body)

    def _transposed(self, rule: PullbackRule, node: Node) -> Node | None:
        cotangent = leaf_node(placeholder, (), node.type)
        result = rule(cotangent, node, *node.inputs)
        parts = result if isinstance(result, tuple) else (result,)
        total: Node | None = None
        for source, part in zip(node.inputs, parts, strict=True):
            wanted = made(part) if source in self.tangents and source.dtype.differentiable else None
            if wanted is None:
                continue
            found = reverse_sweep(fitted(wanted, source, node), self.tangents[source], [cotangent]).get(cotangent)
            if found is not None:
                total = found if total is None else total + found
        return total
