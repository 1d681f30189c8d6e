"""Python code inside the backward pass: tensor hooks, retained gradients, custom functions.

Where any stands in the way, ``backward`` expands its gradients at once instead of recording ``grad`` nodes, so that
each callback runs once per backward, on lazy tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary, ref

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle
from lazygrad.ir.build import ones_like, reduce_sum, reshape
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.leaf import detach
from lazygrad.storage import leaf_tensor
from lazygrad.tensor import Tensor

Pullback = Callable[..., Any]
TensorHook = Callable[[Tensor], Tensor | None]

_node_hooks: WeakKeyDictionary[Node, HookRegistry[TensorHook]] = WeakKeyDictionary()
_any_leaf_hook = False
_retaining: WeakKeyDictionary[Node, ref[Tensor]] = WeakKeyDictionary()
_custom_pullbacks: WeakKeyDictionary[Node, Pullback] = WeakKeyDictionary()


def register_hook(tensor: Tensor, hook: TensorHook) -> RemovableHandle:
    """Call ``hook(gradient)`` whenever the gradient of ``tensor`` is computed; a returned tensor replaces it.

    Raises:
        RuntimeError: the tensor requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if tensor.is_leaf:
        global _any_leaf_hook
        _any_leaf_hook = True
        registry: HookRegistry[TensorHook] = tensor.__dict__.setdefault("_backward_hooks", HookRegistry())
    else:
        registry = _node_hooks.setdefault(tensor.node(), HookRegistry())
    return registry.add(hook)


def register_post_accumulate_grad_hook(tensor: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook(tensor)`` after each ``backward`` that added to its ``.grad``.

    Raises:
        RuntimeError: not a leaf that requires gradients.
    """
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if not tensor.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    registry: HookRegistry[Any] = tensor.__dict__.setdefault("_post_accumulate_hooks", HookRegistry())
    return registry.add(hook)


def retain_grad(tensor: Tensor) -> None:
    """Keep ``.grad`` of a tensor that is not a leaf.

    Raises:
        RuntimeError: the tensor requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not tensor.is_leaf:
        _retaining[tensor.node()] = ref(tensor)


def retains_grad(tensor: Tensor) -> bool:
    """Whether `retain_grad` was called on this tensor and it is not a leaf."""
    return tensor.requires_grad and tensor.node() in _retaining


def set_custom_pullback(node: Node, pullback: Pullback) -> None:
    """Differentiate ``node`` by calling ``pullback(gradient, node, *inputs)``."""
    _custom_pullbacks[node] = pullback


@dataclass(slots=True)
class Callbacks:
    """What Python code lies in one backward pass; false where there is none that has to run."""

    hooks: dict[Node, list[HookRegistry[TensorHook]]] = field(default_factory=dict)
    custom: dict[Node, Pullback] = field(default_factory=dict)
    retained: list[tuple[Node, Tensor]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.hooks or self.custom)


def callbacks_among(nodes: list[Node]) -> Callbacks:
    """The callbacks attached to some nodes. Costs nothing while there are none at all."""
    found = Callbacks()
    if not (_node_hooks or _any_leaf_hook or _retaining or _custom_pullbacks):
        return found
    for node in nodes:
        if node in _node_hooks:
            found.hooks.setdefault(node, []).append(_node_hooks[node])
        if node in _custom_pullbacks:
            found.custom[node] = _custom_pullbacks[node]
        tensor = _retaining[node]() if node in _retaining else None
        if tensor is not None:
            found.retained.append((node, tensor))
        leaf = leaf_tensor(node) if _any_leaf_hook else None
        if leaf is not None and leaf.__dict__.get("_backward_hooks"):
            found.hooks.setdefault(node, []).append(leaf.__dict__["_backward_hooks"])
    return found


def sweep_with_callbacks(
    pairs: list[tuple[Node, Node]], targets: list[Node], callbacks: Callbacks, create_graph: bool
) -> list[Node | None]:
    """Gradients of weighted outputs with all callbacks run, in one sweep.

    Args:
        pairs: outputs and their cotangents.
        targets: what to differentiate by.
        callbacks: see `callbacks_among`.
        create_graph: whether gradients, also those handed to hooks, are differentiable.
    """
    from lazygrad.autodiff.reverse import reverse_sweep  # loads with the first expansion, like the compiler

    output, cotangent = pairs[0] if len(pairs) == 1 else _weighted_sum(pairs)
    first_new = ones_like(output).serial

    def finished(node: Node) -> Node:
        if not create_graph:
            return make_node(detach, (node,), (), node.origin)
        mark_tracked([node], first_new)
        return node

    def on_gradient(node: Node, gradient: Node) -> Node:
        for registry in callbacks.hooks.get(node, ()):
            for hook in list(registry.values()):
                replacement = hook(Tensor.from_node(finished(gradient)))
                if replacement is not None:
                    gradient = _fitting(replacement, gradient)
        return gradient

    found = reverse_sweep(output, cotangent, targets, on_gradient, callbacks.custom)
    return [finished(found[target]) if target in found else None for target in targets]


def _fitting(replacement: Tensor, gradient: Node) -> Node:
    """A hook's result in place of a gradient.

    Raises:
        RuntimeError: it has another shape.
        TypeError: it is not a tensor.
    """
    if not isinstance(replacement, Tensor):
        raise TypeError(f"expected a Tensor or None from a hook, but got {type(replacement).__name__}")
    node = replacement.node()
    if node.type is not gradient.type:
        raise RuntimeError(f"hook {node.type} has changed the type of value: it should be {gradient.type}")
    return node


def _weighted_sum(pairs: list[tuple[Node, Node]]) -> tuple[Node, Node]:
    total: Node | None = None
    for output, weight in pairs:
        term = reshape(reduce_sum(output * weight, tuple(range(output.rank))), ())
        total = term if total is None else total + term
    assert total is not None
    return total, ones_like(total)


def mark_tracked(nodes: Sequence[Node], first_new: int) -> None:
    """Nodes built by a sweep do not know yet whether a gradient can flow through them."""

    def new_inputs(current: Node) -> tuple[Node, ...]:
        return current.inputs if current.serial >= first_new else ()

    for current in topological_order(nodes, new_inputs):
        if current.serial >= first_new and current.op is not detach:
            current.tracked = current.dtype.differentiable and any(source.tracked for source in current.inputs)
