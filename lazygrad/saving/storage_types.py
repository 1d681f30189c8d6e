"""The names PyTorch's files give to storages of each dtype."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.ir.dtype import ALL_DTYPES, STORAGE_DTYPES, DType, uint8
from lazygrad.ops.objects.conversion import TYPE_NAMES


@dataclass(frozen=True, slots=True)
class StorageType:
    """A kind of storage, as files name it; not the same thing as the dtype of its elements."""

    dtype: DType


STORAGE_NAMES = {dtype: f"{name.removesuffix('Tensor')}Storage" for dtype, name in TYPE_NAMES.items()}
DTYPE_NAMES = {dtype.name: dtype for dtype in (*ALL_DTYPES, *STORAGE_DTYPES)}
# By the name of their module too.
STORAGE_TYPES = {
    **{f"torch.{name}": StorageType(dtype) for dtype, name in STORAGE_NAMES.items()},
    "torch.storage.UntypedStorage": StorageType(uint8),
}
