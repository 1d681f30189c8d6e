"""The storages of a file: what a pickle refers to by persistent ids, and the archive holds as records of bytes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lazygrad import cuda
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.device import CPU, Device, device_of
from lazygrad.ir.dtype import DType, bool_, uint8
from lazygrad.ops.objects.conversion import to
from lazygrad.ops.objects.storages import TypedStorage
from lazygrad.ops.shapes.reshaping import reinterpreted
from lazygrad.saving.storage_types import StorageType
from lazygrad.tensor import Tensor

MapLocation = Callable[[Any, str], Any] | Mapping[str, str] | Device | str | None


class LoadedStorage(TypedStorage):
    """A storage of a file; what a ``map_location`` function is given, and what a saved storage comes back as.

    Attributes:
        used: whether a tensor lies over the memory already.
    """

    def __init__(self, tensor: Tensor) -> None:
        self._storage = tensor._storage
        self.used = False
        self._of_dtype: dict[DType, LoadedStorage] = {}

    def whole(self) -> Tensor:
        """All elements as a vector that shares the memory, without gradient."""
        return self._whole()

    def as_dtype(self, dtype: DType) -> LoadedStorage:
        """The same memory as elements of another dtype, of which there are as many as fit; the same object again."""
        if dtype is self.dtype:
            return self
        found = self._of_dtype.get(dtype)
        if found is None:
            whole = self.whole()
            used = len(whole) * whole.dtype.itemsize // dtype.itemsize * dtype.itemsize
            content = reinterpreted(whole, uint8)[:used]
            if self.device.computes:
                stored = content.array()
                stored = stored if stored.ctypes.data % dtype.itemsize == 0 else stored.copy()
                found = LoadedStorage(Tensor.from_array(stored.view(to_numpy(dtype)), self.device, shared=False))
            else:
                found = LoadedStorage(reinterpreted(content, dtype).clone())
            self._of_dtype[dtype] = found
        return found

    def cuda(self, device: Any = None) -> LoadedStorage:
        """The storage on a CUDA device. RuntimeError: there is none."""
        return LoadedStorage(to(self.whole(), "cuda" if device is None else device))


class StorageLoader:
    """Loads each storage of a file when its persistent id is met first.

    Args:
        content: gives the bytes of the storage with a key, as many as it is told, or raises.
        is_swapped: whether the file's numbers are in the other byte order than this machine's.
        map_location: see `load`.
    """

    def __init__(self, content: Callable[[str, int], np.ndarray], is_swapped: bool, map_location: MapLocation) -> None:
        self._content, self._is_swapped, self._map_location = content, is_swapped, map_location
        self._loaded: dict[str, tuple[tuple[Any, ...], LoadedStorage]] = {}

    def __call__(self, identity: Any) -> LoadedStorage:
        """The storage that a persistent id means.

        Raises:
            pickle.UnpicklingError: no id of a storage, or one that contradicts what the archive holds or an earlier id.
            RuntimeError: the record is missing or damaged, or on a device that is not there.
        """
        kind, key, location, count = checked_identity(identity)
        about = kind.dtype, location, count
        known = self._loaded.get(key)
        if known is not None and known[0] == about:
            return known[1]
        if known is not None and count:  # tensors of any dtypes may share a storage of nothing
            raise pickle.UnpicklingError(f"load: the file describes its storage {key} in two ways")
        loaded = _placed(LoadedStorage(self._read(key, kind.dtype, count)), location, self._map_location)
        self._loaded[key] = about, loaded
        return loaded

    def _read(self, key: str, dtype: DType, count: int) -> Tensor:
        stored = to_numpy(dtype)
        content = self._content(key, count * stored.itemsize)
        if content.ctypes.data % stored.itemsize:  # of a file that is mapped, and not aligned
            content = content.copy()
        if self._is_swapped and dtype.itemsize > 1:
            width = dtype.to_real().itemsize
            content = content.view(f"u{width}").byteswap(inplace=True).view(np.uint8)
        if dtype is bool_ and (content > 1).any():  # any other byte than 0 and 1 is no boolean to numpy or C
            np.not_equal(content, 0, out=content.view(np.bool_))
        return Tensor.from_array(content.view(stored), CPU, shared=False)


def checked_identity(identity: Any) -> tuple[StorageType, str, str, int]:
    """The kind of a storage, its key, its device and how many elements it has, from its persistent id.

    Raises:
        pickle.UnpicklingError: no such id, or that of a part of another storage, as PyTorch wrote before 0.4.
    """
    if type(identity) is tuple:
        if len(identity) == 6 and identity[5] is None:  # of legacy files
            identity = identity[:5]
        match identity:
            case ("storage", StorageType() as kind, str() as key, str() as location, int() as count):
                if key.isascii() and key.isdecimal() and count >= 0 and type(count) is int:
                    return kind, key, location, count
    raise pickle.UnpicklingError("load: the file refers to something outside of its pickle that is no storage")


def _placed(storage: LoadedStorage, location: str, map_location: MapLocation) -> LoadedStorage:
    if callable(map_location):
        chosen = map_location(storage, location)
        if chosen is not None:
            if not isinstance(chosen, LoadedStorage):
                raise RuntimeError(f"load: map_location returns None or the storage it is given, moved if need be, "
                                   f"not {type(chosen).__name__}")  # fmt: skip
            return chosen
    elif isinstance(map_location, Mapping):
        location = map_location.get(location, location)
    elif map_location is not None:
        location = str(device_of(map_location))
    if location.startswith("cuda") and not cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but lazygrad.cuda.is_available() is False; "
            "load it with map_location='cpu'"
        )
    return storage if location == "cpu" else LoadedStorage(to(storage.whole(), location))
