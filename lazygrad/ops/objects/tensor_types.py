"""Tensor types named after their dtype, such as `FloatTensor`, and the constructor they share with `Tensor`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from lazygrad.ir.device import CPU, set_default_device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout, strided
from lazygrad.left_out import stand_in
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
from lazygrad.tensor_base import new_tensor
from lazygrad.torch_function import has_override

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


class TensorType(type):
    """The class of `FloatTensor` and its kin: calls make tensors, and tensors of the dtype are instances.

    Attributes:
        is_cuda: whether these are tensors on CUDA devices; the others are those on all other devices.
    """

    dtype: DType
    layout: Layout = strided
    is_sparse = False
    is_cuda: bool

    def __call__(cls, *data: Any, device: DeviceLike | None = None) -> Tensor:
        return _constructed(cls.dtype, data, "cuda" if device is None and cls.is_cuda else device)

    def __instancecheck__(cls, instance: Any) -> bool:
        if not isinstance(instance, Tensor):
            return False
        if instance.dtype is not cls.dtype or (instance.device.type == "cuda") != cls.is_cuda:
            return False
        return instance.is_sparse == cls.is_sparse

    def __repr__(cls) -> str:
        name = type_name(cls.dtype, cls.is_cuda)
        return f"<class '{name.replace('.', '.sparse.', 1) if cls.is_sparse else name}'>"


def tensor_types(module: str, is_cuda: bool) -> dict[str, Any]:
    """`FloatTensor` and its kin by name, as a module has them."""
    made: dict[str, Any] = {}
    for dtype, name in TYPE_NAMES.items():
        if not dtype.is_complex:  # whose types PyTorch names only in texts
            doc = (
                f"Tensors of {dtype.name}: made from sizes, a sequence or a tensor; ``isinstance`` asks for the dtype."
            )
            made[name] = TensorType(
                name, (), {"dtype": dtype, "is_cuda": is_cuda, "__module__": module, "__doc__": doc}
            )
    return made


_TYPES = tensor_types("lazygrad", is_cuda=False)
CUDA_TYPES = tensor_types("lazygrad.cuda", is_cuda=True)
globals().update(_TYPES)
__all__ += _TYPES


def _new_of_default_dtype(cls: type[Tensor], *data: Any, device: DeviceLike | None = None) -> Any:
    """``Tensor(2, 3)`` and ``Tensor([1, 2])``: a tensor of the default dtype, or of a subclass."""
    if len(data) == 1 and isinstance(data[0], Tensor):
        made = data[0].detach()
    else:
        made = _constructed(get_default_dtype(), data, device)
    return made if cls is Tensor else Tensor._make_leaf_subclass(cls, made, False)


setattr(Tensor, "__new__", _new_of_default_dtype)  # noqa: B010, the type checker is told in the class


def _make_subclass(cls: type[Tensor], data: Tensor, require_grad: bool = False) -> Any:
    """A leaf of the class ``cls`` with the memory of ``data``."""
    return Tensor._make_leaf_subclass(cls, data.detach(), require_grad)


setattr(Tensor, "_make_subclass", staticmethod(_make_subclass))  # noqa: B010, a name that only subclasses' authors use
_WRAPPERS = "a class with __torch_function__ may keep another tensor; __torch_dispatch__ is not asked"
setattr(Tensor, "_make_wrapper_subclass", staticmethod(stand_in("Tensor._make_wrapper_subclass", _WRAPPERS)))  # noqa: B010


@method()
def as_subclass(input: Tensor, cls: type[Tensor]) -> Tensor:
    """The same data as a ``cls``, through which gradients flow.

    Raises:
        TypeError: ``cls`` is no class of tensors.
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"cls must be a type which inherits from Tensor, not {cls!r}")
    if not input.requires_grad:
        leaf: Tensor = Tensor._make_leaf_subclass(cls, input.detach(), False)
        return leaf
    if has_override(cls):
        import_module("lazygrad.overrides.placing").ask_before_calls()
    made: Tensor = new_tensor(cls, input._storage, input._chain, input._base, input._detached)
    made._view, made._node, made._node_version = input._view, input._node, input._node_version
    return made


@method()
def new(input: Tensor, *data: Any, device: DeviceLike | None = None) -> Tensor:
    """A tensor of ``input``'s type, made as by that type's constructor."""
    return _constructed(input.dtype, data, input.device if device is None else device)


def set_default_tensor_type(t: Any) -> None:
    """Make a type's dtype and device the default ones; `set_default_dtype` is the usual choice.

    Args:
        t: a floating type such as `DoubleTensor`, or its name.

    Raises:
        TypeError: not the type of a floating dtype.
    """
    if isinstance(t, str):
        is_cuda, name = ".cuda." in t, t.rpartition(".")[2]
        t = CUDA_TYPES.get(name, t) if is_cuda else _TYPES.get(name, t)
    if not isinstance(t, TensorType):
        raise TypeError(f"invalid type object: {t!r}; expected one such as lazygrad.DoubleTensor")
    set_default_dtype(t.dtype)
    set_default_device(device_option("cuda") if t.is_cuda else CPU)


def typename(obj: Any) -> str:
    """``'lazygrad.FloatTensor'`` for a tensor; the qualified name of the class of anything else."""
    if isinstance(obj, Tensor):
        return type_name(obj.dtype, obj.is_cuda)
    cls = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    module = getattr(cls, "__module__", None)
    return cls.__qualname__ if module in (None, "builtins") else f"{module}.{cls.__qualname__}"
