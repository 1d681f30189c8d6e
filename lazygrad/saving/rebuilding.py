"""What the functions named in PyTorch's files make: tensors over the loaded storages, parameters, sparse tensors.

Their arguments come from a file, so each function checks all of them. Nothing larger than the file is allocated here:
a tensor is a view of its storage, which holds every element that it names.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any, cast

from lazygrad.host.warn_once import warn_user_once
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, float16, float32
from lazygrad.ir.memory_format import Layout, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from lazygrad.ir.view import View
from lazygrad.nn.parameter import Buffer, Parameter
from lazygrad.ops.pointwise.complex_numbers import view_as_complex
from lazygrad.ops.shapes.strided import as_strided, empty_strided
from lazygrad.saving.attributes import set_attributes
from lazygrad.saving.storage_types import DTYPE_NAMES, STORAGE_TYPES
from lazygrad.saving.storages import LoadedStorage
from lazygrad.size import Size
from lazygrad.sparse.construction import sparse_coo_tensor
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor

_HALVES = object()  # complex32
_DIMENSIONS = 64  # as many as numpy knows
_LARGEST = 2**63 - 1  # of numbers that count elements


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise pickle.UnpicklingError(f"load: {problem}")


def _counts(numbers: Any, name: str) -> tuple[int, ...]:
    """Sizes or strides: a short sequence of integers that are not negative."""
    _require(isinstance(numbers, (tuple, list)) and len(numbers) <= _DIMENSIONS, f"no tensor has such a {name}")
    found = tuple(numbers)
    _require(all(type(number) is int and 0 <= number <= _LARGEST for number in found), f"no tensor has such a {name}")
    return found


def _sizes(numbers: Any) -> tuple[int, ...]:
    sizes, product = _counts(numbers, "size"), 1
    for size in sizes:
        product *= max(size, 1)
    _require(product <= _LARGEST, "no tensor has so many elements")
    return sizes


def _rebuilt_tensor(
    storage: LoadedStorage,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    hooks: Any = None,
    metadata: Mapping[str, bool] | None = None,
) -> Tensor:
    _require(isinstance(storage, LoadedStorage), "a tensor of the file has no storage")
    _require(type(offset) is int and 0 <= offset <= _LARGEST, "no tensor has such a storage_offset")
    sizes, strides = _sizes(size), _counts(stride, "stride")
    _require(len(sizes) == len(strides), "a tensor of the file has not as many strides as sizes")
    _require(type(requires_grad) is bool, "requires_grad is True or False")
    _require(metadata is None or isinstance(metadata, dict), "the metadata of a tensor is a dict")
    result = _over_memory(storage, View(sizes, strides, offset))
    if metadata and metadata.get("conj"):
        result = result.conj()
    if metadata and metadata.get("neg"):
        result = _negated(result)
    return result.requires_grad_(requires_grad)


def _rebuilt_tensor_of_bytes(
    storage: LoadedStorage,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    hooks: Any,
    dtype: DType,
    metadata: Mapping[str, bool] | None = None,
) -> Tensor:
    """A tensor of a dtype that has no kind of storage in files: theirs are bytes."""
    _require(isinstance(storage, LoadedStorage), "a tensor of the file has no storage")
    if dtype is _HALVES:
        return _rebuilt_of_halves(storage.as_dtype(float16), offset, size, stride, requires_grad, hooks, metadata)
    _require(isinstance(dtype, DType), "a tensor of the file has no dtype")
    return _rebuilt_tensor(storage.as_dtype(dtype), offset, size, stride, requires_grad, hooks, metadata)


def _rebuilt_of_halves(
    storage: LoadedStorage,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    hooks: Any,
    metadata: Mapping[str, bool] | None,
) -> Tensor:
    """Complex numbers of 16-bit parts, read as pairs of such and made those of 32-bit parts."""
    _require(type(offset) is int, "no tensor has such a storage_offset")
    sizes, strides = (*_sizes(size), 2), (*(2 * step for step in _counts(stride, "stride")), 1)
    parts = _rebuilt_tensor(storage, 2 * offset, sizes, strides, False, hooks).to(float32).contiguous()
    warn_user_once("load: the file has tensors of complex32, which lazygrad reads as complex64")
    result = view_as_complex(parts).detach()
    if metadata and metadata.get("conj"):
        result = result.conj()
    return result.requires_grad_(requires_grad)


def _over_memory(storage: LoadedStorage, view: View) -> Tensor:
    """A tensor of its own that shares the storage with others of the file, as it was when saved."""
    covers = view.offset == 0 and view.is_contiguous and Size(view.shape).numel() == len(storage)
    if covers and not storage.used and storage.device.computes:
        array = storage.whole().array().reshape(view.shape)
        result = Tensor.from_array(array, storage.device, shared=False)
        storage._storage = result._storage
    else:
        seen = as_strided(storage.whole(), view.shape, view.strides, view.offset)
        result = Tensor.from_storage(seen._storage, seen._chain, detached=True)
    storage.used = True
    return result


def _negated(tensor: Tensor) -> Tensor:
    """Minus ``tensor``; of elements that it names several times, each is computed once."""
    view = tensor.view_of_storage()
    once = [0 if stride == 0 else slice(None) for stride in view.strides]
    _require(_distinct(view) <= _memory_of(tensor), "a negated tensor of the file overlaps with itself")
    distinct: Any = cast(Any, tensor)[tuple(slice(0, 1) if index == 0 else index for index in once)]
    return cast(Tensor, (-distinct).expand(view.shape))


def _distinct(view: View) -> int:
    """How many elements a view has, without those of expanded dimensions."""
    return Size(size for size, stride in zip(view.shape, view.strides, strict=True) if stride).numel()


def _memory_of(tensor: Tensor) -> int:
    """How many elements of ``tensor``'s dtype its storage holds."""
    contents = tensor._storage.value.type
    return Size(contents.shape).numel() * contents.dtype.itemsize // tensor.dtype.itemsize


def _rebuilt_without_storage(dtype: DType, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    """A tensor of the meta device, which has no values."""
    _require(isinstance(dtype, DType) and type(requires_grad) is bool, "a tensor without values has no dtype")
    sizes, strides = _sizes(size), _counts(stride, "stride")
    return empty_strided(sizes, strides, dtype=dtype, device="meta").requires_grad_(requires_grad)


def _rebuilt_parameter(data: Tensor, requires_grad: bool, hooks: Any) -> Parameter:
    _require(type(data) is Tensor and type(requires_grad) is bool, "a parameter of the file has no tensor")
    return Parameter(data, requires_grad)


def _rebuilt_parameter_with_attributes(
    data: Tensor, requires_grad: bool, hooks: Any, attributes: Mapping[str, Any]
) -> Parameter:
    parameter = _rebuilt_parameter(data, requires_grad, hooks)
    set_attributes(parameter, attributes)
    return parameter


def _rebuilt_from_type(
    function: Callable[..., Tensor], kind: type[Tensor], arguments: tuple[Any, ...], attributes: Mapping[str, Any]
) -> Tensor:
    """A tensor of a class with attributes."""
    _require(
        any(function is known for known in _REBUILDING), "a tensor of the file is made by no function that makes one"
    )
    _require(isinstance(kind, type) and issubclass(kind, Tensor), "a tensor of the file is of no class of tensors")
    _require(isinstance(attributes, dict), "the attributes of a tensor of the file are no dict")
    tensor = function(*arguments)
    if attributes.get("_is_buffer"):  # PyTorch's buffers are no class of their own
        tensor = Buffer(tensor, persistent=bool(attributes.get("persistent", True)))
        attributes = {name: value for name, value in attributes.items() if name not in ("_is_buffer", "persistent")}
    elif kind is not Tensor and type(tensor) is not kind:
        tensor = tensor.as_subclass(kind)
    set_attributes(tensor, attributes)
    return tensor


def _rebuilt_sparse(layout: Layout, data: tuple[Any, ...]) -> SparseTensor:
    _require(isinstance(layout, Layout) and isinstance(data, tuple), "a sparse tensor of the file has no layout")
    if layout is not sparse_coo:
        raise NotImplementedError(f"load: only the sparse_coo layout exists here, not {layout!r}")
    _require(len(data) in (3, 4), "a sparse tensor of the file is made of indices, values and a size")
    indices, values, size, *rest = data  # files of older versions do not say whether it is coalesced
    dense = type(indices) is Tensor and isinstance(values, Tensor) and not isinstance(values, SparseTensor)
    _require(dense, "a sparse tensor of the file has no indices or values")
    _require(
        indices.shape.numel() <= _memory_of(indices), "the indices of a sparse tensor of the file are an expanded view"
    )
    return sparse_coo_tensor(indices, values, _sizes(size), check_invariants=True, is_coalesced=bool(rest and rest[0]))


def _layout(name: str) -> Layout:
    found = _LAYOUTS.get(name.removeprefix("torch.")) if isinstance(name, str) else None
    if found is None:
        raise pickle.UnpicklingError("load: the file names a layout that does not exist")
    return found


def _bytes(text: str, encoding: str) -> bytes:
    """Pickle's protocol 2 writes bytes as text."""
    if not isinstance(text, str) or encoding != "latin1":
        raise pickle.UnpicklingError("load: bytes are written as text in latin1")
    return text.encode(encoding)


def _size(sizes: Any = ()) -> Size:
    _require(isinstance(sizes, (tuple, list)) and all(type(size) is int for size in sizes), "a Size holds integers")
    return Size(sizes)


def _device(kind: str, index: int | None = None) -> Device:
    _require(isinstance(kind, str) and len(kind) < 16, "the file names a device that does not exist")
    _require(index is None or (type(index) is int and 0 <= index < 128), "the file names a device that does not exist")
    return Device(kind) if index is None else Device(kind, index)


_LAYOUTS = {layout.name: layout for layout in (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)}
_REBUILDING = (
    _rebuilt_tensor,
    _rebuilt_tensor_of_bytes,
    _rebuilt_without_storage,
    _rebuilt_parameter,
    _rebuilt_parameter_with_attributes,
    _rebuilt_sparse,
)

# What the names in PyTorch's files stand for.
TORCH_NAMES: dict[str, Any] = {
    "_codecs.encode": _bytes,
    "torch.Tensor": Tensor,
    "torch._tensor._rebuild_from_type_v2": _rebuilt_from_type,
    "torch._utils._rebuild_sparse_tensor": _rebuilt_sparse,
    "torch._utils._rebuild_parameter_with_state": _rebuilt_parameter_with_attributes,
    "torch.serialization._get_layout": _layout,
    "torch._utils._rebuild_tensor_v2": _rebuilt_tensor,
    "torch._utils._rebuild_tensor_v3": _rebuilt_tensor_of_bytes,
    "torch._utils._rebuild_meta_tensor_no_storage": _rebuilt_without_storage,
    "torch._utils._rebuild_parameter": _rebuilt_parameter,
    "torch.Size": Size,
    "torch.device": _device,
    **{f"torch.{name}": dtype for name, dtype in DTYPE_NAMES.items()},
    "torch.complex32": _HALVES,
    **STORAGE_TYPES,
}

# Those that may be called, and what is called then: it checks its arguments and runs nothing that a file chooses.
CALLABLE: dict[Any, Callable[..., Any]] = {
    Size: _size,
    **{function: function for function in (*_REBUILDING, _rebuilt_from_type, _layout, _bytes, _device)},
}
