"""`backward` and `grad`: they record gradients as nodes; nothing is computed until one is needed."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd.anomaly import looks_for_nan
from lazygrad.autograd.callbacks import accumulated_gradient, callbacks_among, run_hooks_after_accumulation
from lazygrad.autograd.gradient_function import GradientEdge
from lazygrad.grad_mode import no_grad
from lazygrad.ir.build import ones_like
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import ConsumedHistory, Kind, Node, deriving_from, make_node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import reduction
from lazygrad.ir.primitives.gradient import grad as grad_op
from lazygrad.ir.primitives.leaf import buffer, detach
from lazygrad.ir.shape import numel
from lazygrad.levels import Level, forbid, running
from lazygrad.storage import leaf_tensor
from lazygrad.tensor import Tensor

Output = Tensor | GradientEdge

# Ops whose derivative needs no value of the forward pass; PyTorch lets a second backward run through them.
_KEEPS_NOTHING = frozenset(
    {ew.add, ew.sub, ew.neg, ew.cast, ew.contiguous, ew.real, ew.imag, ew.conj, ew.complex_, reduction.reduce_sum}
)

_CONSUMED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Specify retain_graph=True if you need to backward through the graph a second time"
)


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
    reached = _reachable(outputs)
    if inputs is None:
        targets = _accumulation_targets(reached)
    else:
        targets = [(_node(item), _accumulating(item)) for item in _listed(inputs)]
        if not targets:
            raise RuntimeError("'inputs' argument to backward() cannot be empty.")
        _require_tracked([node for node, _ in targets])
    keep = create_graph if retain_graph is None else retain_graph
    gradients = _gradients(outputs, weights, reached, [node for node, _ in targets], create_graph, keep)
    for (node, tensor), gradient in zip(targets, gradients, strict=True):
        if gradient is not None:
            gradient = accumulated_gradient(node, gradient)
            _accumulate(tensor, gradient, create_graph)
            run_hooks_after_accumulation(node, gradient)


def grad(
    outputs: Output | Sequence[Output],
    inputs: Output | Sequence[Output],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of ``outputs`` with regard to ``inputs``, without touching ``.grad``.

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in `backward`.
        inputs: tensors that require gradients, or edges of the backward graph.
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
    out, targets = _nodes(outputs), _nodes(inputs)
    _require_tracked(targets)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        found = _batched_gradients(out, grad_outputs, targets, create_graph, keep)
    else:
        weights = _cotangents(out, grad_outputs)
        found = _gradients(out, weights, _reachable(out), targets, create_graph, keep)
    results: list[Tensor | None] = []
    for target, node in zip(targets, found, strict=True):
        if node is None and not (allow_unused or materialize_grads):
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        if node is None and materialize_grads:
            node = _zeros(target)
        results.append(Tensor.from_node(node) if node is not None else None)
    return tuple(results)


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
    if not all(node.tracked for node in targets):
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
        found = _gradients(outputs, _cotangents(outputs, examples), _reachable(outputs), targets, create_graph, keep)
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
    if not node.tracked:
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
            f"Mismatch in shape: grad_output[{position}] has a shape of {list(weight.shape)} and output[{position}] "
            f"has a shape of {list(node.shape)}."
        )
    return (
        weight.node() if weight.dtype is node.dtype else make_node(ew.cast, (weight.node(),), (node.dtype.name,), None)
    )


def _reachable(outputs: list[Node]) -> list[Node]:
    """The tracked history of the outputs, inputs first."""

    def tracked_inputs(node: Node) -> tuple[Node, ...]:
        return tuple([source for source in node.inputs if source.tracked])

    return topological_order(outputs, tracked_inputs)


def _steps_towards(targets: list[Node], reached: list[Node]) -> list[Node]:
    """The nodes through which gradients flow to the targets.

    Raises:
        RuntimeError: an earlier backward used one up.
    """
    on_path = set(targets)
    steps = []
    for node in reached:
        if any(source in on_path for source in node.inputs):
            on_path.add(node)
            steps.append(node)
    for node in steps:
        if node.consumed is None or leaf_tensor(node) is not None:
            continue
        if node.op is buffer or not (node.op in _KEEPS_NOTHING or node.op.kind is Kind.MOVEMENT):
            raise RuntimeError(_CONSUMED)
    oldest = min((target.serial for target in targets), default=0)
    for node in reached:
        forgotten = node.op is buffer and node.consumed is not None and leaf_tensor(node) is None
        if forgotten and node not in on_path and node.serial > oldest:
            raise RuntimeError(_CONSUMED)  # a target may have been among its inputs
    return steps


def _accumulation_targets(reached: list[Node]) -> list[tuple[Node, Tensor]]:
    """Leaves, and tensors that asked to retain their gradient, among the reachable nodes."""
    targets: list[tuple[Node, Tensor]] = []
    for node in reached:
        if node.op is detach or not node.inputs:
            tensor = leaf_tensor(node)
            if tensor is not None:
                targets.append((node, tensor))
    return targets + callbacks_among(reached).retained


def _gradients(
    outputs: list[Node],
    weights: list[Node],
    reached: list[Node],
    targets: list[Node],
    create_graph: bool,
    keep: bool,
) -> list[Node | None]:
    """One gradient node per target, or None where the outputs do not depend on it."""
    steps = _steps_towards(targets, reached)
    consumed = None if keep else ConsumedHistory()
    pairs = list(zip(outputs, weights, strict=True))
    sums = gradient_nodes(pairs, targets, reached, create_graph)
    if consumed is not None:
        for node in steps:
            if node.op is not detach:
                node.consumed = consumed
        for gradient in sums:
            if gradient is not None:
                consumed.add(gradient)
    return sums


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
    return [_recorded(pairs, target, create_graph) if target in within else None for target in targets]


def _recorded(pairs: list[tuple[Node, Node]], target: Node, create_graph: bool) -> Node:
    """``grad`` nodes, summed over the outputs that are given."""
    total: Node | None = None
    for output, weight in pairs:
        node = make_node(grad_op, (output, weight, target), (), target.origin)
        node.tracked = create_graph
        if total is not None:
            node = make_node(ew.add, (total, node), (), target.origin)
            node.tracked = create_graph
        total = node
    assert total is not None
    return total if create_graph else make_node(detach, (total,), (), target.origin)


def _accumulate(tensor: Tensor, gradient: Node, create_graph: bool) -> None:
    if tensor._grad is None:
        tensor._grad = Tensor.from_node(gradient)
    elif create_graph:
        tensor._grad = tensor._grad + Tensor.from_node(gradient)
    else:
        with no_grad():
            total = tensor._grad.detach() + Tensor.from_node(gradient)
            tensor._grad.assign(total.node())
    if "_post_accumulate_hooks" in tensor.__dict__:
        for hook in list(tensor.__dict__["_post_accumulate_hooks"].values()):
            hook(tensor)
