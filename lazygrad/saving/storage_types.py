"""The names PyTorch's files give to storages of each dtype."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.ir.dtype import ALL_DTYPES, STORAGE_DTYPES, DType, uint8
from lazygrad.ops.objects import storages
from lazygrad.ops.objects.conversion import TYPE_NAMES
from lazygrad.ops.objects.storages import TypedStorage, UntypedStorage


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


def location_tag(storage: TypedStorage | UntypedStorage) -> str:
    """How files name the device that a storage is on."""
    return str(storage.device)


def normalize_storage_type(storage_type: type[TypedStorage | UntypedStorage]) -> type[TypedStorage | UntypedStorage]:
    """The public class of storages with the name of this one, by which files name it."""
    found: type[TypedStorage | UntypedStorage] = getattr(storages, storage_type.__name__)
    return found
