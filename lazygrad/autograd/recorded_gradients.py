"""Gradients as nodes: recorded where nothing stands in the way, spelled out at once where Python code does."""

from __future__ import annotations

from lazygrad.autograd.anomaly import looks_for_nan
from lazygrad.autograd.callbacks import (
    Callbacks,
    TensorHook,
    callbacks_among,
    custom_among,
    end_pass,
    replaced_gradient,
)
from lazygrad.autograd.staged_sweep import can_be_staged, staged_sweep
from lazygrad.autograd.used_up import path_towards
from lazygrad.autograd_meta import is_tracked, track, tracked_history
from lazygrad.grad_mode import set_grad_enabled
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.gradient import grad as grad_op
from lazygrad.ir.primitives.leaf import detach
from lazygrad.tensor import Tensor
from lazygrad.versions import writes


def history(outputs: list[Node]) -> list[Node]:
    """The tracked history of the outputs, inputs first."""
    return tracked_history(outputs)


def gradients_of(
    outputs: list[Node],
    weights: list[Node],
    reached: list[Node],
    targets: list[Node],
    create_graph: bool,
    keep: bool,
    to_all_leaves: bool = False,
) -> list[Node | None]:
    """One gradient node per target, or None where the outputs do not depend on it.

    Args:
        outputs, weights: what to differentiate, and the cotangents.
        reached: the history of the outputs.
        targets: what to differentiate by.
        create_graph: whether the gradients are differentiable.
        keep: whether the history may be asked again.
        to_all_leaves: whether the targets are the leaves that are reached, so that a history that has forgotten its
            leaves is refused.

    Raises:
        RuntimeError: an earlier backward used up what a gradient needs, or an in-place write replaced it.
    """
    path = path_towards(targets, reached, to_all_leaves)
    if path.steps and writes.latest > 0:
        _require_unmodified(outputs, path.steps)
    pairs = list(zip(outputs, weights, strict=True))
    sums, shown = gradient_nodes(pairs, targets, reached, create_graph)
    recorded = [*[gradient for gradient in sums if gradient is not None], *shown]
    if keep:
        path.keep_for(recorded)
    else:
        path.use_up_for(recorded)
    return sums


def _require_unmodified(outputs: list[Node], steps: list[Node]) -> None:
    if writes.latest > min([node.serial for node in steps]):
        from lazygrad.autograd.saved_values import require_unmodified  # loads the compiler half of the package

        require_unmodified(outputs, steps, custom_among(steps))


def gradient_nodes(
    pairs: list[tuple[Node, Node]], targets: list[Node], reached: list[Node], create_graph: bool
) -> tuple[list[Node | None], list[Node]]:
    """The gradients of weighted outputs: recorded as nodes or, where Python code stands in the way, spelled out.

    Beside them, those recorded ones that Python code was given.

    Args:
        pairs: outputs and their cotangents.
        targets: what to differentiate by.
        reached: the history of the outputs; targets outside it get None.
        create_graph: whether the gradients are differentiable.
    """
    callbacks = callbacks_among(reached)
    found, shown = _gradient_nodes(pairs, targets, reached, create_graph, callbacks)
    if callbacks.joint:
        with set_grad_enabled(create_graph):
            for registry, values in callbacks.joint:
                _run_hooks_of_sum([*registry.values()], values, targets, found)
            end_pass()
    return found, shown


def _run_hooks_of_sum(
    hooks: list[TensorHook], values: list[Node], targets: list[Node], found: list[Node | None]
) -> None:
    """Let the first of the values of a leaf that has a gradient have what its hooks make of the sum of all."""
    places = [i for i, (target, part) in enumerate(zip(targets, found, strict=True)) if target in values and part]
    if not places:
        return
    gradient, *others = [part for i in places if (part := found[i]) is not None]
    for other in others:
        tracked = is_tracked(gradient) or is_tracked(other)
        gradient = make_node(ew.add, (gradient, other), (), gradient.origin)
        track(gradient, tracked)
    for hook in hooks:
        gradient = replaced_gradient(gradient, hook(Tensor.from_node(gradient)))
    for i in places:
        found[i] = None
    found[places[0]] = gradient


def _gradient_nodes(
    pairs: list[tuple[Node, Node]], targets: list[Node], reached: list[Node], create_graph: bool, callbacks: Callbacks
) -> tuple[list[Node | None], list[Node]]:
    if callbacks and not create_graph and not looks_for_nan() and can_be_staged(callbacks, reached):
        return staged_sweep(pairs, targets, reached, callbacks)
    if callbacks or looks_for_nan():
        from lazygrad.autograd.callback_sweep import sweep_with_callbacks  # loads the compiler half of the package

        return sweep_with_callbacks(pairs, targets, callbacks, create_graph), []
    within = set(reached)
    if grad_op in [node.op for node in reached]:
        from lazygrad.autograd.gradient_leaves import leaves_of_gradients  # loads the compiler half of the package

        within = leaves_of_gradients([output for output, _ in pairs], reached)
    if len(pairs) == 1:
        return [_recorded(pairs, target, create_graph) if target in within else None for target in targets], []
    # Each gradient is one that its output depends on: what a sweep does not arrive at is an error, not a zero.
    of_each = [(pair, within.intersection(tracked_history(pair[:1]))) for pair in pairs]
    sums: list[Node | None] = []
    for target in targets:
        reaching = [pair for pair, reached_by_it in of_each if target in reached_by_it]
        sums.append(_recorded(reaching, target, create_graph) if reaching else None)
    return sums, []


def _recorded(pairs: list[tuple[Node, Node]], target: Node, create_graph: bool) -> Node:
    """``grad`` nodes, summed over the outputs that are given, each of which the target is in the history of."""
    total: Node | None = None
    for output, weight in pairs:
        node = make_node(grad_op, (output, weight, target), (), target.origin)
        track(node, create_graph)
        if total is not None:
            node = make_node(ew.add, (total, node), (), target.origin)
            track(node, create_graph)
        total = node
    assert total is not None
    return total if create_graph else make_node(detach, (total,), (), target.origin)
