"""Autograd's methods of `Tensor`."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd.backward import backward
from lazygrad.autograd.callbacks import (
    register_hook,
    register_post_accumulate_grad_hook,
    retain_grad,
    retains_grad,
)
from lazygrad.ir.node import Kind, Node
from lazygrad.tensor import Tensor


class GradientFunction:
    """``tensor.grad_fn``: the operation that made a tensor, as autograd sees it."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    def name(self) -> str:
        """PyTorch's style of name, for example ``MulBackward0``."""
        words = self._node.op.name.removeprefix("reduce_").split("_")
        return "".join(word.capitalize() for word in words) + "Backward0"

    @property
    def next_functions(self) -> tuple[tuple[GradientFunction | None, int], ...]:
        """The functions gradients flow to next; None for inputs without gradient."""
        return tuple((GradientFunction(i) if i.tracked else None, 0) for i in self._node.inputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradientFunction) and other._node is self._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        return f"<{self.name()} object>"


def _backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """See `lazygrad.autograd.backward`; ``gradient`` weighs the elements of a tensor that is not scalar."""
    backward(self, gradient, retain_graph, create_graph, inputs)


def _grad_fn(self: Tensor) -> GradientFunction | None:
    if self.is_leaf:
        return None
    node = self.node()
    while node.op.kind is Kind.IDENTITY and node.op.name == "straight_through":
        node = node.inputs[1]
    return GradientFunction(node)


for _name, _value in {
    "backward": _backward,
    "grad_fn": property(_grad_fn, doc="The operation that made this tensor; None for leaves."),
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "retain_grad": retain_grad,
    "retains_grad": property(retains_grad, doc="Whether ``.grad`` of this non-leaf is kept."),
}.items():
    setattr(Tensor, _name, _value)
