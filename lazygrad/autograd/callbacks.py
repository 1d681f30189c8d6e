"""Python code inside the backward pass: tensor hooks, retained gradients, custom functions.

Where any stands in the way, ``backward`` expands its gradients at once instead of recording ``grad`` nodes, so that
each callback runs once per backward, on lazy tensors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary, ref

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import detach
from lazygrad.storage import leaf_tensor
from lazygrad.tensor import Tensor

Pullback = Callable[..., Any]
TensorHook = Callable[[Tensor], Tensor | None]

Gradients = tuple[Tensor | None, ...]


class _Pass(threading.local):
    def __init__(self) -> None:
        self.at_end: list[Callable[[], None]] = []


_pass = _Pass()


def at_end_of_pass(callback: Callable[[], None]) -> None:
    """Called from a hook: run ``callback`` when the backward pass it belongs to is complete."""
    _pass.at_end.append(callback)


def end_pass() -> None:
    """Run what `at_end_of_pass` was told."""
    callbacks, _pass.at_end = _pass.at_end, []
    for callback in callbacks:
        callback()


class StepHooks:
    """Hooks of one step of the backward pass, see `GradientFunction`.

    Attributes:
        before: called with the gradient that arrives.
        after: called with the gradients passed on, and the one that arrived.
    """

    def __init__(self) -> None:
        self.before: HookRegistry[Callable[[Gradients], Gradients | None]] = HookRegistry()
        self.after: HookRegistry[Callable[[Gradients, Gradients], Gradients | None]] = HookRegistry()


_node_hooks: WeakKeyDictionary[Node, HookRegistry[TensorHook]] = WeakKeyDictionary()
_any_leaf_hook = False
_retaining: WeakKeyDictionary[Node, ref[Tensor]] = WeakKeyDictionary()
_custom_pullbacks: WeakKeyDictionary[Node, Pullback] = WeakKeyDictionary()
_step_hooks: WeakKeyDictionary[Node, StepHooks] = WeakKeyDictionary()


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


def step_hooks(node: Node) -> StepHooks:
    """The hooks of the step that differentiates ``node``."""
    return _step_hooks.setdefault(node, StepHooks())


def accumulated_gradient(leaf: Node, gradient: Node) -> Node:
    """What the hooks before the step that adds to the ``.grad`` of a leaf make of the gradient."""
    steps = _step_hooks.get(leaf) if _step_hooks else None
    for before in list(steps.before.values()) if steps is not None else ():
        gradient = replaced_gradient(gradient, only_gradient(before((Tensor.from_node(gradient),))))
    return gradient


def run_hooks_after_accumulation(leaf: Node, gradient: Node) -> None:
    """Call the hooks after that step, which passes nothing on."""
    steps = _step_hooks.get(leaf) if _step_hooks else None
    for after in list(steps.after.values()) if steps is not None else ():
        after((), (Tensor.from_node(gradient),))


def only_gradient(answer: Any) -> Any:
    """The gradient in the tuple that a hook before a step answers with."""
    return answer[0] if isinstance(answer, tuple) else answer


def replaced_gradient(gradient: Node, answer: Any) -> Node:
    """A hook's answer in place of a gradient, unless it is None.

    Raises:
        RuntimeError: it has another shape.
        TypeError: it is not a tensor.
    """
    if answer is None:
        return gradient
    if not isinstance(answer, Tensor):
        raise TypeError(f"expected a Tensor or None from a hook, but got {type(answer).__name__}")
    node = answer.node()
    if node.type is not gradient.type:
        raise RuntimeError(f"hook {node.type} has changed the type of value: it should be {gradient.type}")
    return node


def set_custom_pullback(node: Node, pullback: Pullback) -> None:
    """Differentiate ``node`` by calling ``pullback(gradient, node, *inputs)``."""
    _custom_pullbacks[node] = pullback


@dataclass(slots=True)
class Callbacks:
    """What Python code lies in one backward pass; false where there is none that has to run."""

    hooks: dict[Node, list[HookRegistry[TensorHook]]] = field(default_factory=dict)
    steps: dict[Node, StepHooks] = field(default_factory=dict)
    custom: dict[Node, Pullback] = field(default_factory=dict)
    retained: list[tuple[Node, Tensor]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.hooks or self.steps or self.custom)

    def rename(self, nodes: Mapping[Node, Node]) -> None:
        """Move what hangs on a node to the one that takes its place."""
        self.hooks = {nodes.get(node, node): hooks for node, hooks in self.hooks.items()}
        self.steps = {nodes.get(node, node): steps for node, steps in self.steps.items()}
        self.custom = {nodes.get(node, node): pullback for node, pullback in self.custom.items()}


def callbacks_among(nodes: list[Node]) -> Callbacks:
    """The callbacks attached to some nodes. Costs nothing while there are none at all."""
    found = Callbacks()
    if not (_node_hooks or _step_hooks or _any_leaf_hook or _retaining or _custom_pullbacks):
        return found
    for node in nodes:
        if node in _node_hooks:
            found.hooks.setdefault(node, []).append(_node_hooks[node])
        if node in _step_hooks:
            found.steps[node] = _step_hooks[node]
        if node in _custom_pullbacks:
            found.custom[node] = _custom_pullbacks[node]
        tensor = _retaining[node]() if node in _retaining else None
        if tensor is not None:
            found.retained.append((node, tensor))
        leaf = leaf_tensor(node) if _any_leaf_hook else None
        if leaf is not None and leaf.__dict__.get("_backward_hooks"):
            found.hooks.setdefault(node, []).append(leaf.__dict__["_backward_hooks"])
    return found


def custom_among(nodes: list[Node]) -> list[Node]:
    """Those whose pullback `set_custom_pullback` replaced."""
    return [node for node in nodes if node in _custom_pullbacks] if _custom_pullbacks else []


def mark_tracked(nodes: Sequence[Node], first_new: int) -> None:
    """Nodes built by a sweep do not know yet whether a gradient can flow through them."""

    def new_inputs(current: Node) -> tuple[Node, ...]:
        return current.inputs if current.serial >= first_new else ()

    for current in topological_order(nodes, new_inputs):
        if current.serial >= first_new and current.op is not detach:
            current.tracked = current.dtype.differentiable and any(source.tracked for source in current.inputs)
