"""`torch.sparse.FloatTensor` and its kin, as programs of PyTorch's first years make and ask for sparse tensors."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType, bool_, int64
from lazygrad.ir.memory_format import Layout, sparse_coo
from lazygrad.ops.arguments.kinds import DeviceLike
from lazygrad.ops.arguments.options import device_option
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.objects.conversion import TYPE_NAMES
from lazygrad.ops.objects.tensor_types import TensorType
from lazygrad.size import as_shape
from lazygrad.sparse.construction import sparse_coo_tensor
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor


def _constructed(dtype: DType, data: tuple[Any, ...], device: Any) -> SparseTensor:
    """What ``FloatTensor(*data)`` is: of indices, values, whose dtype stays, and perhaps a size; or of sizes, and zero.

    Raises:
        TypeError: neither.
    """
    if 2 <= len(data) <= 3 and isinstance(data[0], Tensor) and isinstance(data[1], Tensor):
        return sparse_coo_tensor(*data) if device is None else sparse_coo_tensor(*data, device=device)
    size, place = as_shape(data or (0,)), device_option(device)
    values, places = zeros(0, dtype=dtype, device=place), zeros(len(size), 0, dtype=int64, device=place)
    return SparseTensor(places, values, size, coalesced=True)


class _SparseTensorType(TensorType):
    """The class of `FloatTensor` and its kin."""

    layout: Layout = sparse_coo
    is_sparse = True
    is_cuda = False

    def __call__(cls, *data: Any, device: DeviceLike | None = None) -> SparseTensor:
        return _constructed(cls.dtype, data, device)


TYPES: dict[str, Any] = {
    name: _SparseTensorType(
        name,
        (),
        {
            "dtype": dtype,
            "__module__": "lazygrad.sparse",
            "__doc__": f"Sparse tensors of {dtype.name}: made from indices, values and a size; ``isinstance`` asks for "
            "the dtype.",
        },
    )
    for dtype, name in TYPE_NAMES.items()
    if not dtype.is_complex and dtype is not bool_
}
globals().update(TYPES)


def _new(self: SparseTensor, *data: Any, device: DeviceLike | None = None) -> SparseTensor:
    """A sparse tensor of this type, made as by that type's constructor."""
    return _constructed(self.dtype, data, self.device if device is None else device)


setattr(SparseTensor, "new", _new)  # noqa: B010, as `Tensor.new` is told to type checkers
