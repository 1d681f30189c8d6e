"""The reverse sweep: cotangents flow from an output back to the values a gradient is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from lazygrad.autodiff.registry import (
    Cotangent,
    NotDifferentiable,
    PullbackRule,
    is_differentiable,
    made,
    pullback_entry,
)
from lazygrad.ir.build import cast
from lazygrad.ir.callable_op import Composite
from lazygrad.ir.composites.gradients import summed_to
from lazygrad.ir.graph import latest_first, topological_order
from lazygrad.ir.node import Node, deriving_from
from lazygrad.ir.origin import Origin
from lazygrad.ir.shape import ShapeError
from lazygrad.ir.watching import applied

OnGradient = Callable[[Node, Node], Node]
OnParts = Callable[[Node, Node, tuple[Node | None, ...]], tuple[Node | None, ...]]
Custom = Mapping[Node, PullbackRule]


def reverse_sweep(
    output: Node,
    cotangent: Node,
    targets: Sequence[Node],
    on_gradient: OnGradient | None = None,
    custom: Custom | None = None,
    on_parts: OnParts | None = None,
) -> dict[Node, Node]:
    """The gradients of ``⟨cotangent, output⟩`` with respect to ``targets``, as new nodes.

    One visit per node between the targets and the output; a target may lie upstream of another one.

    Args:
        output: the value to differentiate; floating point.
        cotangent: of the output's shape and dtype.
        targets: any nodes; those the output does not depend on differentiably are absent from the result.
        on_gradient: called once per visited node, with it and its complete gradient, before that is passed on;
            returns the gradient to use.
        custom: pullbacks of single nodes that replace their op's.
        on_parts: called once per node that passes its gradient on, with it, its gradient and what its inputs get;
            returns what they get instead.

    Raises:
        NotImplementedError: an op on the way has no derivative.
        RuntimeError: the cotangent does not fit the output, or a rule's result its op's inputs.
    """
    return reverse_sweep_of_sum([(output, cotangent)], targets, on_gradient, custom, on_parts)


def reverse_sweep_down_to(output: Node, cotangent: Node, variables: Sequence[Node]) -> dict[Node, Node]:
    """`reverse_sweep` with respect to nodes that are taken for variables, also where one is computed from another."""
    nodes = frozenset(variables)
    return _Sweep(nodes, nodes, None, {}).run([(output, cotangent)])


def reverse_sweep_of_sum(
    pairs: Sequence[tuple[Node, Node]],
    targets: Sequence[Node],
    on_gradient: OnGradient | None = None,
    custom: Custom | None = None,
    on_parts: OnParts | None = None,
    following: Mapping[Node, Node] = MappingProxyType({}),
    latest_first: bool = False,
) -> dict[Node, Node]:
    """The gradients of ``Σ ⟨cotangent, output⟩`` over pairs of an output and its cotangent; see `reverse_sweep`.

    Args:
        following: for some nodes another one that is visited later, although no gradient may flow there.
        latest_first: visit what was recorded last first, and leaves as soon as they can be, as PyTorch does.
    """
    for output, cotangent in pairs:
        if cotangent.shape != output.shape or cotangent.dtype is not output.dtype:
            raise ShapeError(f"a gradient {cotangent.type} does not fit the output {output.type} it belongs to")
    sweep = _Sweep(frozenset(targets), frozenset(), on_gradient, custom or {}, None, on_parts)
    sweep.following, sweep.latest_first = following, latest_first
    return sweep.run(pairs)


class _Sweep:
    """One reverse sweep; `boundary` holds nodes to stop at, whose own inputs are not looked into."""

    def __init__(
        self,
        targets: frozenset[Node],
        boundary: frozenset[Node],
        on_gradient: OnGradient | None,
        custom: Custom,
        label: Origin | None = None,
        on_parts: OnParts | None = None,
    ) -> None:
        self.targets, self.boundary, self.on_gradient, self.custom = targets, boundary, on_gradient, custom
        self.label, self.on_parts = label, on_parts
        self.following: Mapping[Node, Node] = {}
        self.latest_first = False
        # Nothing made before the first target depends on it: a sweep costs what lies between, not all history.
        self.oldest = min((target.serial for target in targets), default=0)

    def run(self, pairs: Sequence[tuple[Node, Node]]) -> dict[Node, Node]:
        following = self.following
        sources: dict[Node, tuple[Node, ...]] = {}  # of each visited node, the inputs that gradients flow to

        def differentiable_inputs(node: Node) -> tuple[Node, ...]:
            found = sources[node] = self._differentiable_inputs(node)
            return (*found, following[node]) if node in following else found

        order = topological_order([output for output, _ in pairs], differentiable_inputs)
        if self.latest_first:
            order = latest_first(order, sources.__getitem__)[::-1]
        targets = self.targets
        on_path: set[Node] = set()
        passing: set[Node] = set()
        for node in order:
            if not on_path.isdisjoint(sources[node]):
                passing.add(node)
                on_path.add(node)
            elif node in targets:
                on_path.add(node)
        pending: dict[Node, Node] = {}
        for output, cotangent in pairs:
            pending[output] = pending[output] + cotangent if output in pending else cotangent
        found: dict[Node, Node] = {}
        for node in reversed(order):
            if node not in on_path or node not in pending:
                continue
            gradient = pending.pop(node)
            if self.on_gradient is not None:
                gradient = self.on_gradient(node, gradient)
            if node in targets:
                found[node] = gradient
            if node in passing:
                with deriving_from(self._origin_of_derivatives(node)):
                    self._pass_on(node, gradient, on_path, pending)
        return found

    def _differentiable_inputs(self, node: Node) -> tuple[Node, ...]:
        inputs = node.inputs
        if not inputs or node.serial < self.oldest or node in self.boundary:
            return ()
        if not (is_differentiable(node.op) or node in self.custom):
            return ()
        for source in inputs:
            if not source.type.dtype.differentiable:
                return tuple([source for source in inputs if source.type.dtype.differentiable])
        return inputs

    def _origin_of_derivatives(self, node: Node) -> Origin | None:
        if self.label is not None or node.origin is None:
            return self.label
        return node.origin.labelled(f"grad of {node.op.name}")

    def _pass_on(self, node: Node, gradient: Node, on_path: set[Node], pending: dict[Node, Node]) -> None:
        applied(f"gradient of {node.op.name}")
        parts = self._pullback(node, gradient, on_path)
        if self.on_parts is not None:
            parts = self.on_parts(node, gradient, tuple(map(made, parts)))
        for source, part in zip(node.inputs, parts, strict=True):
            if source not in on_path or not source.type.dtype.differentiable:
                continue
            wanted = made(part)
            if wanted is None:
                continue
            part = wanted if wanted.type is source.type else fitted(wanted, source, node)
            pending[source] = pending[source] + part if source in pending else part

    def _pullback(self, node: Node, gradient: Node, on_path: set[Node]) -> tuple[Cotangent, ...]:
        rule = self.custom.get(node) or pullback_entry(node.op)
        if rule is None or isinstance(rule, NotDifferentiable):
            return self._through_decomposition(node, gradient, on_path)
        result = rule(gradient, node, *node.inputs)
        parts = result if isinstance(result, tuple) else (result,)
        if len(parts) != len(node.inputs):
            raise RuntimeError(
                f"the backward of {node.op.name} returned an incorrect number of gradients (expected "
                f"{len(node.inputs)}, got {len(parts)})"
            )
        return parts

    def _through_decomposition(self, node: Node, gradient: Node, on_path: set[Node]) -> tuple[Node | None, ...]:
        if not isinstance(node.op, Composite):
            raise NotImplementedError(f"the derivative of {node.op.name} is not implemented")
        label = self._origin_of_derivatives(node)
        with deriving_from(node.origin):
            body = node.op.decompose(node)
        inner = _Sweep(frozenset(on_path.intersection(node.inputs)), frozenset(node.inputs), None, {}, label)
        found = inner.run([(body, gradient)])
        # A value that is read at two inputs has one gradient: hand it over once.
        return tuple(found.pop(source, None) for source in node.inputs)


def fitted(gradient: Node, source: Node, node: Node) -> Node:
    """A rule's result checked against the input it belongs to, broadcasting undone."""
    if gradient.dtype is not source.dtype:
        if not gradient.dtype.is_floating_point or not source.dtype.is_half:
            raise RuntimeError(
                f"the backward of {node.op.name} returned a gradient {gradient.type} for an input {source.type}: "
                f"the dtypes differ"
            )
        gradient = cast(gradient, source.dtype)
    if gradient.shape == source.shape:
        return gradient
    lead = gradient.rank - source.rank
    fits = lead >= 0 and all(want in (1, have) for have, want in zip(gradient.shape[lead:], source.shape, strict=True))
    if not fits:
        raise ShapeError(
            f"the backward of {node.op.name} returned an invalid gradient: got {gradient.type}, but expected a shape "
            f"compatible with {source.type}"
        )
    return summed_to(gradient, shape=source.shape)
