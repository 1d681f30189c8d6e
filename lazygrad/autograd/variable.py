"""``Variable``: what tensors with gradients were called before they were tensors."""

from __future__ import annotations

from typing import Any

from lazygrad.grad_mode import no_grad
from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor

__all__ = ["Variable"]


class _AnyTensor(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_AnyTensor):
    """``Variable(data, requires_grad)`` is a tensor that shares the memory of ``data``; every tensor is an instance.

    Args:
        data: a tensor; without one, the result is empty.
        requires_grad: whether the new tensor is a leaf that collects gradients; it does not depend on ``data``'s.
        volatile: PyTorch's former word for `no_grad`; True warns and changes nothing.

    Raises:
        TypeError: ``data`` is no tensor.
        ValueError: both flags are True.
        RuntimeError: gradients asked for of a dtype that has none.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile and requires_grad:
            raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if volatile:
            warn_user(
                "volatile was removed and now has no effect. Use `with lazygrad.no_grad():` instead.",
            )
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        with no_grad():
            result = Tensor() if data is None else data.detach()
        if requires_grad:
            if not result.dtype.differentiable:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            result.requires_grad_()
        return result
