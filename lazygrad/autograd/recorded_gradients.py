"""Gradients as nodes: recorded where nothing stands in the way, spelled out at once where Python code does."""

from __future__ import annotations

from lazygrad.autograd.anomaly import looks_for_nan
from lazygrad.autograd.callbacks import callbacks_among, custom_among
from lazygrad.autograd_meta import ConsumedHistory, consume, consumed_history, histories_consumed, track, tracked_inputs
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction
from lazygrad.ir.primitives.gradient import grad as grad_op
from lazygrad.ir.primitives.leaf import buffer, detach
from lazygrad.tensor import leaf_tensor
from lazygrad.versions import writes

# Ops whose derivative needs no value of the forward pass; PyTorch lets a second backward run through them.
_KEEPS_NOTHING = frozenset(
    {
        ew.add,
        ew.sub,
        ew.neg,
        ew.cast,
        ew.clone,
        ew.contiguous,
        ew.real,
        ew.imag,
        ew.conj,
        ew.complex_,
        reduction.reduce_sum,
    }
)

_CONSUMED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Specify retain_graph=True if you need to backward through the graph a second time"
)


def history(outputs: list[Node]) -> list[Node]:
    """The tracked history of the outputs, inputs first."""
    return topological_order(outputs, tracked_inputs)


def _steps_towards(targets: list[Node], reached: list[Node], to_all_leaves: bool) -> tuple[list[Node], list[Node]]:
    """The nodes through which gradients flow to the targets, and all others.

    Raises:
        RuntimeError: an earlier backward used one up.
    """
    on_path = set(targets)
    steps, others = [], []
    for node in reached:
        if any(source in on_path for source in node.inputs):
            on_path.add(node)
            steps.append(node)
        else:
            others.append(node)
    for node in steps if histories_consumed(steps) else ():
        if consumed_history(node) is None or leaf_tensor(node) is not None:
            continue
        if node.op is buffer or not _saves_nothing(node):
            raise RuntimeError(_CONSUMED)
    for node in others:
        if node.op is buffer and node not in on_path and leaf_tensor(node) is None:  # it may have forgotten its inputs
            used = consumed_history(node)
            older = [target for target in targets if target.serial < node.serial]
            if used is not None and (to_all_leaves or any(used.may_contain(target) for target in older)):
                raise RuntimeError(_CONSUMED)
    return steps, others


def _saves_nothing(node: Node) -> bool:
    return node.op in _KEEPS_NOTHING or node.op.kind is Kind.MOVEMENT


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
    steps, others = _steps_towards(targets, reached, to_all_leaves)
    if steps and writes.latest > 0:
        _require_unmodified(outputs, steps)
    pairs = list(zip(outputs, weights, strict=True))
    sums = gradient_nodes(pairs, targets, reached, create_graph)
    recorded = [gradient for gradient in sums if gradient is not None]
    if keep:
        _await_kept(steps, recorded)
    else:
        _use_up(steps, others, recorded)
    return sums


def _require_unmodified(outputs: list[Node], steps: list[Node]) -> None:
    if writes.latest > min([node.serial for node in steps]):
        from lazygrad.autograd.saved_values import require_unmodified  # loads the compiler half of the package

        require_unmodified(outputs, steps, custom_among(steps))


_kept = ConsumedHistory()  # gradients recorded with their history kept; they need it even if a later call uses it up


def _await_kept(steps: list[Node], gradients: list[Node]) -> None:
    """Keep the history, what is used up of it too until the gradients are realized."""
    for used in (_kept, *histories_consumed(steps)):
        for gradient in gradients:
            used.add(gradient)


def _use_up(steps: list[Node], others: list[Node], gradients: list[Node]) -> None:
    """Mark the history as used up, but for what needs no value down to its leaves: PyTorch lets that be asked again.

    Used-up history stays while any of its gradients pends.
    """
    used_up, left = _parted_at_values(steps, others)
    consumed = ConsumedHistory(frozenset([node.serial for node in left]))
    consumed.add_pending_of(_kept)
    for earlier in histories_consumed([*steps, *others]):
        consumed.add_pending_of(earlier)
        consumed.add_sources_of(earlier)
    consume(used_up, consumed)
    for gradient in gradients:
        consumed.add(gradient)


def _parted_at_values(steps: list[Node], others: list[Node]) -> tuple[list[Node], list[Node]]:
    """The steps that need a value of the forward pass, lie on such or are used up already; and all other nodes."""
    used_up: dict[Node, None] = {}
    left = list(others)
    for node in steps:
        on_values = any(source in used_up for source in node.inputs) or consumed_history(node) is not None
        if node.op is detach or (_saves_nothing(node) and not on_values):
            left.append(node)
        else:
            used_up[node] = None
    return list(used_up), left


def gradient_nodes(
    pairs: list[tuple[Node, Node]], targets: list[Node], reached: list[Node], create_graph: bool
) -> list[Node | None]:
    """The gradients of weighted outputs: recorded as nodes or, where Python code stands in the way, spelled out.

    Args:
        pairs: outputs and their cotangents.
        targets: what to differentiate by.
        reached: the history of the outputs; targets outside it get None.
        create_graph: whether the gradients are differentiable.
    """
    callbacks = callbacks_among(reached)
    if callbacks or looks_for_nan():
        from lazygrad.autograd.callback_sweep import sweep_with_callbacks  # loads the compiler half of the package

        return sweep_with_callbacks(pairs, targets, callbacks, create_graph)
    within = set(reached)
    if any(node.op is grad_op for node in reached):
        from lazygrad.autograd.gradient_leaves import leaves_of_gradients  # loads the compiler half of the package

        leaves = leaves_of_gradients([output for output, _ in pairs], reached)
        within -= {target for target in targets if not target.inputs or target.op is detach} - leaves
    return [_recorded(pairs, target, create_graph) if target in within else None for target in targets]


def _recorded(pairs: list[tuple[Node, Node]], target: Node, create_graph: bool) -> Node:
    """``grad`` nodes, summed over the outputs that are given."""
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
