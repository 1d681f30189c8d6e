"""Whether recorded gradients are the slopes of what they are gradients of: differences in double precision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lazygrad.inspect.checking.cutting import cut
from lazygrad.inspect.checking.reference import Reference
from lazygrad.ir.graph import Graph, topological_order
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import buffer, detach, leaf_node, moving_with, straight_through
from lazygrad.passes.differentiate import differentiate

SLOPE_TOLERANCE = 1e-3  # of the gradient's length
_STEP = 1e-5
_ROUNDING = 1e-14
Values = Mapping[Node, np.ndarray]


class _Moved(Reference):
    """The values when some nodes move a step along a direction: what gradients look at, and nothing else.

    Args:
        base: the values before.
        given: of the buffers.
        step: how far each node that moves goes beyond what it is computed as.
    """

    def __init__(self, base: Reference, given: Values, step: Mapping[Node, np.ndarray]) -> None:
        super().__init__({node: base(node) + step[node] if node in step else value for node, value in given.items()})
        self._base, self._step, self._given = base, step, given

    def _value(self, node: Node) -> Any:
        if node.op is detach:
            return self._base(node)
        if node.op is straight_through:
            old = node.inputs[1]
            value = self._base(node) + self(old) - self._base(old)
        else:
            value = super()._value(node)
        return value + self._step[node] if node in self._step else value


def slope_error(graph: Graph, given: Values) -> float | None:
    """How far a graph's gradients are from slopes along one random direction, over the length of the gradients.

    None where that cannot be told: there are no gradients, they are of each other, a program says itself what they
    are, or there is no slope at this point.
    """
    gradients = [node for node in graph.nodes if node.op is grad]
    if not gradients or any(node.op is moving_with or node.op.kind is Kind.CALLBACK for node in graph.nodes):
        return None
    sweeps: dict[tuple[Node, Node], list[Node]] = defaultdict(list)
    for node in gradients:
        sweeps[node.inputs[0], node.inputs[1]].append(node)
    if any(below.op is grad for below in topological_order([part for sweep in sweeps for part in sweep])):
        return None
    spelled_out = differentiate(Graph(gradients))
    slopes = Reference(given)
    made = dict(zip(gradients, [slopes(root) for root in spelled_out.roots], strict=True))
    errors = [_of_sweep(*sweep, nodes, made, given) for sweep, nodes in sweeps.items()]
    return max([error for error in errors if error is not None], default=None)


def _of_sweep(
    output: Node, cotangent: Node, nodes: list[Node], made: Mapping[Node, np.ndarray], given: Values
) -> float | None:
    base = Reference(given)
    generator = np.random.default_rng(0)
    directions = {node.inputs[2]: _signs(generator, made[node]) for node in nodes}
    expected = sum(np.vdot(made[node], directions[node.inputs[2]]).real for node in nodes)
    length = np.sqrt(sum(np.vdot(made[node], made[node]).real for node in nodes))
    here = np.vdot(base(cotangent), base(output)).real
    sides = []
    for sign in (1, -1):
        moved = _Moved(base, given, {node: sign * _STEP * way for node, way in directions.items()})
        sides.append(sign * (np.vdot(base(cotangent), moved(output)).real - here) / _STEP)
    slope, bend = sum(sides) / 2, abs(sides[0] - sides[1])
    scale = max(float(length), float(np.finfo(np.float64).tiny))
    rounding = _ROUNDING * base.magnitude() / _STEP
    if not np.isfinite([slope, expected]).all() or bend > SLOPE_TOLERANCE * scale + rounding:
        return None  # a corner, a jump, or more curved than a step can tell
    return max(0.0, float(abs(slope - expected)) - rounding) / scale


def _signs(generator: np.random.Generator, like: np.ndarray) -> np.ndarray:
    signs = generator.choice([-1.0, 1.0], like.shape)
    return signs + 1j * generator.choice([-1.0, 1.0], like.shape) if np.iscomplexobj(like) else signs


def single_operations(graph: Graph, given: Values) -> Iterator[tuple[Node, Graph, Values]]:
    """For each operation that a graph's gradients pass through: the operation, and a program of its gradients alone."""
    values = Reference(given)
    outputs = [node.inputs[0] for node in graph.nodes if node.op is grad]
    for node in topological_order(outputs):
        wanted = [source for source in dict.fromkeys(node.inputs) if source.dtype.differentiable]
        if node.op.kind in (Kind.LEAF, Kind.IDENTITY, Kind.CALLBACK) or not node.dtype.differentiable or not wanted:
            continue
        cotangent = leaf_node(buffer, (None,), node.type)
        gradients = [make_node(grad, (node, cotangent, source), (), node.origin) for source in wanted]
        alone, leaves = cut(gradients, {*node.inputs, cotangent})
        made = {leaf: np.ones(leaf.shape) if leaf is cotangent else values(leaf) for leaf in leaves}
        buffers = {leaf["slot"]: leaf for leaf in alone.nodes if leaf.op is buffer}
        yield node, alone, {buffers[slot]: made[leaf] for slot, leaf in enumerate(leaves)}
