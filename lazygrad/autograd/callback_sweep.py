"""One backward pass with the user's Python code in it, spelled out at once: hooks of steps, functions that read their
gradients, the search for NaN, gradients of gradients. All others are recorded, see `staged_sweep`."""

from __future__ import annotations

from lazygrad.autodiff.reverse import reverse_sweep_of_sum
from lazygrad.autograd.anomaly import NaNWatch, looks_for_nan
from lazygrad.autograd.callbacks import Callbacks, callbacks_at, end_pass, only_gradient, replaced_gradient
from lazygrad.autograd_meta import mark_tracked, own_meta, tracked_inputs
from lazygrad.grad_mode import set_grad_enabled
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node, make_node, next_serial
from lazygrad.ir.primitives.gradient import grad
from lazygrad.ir.primitives.leaf import custom_output, detach
from lazygrad.levels import levels
from lazygrad.passes.differentiate import expansions
from lazygrad.passes.rewrite import with_inputs
from lazygrad.tensor import Tensor, leaf_tensor

Parts = tuple[Node | None, ...]


def sweep_with_callbacks(
    pairs: list[tuple[Node, Node]], targets: list[Node], callbacks: Callbacks, create_graph: bool
) -> list[Node | None]:
    """Gradients of weighted outputs with all callbacks run, in one sweep.

    Args:
        pairs: outputs and their cotangents.
        targets: what to differentiate by.
        callbacks: see `callbacks_among`.
        create_graph: whether gradients, also those handed to hooks, are differentiable.

    Raises:
        RuntimeError: while anomaly detection is on, a gradient that is NaN; what hooks and functions return wrongly.
    """
    sweep = _CallbackSweep(callbacks, create_graph)
    # A sweep cannot pass through a recorded gradient: what that depends on lies in the history of its output.
    outputs = [output for output, _ in pairs]
    recorded = [node.serial for node in topological_order(outputs, tracked_inputs) if node.op is grad]
    spelled: dict[Node, Node] = {}
    if recorded:
        spelled = expansions(outputs, min(recorded) - 1)
        pairs = [(spelled.get(output, output), weight) for output, weight in pairs]
        mark_tracked([output for output, _ in pairs], sweep.first_new)  # they stay when a hook reads a value
        targets = [spelled.get(target, target) for target in targets]
        callbacks.rename(spelled)
    with set_grad_enabled(create_graph):
        found = reverse_sweep_of_sum(
            pairs, targets, sweep.on_gradient, callbacks.custom, sweep.on_parts, latest_first=True
        )
        if sweep.watch is not None:
            sweep.watch.check()
        end_pass()
    if spelled and create_graph:
        found = _reading_originals(found, spelled, sweep.first_new)
    return [sweep.finished(found[target]) if target in found else None for target in targets]


def _reading_originals(found: dict[Node, Node], spelled: dict[Node, Node], first_new: int) -> dict[Node, Node]:
    """Gradients that read what was recorded, not the copies that were made of it to spell out what it depends on.

    The hooks are at what was recorded. A later sweep that met a copy would go past them.

    Args:
        found: the gradients.
        spelled: for what was recorded its copy, or itself.
        first_new: the serial at which the copies begin.
    """
    replaced = {copy: node for node, copy in spelled.items() if copy.serial >= first_new}

    def inputs(node: Node) -> tuple[Node, ...]:
        return () if node in replaced or node.serial < first_new else node.inputs

    for node in topological_order([*found.values()], inputs):
        if any([source in replaced for source in inputs(node)]):
            made = replaced[node] = with_inputs(node, tuple([replaced.get(each, each) for each in node.inputs]))
            made.value = node.value
            callbacks = callbacks_at(node)
            if callbacks is not None:  # a hook has hung another one on the gradient it was given
                own_meta(made).callbacks = callbacks
    return {target: replaced.get(gradient, gradient) for target, gradient in found.items()}


class _CallbackSweep:
    def __init__(self, callbacks: Callbacks, create_graph: bool) -> None:
        self.callbacks, self.create_graph = callbacks, create_graph
        self.first_new = next_serial()
        self.watch = NaNWatch() if looks_for_nan() and not levels.active else None

    def finished(self, node: Node) -> Node:
        """A gradient for the user's eyes."""
        if not self.create_graph:
            return make_node(detach, (node,), (), node.origin)
        mark_tracked([node], self.first_new)
        return node

    def on_gradient(self, node: Node, gradient: Node) -> Node:
        for registry in self.callbacks.hooks.get(node, ()):
            for hook in list(registry.values()):
                gradient = replaced_gradient(gradient, hook(self._shown(gradient)))
        steps = self.callbacks.steps.get(node)
        for before in list(steps.before.values()) if steps is not None and leaf_tensor(node) is None else ():
            gradient = replaced_gradient(gradient, only_gradient(before((self._shown(gradient),))))
        if self.create_graph and node.op is custom_output:
            mark_tracked([gradient], self.first_new)  # its function may read it, and it keeps its history then
        return gradient

    def on_parts(self, node: Node, gradient: Node, parts: Parts) -> Parts:
        if self.watch is not None:
            self.watch.add(node, parts)
        steps = self.callbacks.steps.get(node)
        for after in list(steps.after.values()) if steps is not None else ():
            shown = tuple(None if part is None else self._shown(part) for part in parts)
            answer = after(shown, (self._shown(gradient),))
            if answer is not None:
                parts = tuple(
                    part if new is None or part is None else replaced_gradient(part, new)
                    for part, new in zip(parts, answer, strict=True)
                )
        return parts

    def _shown(self, gradient: Node) -> Tensor:
        return Tensor.from_node(self.finished(gradient))
