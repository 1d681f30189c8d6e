"""What the functions named in PyTorch's files make: tensors over the loaded storages, parameters, sparse tensors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any, cast

from lazygrad.ir.device import Device
from lazygrad.ir.memory_format import Layout, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from lazygrad.ir.view import View
from lazygrad.nn.parameter import Buffer, Parameter
from lazygrad.ops.objects.conversion import to
from lazygrad.ops.shapes.strided import as_strided
from lazygrad.saving.storage_types import DTYPE_NAMES, STORAGE_DTYPES
from lazygrad.size import Size
from lazygrad.sparse.construction import sparse_coo_tensor
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor


class LoadedStorage:
    """One storage while it is being placed; what a ``map_location`` function is given.

    Attributes:
        tensor: all elements, as a tensor that owns the memory.
        device: where it is.
    """

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.used = False

    @property
    def device(self) -> Device:
        return self.tensor.device

    def cpu(self) -> LoadedStorage:
        return self

    def cuda(self, device: Any = None) -> LoadedStorage:
        return LoadedStorage(to(self.tensor, "cuda" if device is None else device))


def _rebuilt_tensor(
    storage: LoadedStorage,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    hooks: Any = None,
    metadata: Mapping[str, bool] | None = None,
) -> Tensor:
    whole = View(tuple(size), tuple(stride), offset)
    covers = offset == 0 and whole.is_contiguous and Size(size).numel() == storage.tensor.shape.numel()
    if covers and not storage.used:
        result = Tensor.from_array(storage.tensor.array().reshape(tuple(size)), storage.device, shared=False)
        storage.tensor, storage.used = result, True
    else:
        storage.used = True
        result = as_strided(storage.tensor.detach(), tuple(size), tuple(stride), offset)
        result._base = None  # a tensor of its own that shares memory, as it was when saved
    if metadata and metadata.get("conj"):
        result = result.conj()
    if metadata and metadata.get("neg"):
        result = -result
    return result.requires_grad_(requires_grad)


def _rebuilt_parameter(data: Tensor, requires_grad: bool, hooks: Any) -> Parameter:
    return Parameter(data, requires_grad)


def _with_attributes(tensor: Any, attributes: Mapping[str, Any]) -> Any:
    """``tensor`` with what the program had stored on the object."""
    for name, value in attributes.items():
        setattr(tensor, name, value)
    return tensor


def _rebuilt_parameter_with_attributes(
    data: Tensor, requires_grad: bool, hooks: Any, attributes: Mapping[str, Any]
) -> Parameter:
    parameter: Parameter = _with_attributes(Parameter(data, requires_grad), attributes)
    return parameter


def _rebuilt_from_type(
    function: Callable[..., Tensor], kind: type[Tensor], arguments: tuple[Any, ...], attributes: Mapping[str, Any]
) -> Tensor:
    tensor = function(*arguments)
    if attributes.get("_is_buffer"):  # PyTorch's buffers are no class of their own
        tensor, attributes = Buffer(tensor), {"persistent": attributes["persistent"]}
    return cast(Tensor, _with_attributes(tensor.as_subclass(kind) if kind is not Tensor else tensor, attributes))


def _rebuilt_sparse(layout: Layout, data: tuple[Any, ...]) -> SparseTensor:
    if layout is not sparse_coo:
        raise NotImplementedError(f"load: only the sparse_coo layout exists here, not {layout!r}")
    indices, values, size, *rest = data  # files of older versions do not say whether it is coalesced
    return sparse_coo_tensor(indices, values, size, check_invariants=True, is_coalesced=bool(rest and rest[0]))


def _layout(name: str) -> Layout:
    return _LAYOUTS[name.removeprefix("torch.")]


def _bytes(text: str, encoding: str) -> bytes:
    """Pickle's protocol 2 writes bytes as text."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"load: bytes are written in latin1, not {encoding}")
    return text.encode(encoding)


def _device(type: str, index: int | None = None) -> Device:
    return Device(type) if index is None else Device(type, index)


_LAYOUTS = {layout.name: layout for layout in (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)}

# What the names in PyTorch's files stand for; none of it can be made to run code.
TORCH_NAMES: dict[str, Any] = {
    "_codecs.encode": _bytes,
    "torch.Tensor": Tensor,
    "torch._tensor._rebuild_from_type_v2": _rebuilt_from_type,
    "torch._utils._rebuild_sparse_tensor": _rebuilt_sparse,
    "torch._utils._rebuild_parameter_with_state": _rebuilt_parameter_with_attributes,
    "torch.serialization._get_layout": _layout,
    "torch._utils._rebuild_tensor_v2": _rebuilt_tensor,
    "torch._utils._rebuild_parameter": _rebuilt_parameter,
    "torch.Size": Size,
    "torch.device": _device,
    **{f"torch.{name}": dtype for name, dtype in DTYPE_NAMES.items()},
    **{f"torch.{name}": dtype for name, dtype in STORAGE_DTYPES.items()},
}
