"""`backward` and `grad`: they record gradients as nodes; nothing is computed until one is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

from lazygrad.autograd.callbacks import (
    accumulated_gradient,
    leaf_step_hooks,
    run_hooks_after_accumulation,
)
from lazygrad.autograd.gradient_function import GradientEdge
from lazygrad.autograd.recorded_gradients import gradients_of, history
from lazygrad.autograd.sparse_gradients import SparseGradients, lookups_in
from lazygrad.autograd.used_up import on_path_to
from lazygrad.autograd_meta import is_tracked, leaves_among, track
from lazygrad.grad_mode import no_grad
from lazygrad.ir.build import ones_like
from lazygrad.ir.node import Node, deriving_from, make_node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import detach
from lazygrad.ir.shape import numel
from lazygrad.ir.user_warning import warn_user
from lazygrad.levels import Level, forbid, running
from lazygrad.retained_gradients import retained_among
from lazygrad.runtime.siblings import are_siblings
from lazygrad.size import Size
from lazygrad.tensor import Tensor, leaf_tensor
from lazygrad.tensor_base import record_node

Output = Tensor | GradientEdge


def backward(
    tensors: Output | Sequence[Output],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Output | Sequence[Output] | None = None,
) -> None:
    """Add the gradients of ``tensors`` to ``.grad`` of the leaves they were computed from.

    Args:
        tensors: outputs, or edges of the backward graph; scalars unless ``grad_tensors`` weighs their elements.
        grad_tensors: one weight of each output's shape, or None for scalars.
        retain_graph: keep the history so that backward can run again; default ``create_graph``.
        create_graph: make the gradients differentiable themselves.
        inputs: accumulate only into these leaves.

    Raises:
        RuntimeError: an output that requires no gradient or is not scalar without a weight; a history that an
            earlier backward used up; inside a function that a transform of `lazygrad.func` runs.
    """
    forbid(
        "backward() called inside a function transform. This is not supported, please use lazygrad.func.grad or "
        "lazygrad.func.vjp instead or call backward() outside of function transforms."
    )
    outputs = _nodes(tensors)
    weights = _cotangents(outputs, grad_tensors)
    reached = history(outputs)
    if inputs is None:
        targets = _accumulation_targets(reached)
    else:
        targets = [
            (value, _accumulating(item)) for item in _listed(inputs) for value in _values_read(_node(item), reached)
        ]
        if not targets:
            raise RuntimeError("'inputs' argument to backward() cannot be empty.")
        _require_tracked([node for node, _ in targets])
        given = {node for node, _ in targets}
        targets += [(node, tensor) for node, tensor in _retained_on_path([*given], reached) if node not in given]
    keep = create_graph if retain_graph is None else retain_graph
    lookups = lookups_in([node for node, _ in targets], reached)
    nodes = [lookup for found in lookups.values() for lookup in found]
    nodes += [node for node, _ in targets if node not in lookups]
    gradients = gradients_of(outputs, weights, reached, nodes, create_graph, keep, to_all_leaves=inputs is None)
    by_node = dict(zip(nodes, gradients, strict=True))
    sums: dict[int, tuple[Tensor, Node, list[Node]]] = {}  # of a leaf the gradients of all of its values
    for node, tensor in targets:
        if node in lookups:
            _accumulate_rows(tensor, node, [(lookup, by_node[lookup]) for lookup in lookups[node]])
            continue
        gradient = by_node[node]
        if gradient is not None and tensor.requires_grad:  # it may have been frozen since
            sums.setdefault(id(tensor), (tensor, node, []))[2].append(gradient)
    for tensor, node, parts in sums.values():
        steps, gradient = leaf_step_hooks(node), _sum(parts, create_graph)
        if steps is None:
            _accumulate(tensor, gradient, create_graph)
        else:
            gradient = accumulated_gradient(steps, gradient)
            _accumulate(tensor, gradient, create_graph)
            run_hooks_after_accumulation(steps, gradient)
    found = [(tensor, held) for _, tensor in targets if (held := tensor._grad) is not None and not held.is_sparse]
    are_siblings([gradient.node() for _, gradient in found], [tensor for tensor, _ in found])


@overload
def grad(
    outputs: Output | Sequence[Output],
    inputs: Output | Sequence[Output],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: Literal[False] | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]: ...
@overload
def grad(
    outputs: Output | Sequence[Output],
    inputs: Output | Sequence[Output],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]: ...
def grad(
    outputs: Output | Sequence[Output],
    inputs: Output | Sequence[Output],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of ``outputs`` with regard to ``inputs``, without touching ``.grad``.

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in `backward`.
        inputs: tensors that require gradients, or edges of the backward graph.
        only_inputs: PyTorch's former word for what `backward` does when it is False; False warns and changes nothing.
        allow_unused: give None for inputs the outputs do not depend on, instead of raising; default
            ``materialize_grads``.
        is_grads_batched: every one of ``grad_outputs`` is a stack along dimension 0, and so are the results; all of
            them are computed in one vectorized pass.
        materialize_grads: give zeros instead of None.

    Raises:
        RuntimeError: an input that requires no gradient, or is unused and that is not allowed; see `backward`.
        ValueError: ``materialize_grads`` with ``allow_unused=False``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warn_user(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use lazygrad.autograd.backward.",
            FutureWarning,
        )
    out, targets = _nodes(outputs), _nodes(inputs)
    _require_tracked(targets)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        found = _batched_gradients(out, grad_outputs, targets, create_graph, keep)
    else:
        found = _gradients_of_leaves(out, _cotangents(out, grad_outputs), targets, create_graph, keep)
    results: list[Tensor | None] = []
    for target, node in zip(targets, found, strict=True):
        is_constant = node is None and not allow_unused and target in history(out)  # by another gradient's formula
        if node is None and not (allow_unused or materialize_grads or is_constant):
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        if node is None and (materialize_grads or is_constant):
            node = _zeros(target)
        results.append(Tensor.from_node(node) if node is not None else None)
    return tuple(results)


def _values_read(target: Node, reached: list[Node]) -> list[Node]:
    """The values of a leaf that the outputs were computed from: it may have been written to in between."""
    leaf = leaf_tensor(target)
    values = [node for node in leaves_among(reached) if leaf_tensor(node) is leaf] if leaf is not None else []
    return values or [target]


def _retained_on_path(targets: list[Node], reached: list[Node]) -> list[tuple[Node, Tensor]]:
    """What is a target or lies on the way to one and retains its gradient, whatever the pass is for."""
    retained = retained_among(reached)
    if not retained:
        return []
    on_path = on_path_to(targets, reached)
    return [(node, tensor) for node, tensor in retained if node in on_path]


def _gradients_of_leaves(
    outputs: list[Node], weights: list[Node], targets: list[Node], create_graph: bool, keep: bool
) -> list[Node | None]:
    """Per target the sum over all of its values."""
    reached = history(outputs)
    values = [_values_read(target, reached) for target in targets]
    wanted = [value for each in values for value in each]
    retained = _retained_on_path(wanted, reached)
    nodes = [*wanted, *[node for node, _ in retained]]
    gradients = gradients_of(outputs, weights, reached, nodes, create_graph, keep)
    for (_, tensor), gradient in zip(retained, gradients[len(wanted) :], strict=True):
        if gradient is not None:
            _accumulate(tensor, gradient, create_graph)
    found = iter(gradients)
    sums: list[Node | None] = []
    for each in values:
        parts = [part for part in (next(found) for _ in each) if part is not None]
        sums.append(_sum(parts, create_graph) if parts else None)
    return sums


def _sum(parts: list[Node], tracked: bool) -> Node:
    total = parts[0]
    for part in parts[1:]:
        total = make_node(ew.add, (total, part), (), part.origin)
        track(total, tracked)
    return total


def _listed(given: Output | Sequence[Output]) -> list[Output]:
    return [given] if isinstance(given, Tensor | GradientEdge) else list(given)


def _node(item: Output) -> Node:
    return item.node() if isinstance(item, Tensor) else item.node.result


def _nodes(given: Output | Sequence[Output]) -> list[Node]:
    return [_node(item) for item in _listed(given)]


def _accumulating(item: Output) -> Tensor:
    """The tensor whose ``.grad`` an input of `backward` stands for."""
    return item if isinstance(item, Tensor) else item.node.variable


def _require_tracked(targets: list[Node]) -> None:
    if not all(is_tracked(node) for node in targets):
        raise RuntimeError("One of the differentiated Tensors does not require grad")


def _batched_gradients(
    outputs: list[Node],
    given: Tensor | Sequence[Tensor | None] | None,
    targets: list[Node],
    create_graph: bool,
    keep: bool,
) -> list[Node | None]:
    """Stacks of gradients for stacks of cotangents."""
    from lazygrad.autograd.vmapping import VmapLevel  # loads the compiler half of the package

    weights: Sequence[Tensor | None] = [given] if isinstance(given, Tensor) else list(given or [None] * len(outputs))
    sizes = {weight.shape[0] for weight in weights if weight is not None and weight.ndim}
    if len(sizes) > 1:
        raise ValueError(f"is_grads_batched: the grad_outputs are stacks of different sizes {sorted(sizes)}")
    level = VmapLevel(sizes.pop() if sizes else 1)
    with running(level):
        examples = [None if weight is None else _one_of(level, weight) for weight in weights]
        found = gradients_of(outputs, _cotangents(outputs, examples), history(outputs), targets, create_graph, keep)
    stacks = iter(level.whole([node for node in found if node is not None]))
    return [None if node is None else next(stacks) for node in found]


def _one_of(level: Level, weight: Tensor) -> Tensor:
    if not weight.ndim:
        raise RuntimeError("is_grads_batched: every grad_output needs a dimension 0 that counts the batch")
    return Tensor.from_node(level.one_of(weight.node()))


def _zeros(target: Node) -> Node:
    from_shape = ones_like(target)
    return make_node(ew.sub, (from_shape, from_shape), (), capture())


def _cotangents(outputs: list[Node], given: Tensor | Sequence[Tensor | None] | None) -> list[Node]:
    weights: list[Tensor | None]
    if given is None:
        weights = [None] * len(outputs)
    else:
        weights = [given] if isinstance(given, Tensor) else list(given)
    if len(weights) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(weights)} gradients")
    return [_cotangent(i, output, weight) for i, (output, weight) in enumerate(zip(outputs, weights, strict=True))]


def _cotangent(position: int, node: Node, weight: Tensor | None) -> Node:
    if not is_tracked(node):
        raise RuntimeError(f"element {position} of tensors does not require grad and does not have a grad_fn")
    if weight is None:
        if numel(node.shape) != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if node.dtype.is_complex:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {node.dtype.name}")
        with deriving_from(node.origin):
            return ones_like(node)
    if tuple(weight.shape) != node.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {weight.shape} and output[{position}] "
            f"has a shape of {Size(node.shape)}."
        )
    return (
        weight.node() if weight.dtype is node.dtype else make_node(ew.cast, (weight.node(),), (node.dtype.name,), None)
    )


def _accumulation_targets(reached: list[Node]) -> list[tuple[Node, Tensor]]:
    """Leaves, and tensors that asked to retain their gradient, among the reachable nodes."""
    targets: list[tuple[Node, Tensor]] = []
    for node in leaves_among(reached):
        if node.op is detach or not node.inputs:
            tensor = leaf_tensor(node)
            if tensor is not None:
                targets.append((node, tensor))
    return targets + retained_among(reached)


def _accumulate_rows(tensor: Tensor, table: Node, found: list[tuple[Node, Node | None]]) -> None:
    """Add the gradients of lookups: a sparse gradient stays sparse, and a dense one dense."""
    known = [(lookup, gradient) for lookup, gradient in found if gradient is not None]
    if not known or not tensor.requires_grad:
        return
    lookups, gradients = zip(*known, strict=True)
    gradient = SparseGradients.assemble(table, lookups, gradients)
    if tensor._grad is None or tensor._grad.is_sparse:
        tensor._grad = gradient if tensor._grad is None else tensor._grad + gradient
    else:
        with no_grad():
            total = tensor._grad.detach() + gradient
            tensor._grad.assign(total.node())


def _sum_with(held: Tensor, gradient: Node) -> Node:
    """What a ``.grad`` holds after ``gradient`` was added, without its own gradient."""
    node = held.detach().node()
    if type(held) is Tensor and node.type is gradient.type:
        return record_node(ew.add, (node, gradient))  # nothing to promote, to expand or to override
    total: Node = (held.detach() + Tensor.from_node(gradient)).node()
    return total


def _accumulate(tensor: Tensor, gradient: Node, create_graph: bool) -> None:
    held = tensor._grad
    if held is not None and held.is_sparse:
        held = tensor._grad = held.to_dense()
    if held is None:
        tensor._grad = Tensor.from_node(gradient)
    elif create_graph:
        tensor._grad = held + Tensor.from_node(gradient)
    else:
        with no_grad():
            held.assign(_sum_with(held, gradient))
    if "_post_accumulate_hooks" in tensor.__dict__:
        for hook in list(tensor.__dict__["_post_accumulate_hooks"].values()):
            hook(tensor)
