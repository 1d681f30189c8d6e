"""Python code inside the backward pass: tensor hooks, custom functions.

Where any stands in the way, ``backward`` expands its gradients at once instead of recording ``grad`` nodes, so that
each callback runs once per backward, on lazy tensors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle
from lazygrad.autograd_meta import AutogradMeta, own_meta
from lazygrad.ir.node import Node
from lazygrad.retained_gradients import retain, retains
from lazygrad.tensor import Tensor, leaf_tensor

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


class NodeCallbacks:
    """The user's functions that run when a gradient passes one node, and what they keep with it.

    Attributes:
        hooks: called with the gradient; those of a leaf are its tensor's.
        steps: hooks of the step that differentiates the node.
        pullback: what differentiates the node in place of its op's rule.
        application: of the joint node of a custom function, its call.
        position: of an output of a custom function, its number.
        metadata: a dictionary for whatever the user wants.
    """

    __slots__ = ("application", "hooks", "metadata", "position", "pullback", "steps")

    def __init__(self) -> None:
        self.hooks: HookRegistry[TensorHook] | None = None
        self.steps: StepHooks | None = None
        self.pullback: Pullback | None = None
        self.application: Any = None
        self.position = 0
        self.metadata: dict[Any, Any] = {}


class _Used:
    """Whether any callback was ever registered, so that passes of programs without them do not look for any."""

    at_nodes = False
    at_leaves = False


def callbacks_at(node: Node) -> NodeCallbacks | None:
    """What was registered at ``node``, or None."""
    meta: AutogradMeta | None = node.autograd
    return meta.callbacks if meta is not None else None


def new_callbacks_at(node: Node) -> NodeCallbacks:
    """What was registered at ``node``, to add to it."""
    meta = own_meta(node)
    if meta.callbacks is None:
        _Used.at_nodes = True
        meta.callbacks = NodeCallbacks()
    found: NodeCallbacks = meta.callbacks
    return found


def register_hook(tensor: Tensor, hook: TensorHook) -> RemovableHandle:
    """Call ``hook(gradient)`` whenever the gradient of ``tensor`` is computed; a returned tensor replaces it.

    Raises:
        RuntimeError: the tensor requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if tensor.is_leaf:
        _Used.at_leaves = True
        registry: HookRegistry[TensorHook] = tensor.__dict__.setdefault("_backward_hooks", HookRegistry())
    else:
        callbacks = new_callbacks_at(tensor.node())
        if callbacks.hooks is None:
            callbacks.hooks = HookRegistry()
        registry = callbacks.hooks
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
        retain(tensor)


def retains_grad(tensor: Tensor) -> bool:
    """Whether `retain_grad` was called on this tensor when it was no leaf."""
    return retains(tensor)


def step_hooks(node: Node) -> StepHooks:
    """The hooks of the step that differentiates ``node``."""
    callbacks = new_callbacks_at(node)
    if callbacks.steps is None:
        callbacks.steps = StepHooks()
    return callbacks.steps


def leaf_step_hooks(leaf: Node) -> StepHooks | None:
    """The hooks of the step that adds to the ``.grad`` of a leaf, or None."""
    callbacks = callbacks_at(leaf) if _Used.at_nodes else None
    return callbacks.steps if callbacks is not None else None


def accumulated_gradient(steps: StepHooks, gradient: Node) -> Node:
    """What the hooks before the step that adds to the ``.grad`` of a leaf make of the gradient."""
    for before in list(steps.before.values()):
        gradient = replaced_gradient(gradient, only_gradient(before((Tensor.from_node(gradient),))))
    return gradient


def run_hooks_after_accumulation(steps: StepHooks, gradient: Node) -> None:
    """Call the hooks after that step, which passes nothing on."""
    for after in list(steps.after.values()):
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
    new_callbacks_at(node).pullback = pullback


@dataclass(slots=True)
class Callbacks:
    """What Python code lies in one backward pass; false where there is none that has to run within it.

    Attributes:
        hooks: by node, those that are called with its gradient.
        steps: by node, those of the step that differentiates it.
        custom: by node, what differentiates it in place of its op's rule.
        joint: hooks of leaves that were written to or shown to numpy in between, so that several nodes are their
            values. They are called after the pass, with the sum of the gradients of these.
    """

    hooks: dict[Node, list[HookRegistry[TensorHook]]] = field(default_factory=dict)
    steps: dict[Node, StepHooks] = field(default_factory=dict)
    custom: dict[Node, Pullback] = field(default_factory=dict)
    joint: list[tuple[HookRegistry[TensorHook], list[Node]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.hooks or self.steps or self.custom)

    def add(self, node: Node, callbacks: NodeCallbacks) -> None:
        """Gather what was registered at ``node``."""
        if callbacks.hooks is not None:
            self.hooks.setdefault(node, []).append(callbacks.hooks)
        if callbacks.steps is not None:
            self.steps[node] = callbacks.steps
        if callbacks.pullback is not None:
            self.custom[node] = callbacks.pullback

    def rename(self, nodes: Mapping[Node, Node]) -> None:
        """Move what hangs on a node to the one that takes its place."""
        self.hooks = {nodes.get(node, node): hooks for node, hooks in self.hooks.items()}
        self.steps = {nodes.get(node, node): steps for node, steps in self.steps.items()}
        self.custom = {nodes.get(node, node): pullback for node, pullback in self.custom.items()}


def callbacks_among(nodes: list[Node]) -> Callbacks:
    """The callbacks attached to some nodes. Costs nothing while there are none at all."""
    found = Callbacks()
    if not (_Used.at_nodes or _Used.at_leaves):
        return found
    values: dict[int, tuple[HookRegistry[TensorHook], list[Node]]] = {}  # by leaf with hooks
    for node in nodes:
        callbacks = callbacks_at(node)
        if callbacks is not None:
            found.add(node, callbacks)
        leaf = leaf_tensor(node) if _Used.at_leaves else None
        registry = leaf.__dict__.get("_backward_hooks") if leaf is not None else None
        if registry:
            values.setdefault(id(leaf), (registry, []))[1].append(node)
    for registry, of_leaf in values.values():
        if len(of_leaf) > 1:
            found.joint.append((registry, of_leaf))
        else:
            found.hooks.setdefault(of_leaf[0], []).append(registry)
    return found


def custom_among(nodes: list[Node]) -> list[Node]:
    """Those whose pullback `set_custom_pullback` replaced."""
    if not _Used.at_nodes:
        return []
    return [node for node in nodes if (found := callbacks_at(node)) is not None and found.pullback is not None]
