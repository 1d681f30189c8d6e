"""Tensors that register themselves when they are assigned to a `Module`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeGuard

from lazygrad.autograd_meta import is_tracked
from lazygrad.grad_mode import no_grad
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.objects.copying import attributes_of
from lazygrad.tensor import Tensor
from lazygrad.torch_function import left_alone

__all__ = ["Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"]


class Parameter(Tensor):
    """A leaf tensor that is trained: assigning it to a `Module` lists it among ``module.parameters()``.

    It requires grad by default, also when it is made under ``no_grad``.

    Args:
        data: the initial value; an empty 1-d tensor when left out. Its storage is shared, but that of a view or of a
            detached alias is copied: writes to one are not seen in the other then.
        requires_grad: whether gradients are accumulated into ``.grad``.
    """

    __torch_function__ = staticmethod(left_alone)  # results are plain tensors

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
    __torch_function__ = staticmethod(left_alone)

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        value = empty(0) if data is None else data
        buffer = Tensor._make_leaf_subclass(cls, value, value.requires_grad)
        buffer.persistent = persistent
        return buffer


class UninitializedTensor(Tensor):
    """A tensor whose shape is not known yet: it has a dtype and a device, and computes nothing.

    Attributes:
        cls_to_become: what it is once `materialize` gave it a shape.
    """

    cls_to_become: type[Tensor]
    __torch_function__ = staticmethod(left_alone)

    def materialize(self, shape: Shape, device: Device | str | int | None = None, dtype: DType | None = None) -> None:
        """Become an ordinary tensor of this shape, whose elements are not set.

        Args:
            shape: sizes.
            device, dtype: others than those it has.
        """
        self.data = empty(shape, device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]

    @property
    def requires_grad(self) -> bool:
        return is_tracked(self._storage.value)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def node(self) -> Node:
        raise ValueError(
            f"Attempted to use an uninitialized parameter or buffer of {type(self).__name__}. The first call of a lazy "
            f"module initializes its own: call it with a batch before anything else uses them."
        )

    def _sizes(self) -> Shape:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. Loading one into a module that is "
            "initialized needs it, too. Call the lazy module with a batch first."
        )

    def detach(self) -> Self:
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """One of another dtype or on another device; arguments as of `Tensor.to`."""
        converted = Tensor.from_storage(self._storage, detached=True).to(*args, **kwargs)
        return self._converted(converted)

    def _converted(self, data: Tensor) -> Tensor:
        """What `to` returns, for data of the wanted dtype and device."""
        return self._like(data.device, data.dtype)

    def _like(self, device: Device, dtype: DType) -> Self:
        raise NotImplementedError

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = self._like(self.device, self.dtype)
        found: Self = memo[id(self)]
        return found

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return type(self), (self.requires_grad, self.device, self.dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    __str__ = __repr__


class UninitializedParameter(UninitializedTensor, Parameter):
    """A `Parameter` of a lazy module before its first call.

    Args:
        requires_grad: whether gradients are accumulated into ``.grad``.
        device: where it will live.
        dtype: its dtype, the default one when left out.
    """

    cls_to_become = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: Device | str | int | None = None, dtype: DType | None = None
    ) -> Self:
        return Tensor._make_leaf_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)

    def _like(self, device: Device, dtype: DType) -> Self:
        return type(self)(self.requires_grad, device, dtype)

    def _converted(self, data: Tensor) -> Tensor:
        return data  # a module that is converted makes it the ``data`` of the same parameter


class UninitializedBuffer(UninitializedTensor, Buffer):
    """A `Buffer` of a lazy module before its first call.

    Args:
        requires_grad: whether gradients are accumulated into ``.grad``.
        device: where it will live.
        dtype: its dtype, the default one when left out.
        persistent: whether the buffer is part of ``module.state_dict()``.
    """

    cls_to_become = Buffer

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Device | str | int | None = None,
        dtype: DType | None = None,
        persistent: bool = True,
    ) -> Self:
        buffer = Tensor._make_leaf_subclass(cls, empty(0, device=device, dtype=dtype), requires_grad)
        buffer.persistent = persistent
        return buffer

    def _like(self, device: Device, dtype: DType) -> Self:
        return type(self)(self.requires_grad, device, dtype, self.persistent)


def is_lazy(param: Any) -> TypeGuard[UninitializedTensor]:
    """Whether this is a tensor that has no shape yet."""
    return isinstance(param, UninitializedTensor)
