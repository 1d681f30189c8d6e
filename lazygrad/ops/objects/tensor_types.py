"""Tensor types named after their dtype, such as `FloatTensor`, and the constructor they share with `Tensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.ir.device import Device, set_default_device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout, strided
from lazygrad.ops.arguments.kinds import DeviceLike
from lazygrad.ops.arguments.operands import get_default_dtype, set_default_dtype
from lazygrad.ops.arguments.options import device_option
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.objects.conversion import TYPE_NAMES, type_name
from lazygrad.ops.objects.storages import TypedStorage, UntypedStorage
from lazygrad.size import Size
from lazygrad.tensor import Tensor

__all__ = ["set_default_tensor_type", "typename"]


def _constructed(dtype: DType, data: tuple[Any, ...], device: Any) -> Tensor:
    """What ``FloatTensor(*data)`` is: a tensor of the sizes given as ints, or with the one argument's contents.

    Raises:
        TypeError: a number that is not a size, a tensor of another dtype, or more than one sequence.
    """
    place = device_option(device)
    if len(data) != 1 or isinstance(data[0], (int, Size)):
        return empty(*(data or (0,)), dtype=dtype, device=place)
    (source,) = data
    if isinstance(source, Tensor):
        if source.dtype is not dtype:
            raise TypeError(f"expected {type_name(dtype)} (got {type_name(source.dtype)}); convert it with .to(dtype)")
        return source.detach()
    if isinstance(source, (TypedStorage, UntypedStorage)):
        return source.as_tensor(dtype)
    if not isinstance(source, (Sequence, np.ndarray)) or isinstance(source, str):
        raise TypeError(f"new(): expected sizes as ints, a sequence or a tensor, not {type(source).__name__}")
    return tensor(source, dtype=dtype, device=place)


class _TensorType(type):
    """The class of `FloatTensor` and its kin: calls make tensors, and tensors of the dtype are instances."""

    dtype: DType
    layout: Layout = strided
    is_cuda = is_sparse = False

    def __call__(cls, *data: Any, device: DeviceLike | None = None) -> Tensor:
        return _constructed(cls.dtype, data, device)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class '{type_name(cls.dtype)}'>"


for _dtype, _name in TYPE_NAMES.items():
    if _dtype.is_complex:
        continue  # whose types PyTorch names only in texts
    _doc = f"Tensors of {_dtype.name}: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."
    globals()[_name] = _TensorType(_name, (), {"dtype": _dtype, "__module__": "lazygrad", "__doc__": _doc})
    __all__.append(_name)


def _new_of_default_dtype(cls: type[Tensor], *data: Any, device: DeviceLike | None = None) -> Any:
    """``Tensor(2, 3)`` and ``Tensor([1, 2])``: a tensor of the default dtype, or of a subclass."""
    if len(data) == 1 and isinstance(data[0], Tensor):
        made = data[0].detach()
    else:
        made = _constructed(get_default_dtype(), data, device)
    return made if cls is Tensor else Tensor._make_leaf_subclass(cls, made, False)


setattr(Tensor, "__new__", _new_of_default_dtype)  # noqa: B010, the type checker is told in the class


@method()
def as_subclass(input: Tensor, cls: type[Tensor]) -> Tensor:
    """A leaf of class ``cls`` that shares the data and has no gradient."""
    found: Tensor = Tensor._make_leaf_subclass(cls, input.detach(), False)
    return found


@method()
def new(input: Tensor, *data: Any, device: DeviceLike | None = None) -> Tensor:
    """A tensor of ``input``'s type, made as by that type's constructor."""
    return _constructed(input.dtype, data, input.device if device is None else device)


def set_default_tensor_type(t: Any) -> None:
    """Make a type's dtype the default one; `set_default_dtype` is the usual choice.

    Args:
        t: a floating type such as `DoubleTensor`, or its name.

    Raises:
        TypeError: not the type of a floating dtype.
    """
    if isinstance(t, str):
        t = next((globals()[name] for name in TYPE_NAMES.values() if name == t.rpartition(".")[2]), t)
    if not isinstance(t, _TensorType):
        raise TypeError(f"invalid type object: {t!r}; expected one such as lazygrad.DoubleTensor")
    set_default_dtype(t.dtype)
    set_default_device(Device("cpu"))


def typename(obj: Any) -> str:
    """``'lazygrad.FloatTensor'`` for a tensor; the qualified name of the class of anything else."""
    if isinstance(obj, Tensor):
        return type_name(obj.dtype)
    cls = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    module = getattr(cls, "__module__", None)
    return cls.__qualname__ if module in (None, "builtins") else f"{module}.{cls.__qualname__}"
