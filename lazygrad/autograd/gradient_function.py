"""``tensor.grad_fn``: the operation that made a tensor, under the name PyTorch gives its backward step.

The graph keeps primitives and composites, not the functions the user called; see `lazygrad.autograd.step_names`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from lazygrad.autograd.application import applied_function
from lazygrad.autograd.callbacks import new_callbacks_at, step_hooks
from lazygrad.autograd.hooks import RemovableHandle
from lazygrad.autograd.step_names import inputs_of_step, step_name, without_squeeze
from lazygrad.autograd_meta import call_of, is_tracked
from lazygrad.ir.node import Node
from lazygrad.ir.primitives.leaf import buffer, custom_output, straight_through
from lazygrad.tensor import Tensor, leaf_tensor


class GradientFunction:
    """One step of the backward pass. Its class is named as PyTorch's, for example ``MulBackward0``.

    Attributes:
        result: the node whose gradient arrives at this step.
    """

    __slots__ = ("_node", "result")

    def __init__(self, node: Node, result: Node | None = None) -> None:
        self._node = node
        self.result = node if result is None else result

    def name(self) -> str:
        """PyTorch's name of this step."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[GradientFunction | None, int], ...]:
        """The functions gradients flow to next; None for inputs without gradient."""
        sources = inputs_of_step(self._node)
        return tuple((gradient_function(source) if is_tracked(source) else None, 0) for source in sources)

    @property
    def variable(self) -> Tensor:
        """The leaf that an ``AccumulateGrad`` step adds to.

        Raises:
            AttributeError: another step.
        """
        leaf = leaf_tensor(self._node)
        if leaf is None:
            raise AttributeError(f"{self.name()} has no variable; only the AccumulateGrad of a leaf does")
        return leaf

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for whatever the user wants to keep with this step."""
        return new_callbacks_at(self._node).metadata

    def register_prehook(self, fn: Callable[[tuple[Tensor | None, ...]], Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this step; a returned tuple replaces the gradients it works on."""
        return step_hooks(self.result).before.add(fn)

    def register_hook(
        self, fn: Callable[[tuple[Tensor | None, ...], tuple[Tensor | None, ...]], Any]
    ) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after this step; a returned tuple replaces what it passes on."""
        return step_hooks(self._node).after.add(fn)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradientFunction) and other._node is self._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        return f"<{self.name()} object>"


class GradientEdge(NamedTuple):
    """Where a gradient arrives: what `backward` and `grad` take in place of a tensor.

    Attributes:
        node: the step it arrives at.
        output_nr: which of that step's outputs it belongs to; each of ours has one.
        ownership_token: PyTorch's; None.
    """

    node: GradientFunction
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge at which the gradient of ``tensor`` arrives.

    Raises:
        RuntimeError: the tensor requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(gradient_function(tensor.node()), 0)


def gradient_function(node: Node) -> GradientFunction:
    """The step that hands gradients from ``node`` to its inputs; for a leaf, the one that keeps them."""
    if leaf_tensor(node) is not None or node.op is buffer:  # of a leaf that nobody has any more
        return _step_class("AccumulateGrad")(node)
    result = node
    while node.op is straight_through:
        node = node.inputs[1]
    if node.op is custom_output:
        return _step_class(f"{applied_function(node).__name__}Backward")(node, result)
    return _step_class(step_name(node))(node if call_of(node) else without_squeeze(node), result)


@cache
def _step_class(name: str) -> type[GradientFunction]:
    return type(name, (GradientFunction,), {"__slots__": ()})
