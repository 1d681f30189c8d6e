"""Autograd's methods of `Tensor`."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd.backward import backward
from lazygrad.autograd.callbacks import register_hook, register_post_accumulate_grad_hook, retain_grad, retains_grad
from lazygrad.autograd.gradient_function import GradientFunction, gradient_function
from lazygrad.tensor import Tensor


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
    return None if self.is_leaf else gradient_function(self.node())


def _is_inference(self: Tensor) -> bool:
    """Whether this tensor was made inside `inference_mode`."""
    return self._storage.is_inference


for _name, _value in {
    "backward": _backward,
    "grad_fn": property(_grad_fn, doc="The operation that made this tensor; None for leaves."),
    "is_inference": _is_inference,
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "retain_grad": retain_grad,
    "retains_grad": property(retains_grad, doc="Whether ``.grad`` of this non-leaf is kept."),
}.items():
    setattr(Tensor, _name, _value)
