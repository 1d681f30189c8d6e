"""One backward pass with custom functions and tensor hooks in it, recorded in stages.

Each function is called once, on gradients that are recorded like any other, and what it answers is recorded as a stage
(see `lazygrad.ir.primitives.gradient`). So the formulas of all other steps are left to the plan of the whole pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any
from weakref import WeakSet

from lazygrad.autograd.application import application_at, position_of
from lazygrad.autograd.callbacks import Callbacks, end_pass, only_gradient, replaced_gradient
from lazygrad.autograd.used_up import on_path_to
from lazygrad.autograd_meta import is_tracked, track, tracked_inputs
from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import latest_first
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.gradient import grad, gradient_passed_on, gradient_replaced, gradient_seeds
from lazygrad.ir.primitives.leaf import custom_function, custom_output, detach, structural_number
from lazygrad.levels import levels
from lazygrad.tensor import Tensor, leaf_tensor


def can_be_staged(callbacks: Callbacks, reached: Iterable[Node]) -> bool:
    """Whether all that has to run are hooks of tensors and custom functions, outside of transforms.

    What hooks after single steps see, and what `saved_tensors_hooks` unpack, are parts of formulas that are not spelled
    out here. A gradient of gradients needs the formulas, too. Where a function reads the values of its gradients, all
    that was spelled out is computed once, but stages would be computed anew for each function.
    """
    return (
        not levels.active
        and not (_readers and any([_code_of(function) in _readers for function in _functions(callbacks)]))
        and all([node.op is custom_function or node.op is custom_output for node in callbacks.custom])
        and not any([len(steps.after.values()) for steps in callbacks.steps.values()])
        and not any([node.op is grad for node in reached])
    )


def staged_sweep(
    pairs: list[tuple[Node, Node]], targets: list[Node], reached: list[Node], callbacks: Callbacks
) -> tuple[list[Node | None], list[Node]]:
    """Gradients of weighted outputs, with all callbacks between them and the targets run; and all that were recorded.

    What a callback was given may be kept by it, and needs the history as the gradients of the targets do.

    Args:
        pairs: outputs and their cotangents.
        targets: what to differentiate by.
        reached: the history of the outputs, inputs first; targets outside it get None.
        callbacks: see `can_be_staged`.

    Raises:
        RuntimeError, TypeError: what hooks and functions return wrongly.
    """
    sweep = _StagedSweep(pairs, callbacks)
    on_path = on_path_to(targets, reached)
    flows = {output for output, _ in pairs}
    with no_grad():
        for node in latest_first(reached, tracked_inputs):
            if node in flows and node in on_path:
                flows.update(sweep.pass_at(node))
        found = [sweep.gradient_at(target) if target in on_path and target in flows else None for target in targets]
        end_pass()
    return found, sweep.recorded


_readers: WeakSet[Any] = WeakSet()
"""Code that was seen to read the values of the gradients it was given."""


def _functions(callbacks: Callbacks) -> Iterator[Any]:
    for node in callbacks.custom:
        if node.op is custom_function:
            yield application_at(node).function
    for registries in callbacks.hooks.values():
        for registry in registries:
            yield from registry.values()
    for steps in callbacks.steps.values():
        yield from steps.before.values()


def _code_of(function: Any) -> Any:
    """What stays the same where a hook is made anew for each pass."""
    if isinstance(function, type):
        return function
    if isinstance(function, partial):
        return _code_of(function.func)
    return getattr(function, "__code__", type(function))


class _StagedSweep:
    """The stages so far.

    Attributes:
        recorded: the gradients that were asked for, by a callback or in the end.
    """

    def __init__(self, pairs: list[tuple[Node, Node]], callbacks: Callbacks) -> None:
        self._callbacks = callbacks
        self._arrived_at: dict[Node, list[Node]] = {}  # by custom function, those of its outputs that have a gradient
        self._one = structural_number(1.0, float32)
        self._replaced: dict[Node, Node] = {}
        self.recorded: list[Node] = []
        inputs = (*[output for output, _ in pairs], *[cotangent for _, cotangent in pairs])
        self._stage = make_node(gradient_seeds, inputs, (len(pairs),), None)

    def gradient_at(self, node: Node) -> Node:
        """The gradient that arrives at ``node``, after its hooks if they have run."""
        if node in self._replaced:
            return self._replaced[node]
        gradient = make_node(grad, (self._stage, self._one, node), (), node.origin)
        track(gradient, False)
        shown = make_node(detach, (gradient,), (), node.origin)
        self.recorded.append(shown)
        return shown

    def pass_at(self, node: Node) -> Iterable[Node]:
        """Call what was registered at ``node``, and add a stage that says what was answered.

        Returns:
            The inputs that gradients flow on to.
        """
        if node.op is custom_function:
            return self._run_backward(node)
        if node in self._callbacks.hooks or node in self._callbacks.steps:
            self._run_hooks(node)
        if node.op is custom_output:
            self._arrived_at.setdefault(node.inputs[1], []).append(node)
        return tracked_inputs(node)

    def _run_hooks(self, node: Node) -> None:
        gradient = self.gradient_at(node)
        for registry in self._callbacks.hooks.get(node, ()):
            for hook in list(registry.values()):
                gradient = _answered(hook, gradient)
        steps = self._callbacks.steps.get(node)
        for before in list(steps.before.values()) if steps is not None and leaf_tensor(node) is None else ():
            gradient = _answered(before, gradient, in_tuple=True)
        self._replaced[node] = gradient
        if node.inputs:
            self._add(gradient_replaced, (node, gradient), ())

    def _run_backward(self, joint: Node) -> list[Node]:
        from lazygrad.autodiff.reverse import fitted  # rules of derivatives load with the first custom function

        outputs = self._arrived_at[joint]
        application = application_at(joint)
        arrived = {position_of(node): self.gradient_at(node) for node in outputs}
        parts = application.gradients_of_inputs(arrived)
        _note_reading(application.function, *arrived.values())
        given: dict[int, Node] = {}
        for position, (part, source) in enumerate(zip(parts, joint.inputs, strict=True)):
            if part is not None and source.dtype.differentiable:
                given[position] = fitted(part, source, joint)
        mask = tuple([position in given for position in range(len(parts))])
        self._add(gradient_passed_on, (joint, *outputs, *given.values()), (len(outputs), mask))
        return [joint.inputs[position] for position in given if is_tracked(joint.inputs[position])]

    def _add(self, op: Any, inputs: tuple[Node, ...], attrs: tuple[Any, ...]) -> None:
        self._stage = make_node(op, (self._stage, *inputs), attrs, None)


def _answered(hook: Any, gradient: Node, in_tuple: bool = False) -> Node:
    """What a hook makes of a gradient."""
    shown = Tensor.from_node(gradient)
    answer = only_gradient(hook((shown,))) if in_tuple else hook(shown)
    _note_reading(hook, gradient)
    return replaced_gradient(gradient, answer)


def _note_reading(function: Any, *gradients: Node) -> None:
    if any([gradient.value is not None for gradient in gradients]):
        _readers.add(_code_of(function))
