"""Tensors that register themselves when they are assigned to a `Module`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from lazygrad.grad_mode import no_grad
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.objects.copying import attributes_of
from lazygrad.tensor import Tensor

__all__ = ["Parameter", "Buffer"]


class Parameter(Tensor):
    """A leaf tensor that is trained: assigning it to a `Module` lists it among ``module.parameters()``.

    It requires grad by default, also when it is made under ``no_grad``.

    Args:
        data: the initial value; an empty 1-d tensor when left out. Its storage is shared, but that of a view or of a
            detached alias is copied: writes to one are not seen in the other then.
        requires_grad: whether gradients are accumulated into ``.grad``.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        return Tensor._make_leaf_subclass(cls, empty(0) if data is None else data, requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            with no_grad():
                memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _rebuilt, (type(self), self.detach(), self.requires_grad, attributes_of(self))

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    __str__ = __repr__


def _rebuilt(cls: type[Parameter], data: Tensor, requires_grad: bool, attributes: dict[str, Any]) -> Parameter:
    parameter = cls(data, requires_grad)
    parameter.__dict__.update(attributes)
    return parameter


class Buffer(Tensor):
    """A tensor that is state but is not trained, such as a running mean: assigning it registers a buffer.

    Args:
        data: the initial value; an empty 1-d tensor when left out. Its storage is shared, but that of a view or of a
            detached alias is copied: writes to one are not seen in the other then.
        persistent: whether the buffer is part of ``module.state_dict()``.
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        value = empty(0) if data is None else data
        buffer = Tensor._make_leaf_subclass(cls, value, value.requires_grad)
        buffer.persistent = persistent
        return buffer
