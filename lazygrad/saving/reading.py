"""`load`: what `save` wrote, and what PyTorch wrote."""

from __future__ import annotations

import builtins
import collections
import io
import os
import pickle
import sys
import zipfile
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np

from lazygrad import cuda
from lazygrad.codegen.numpy_dtypes import to_numpy
from lazygrad.ir.device import CPU, Device, device_of
from lazygrad.ops.objects.conversion import to
from lazygrad.saving.rebuilding import TORCH_NAMES, LoadedStorage
from lazygrad.tensor import Tensor

MapLocation = Callable[[Any, str], Any] | Mapping[str, str] | Device | str | None

_SAFE_BUILTINS = frozenset(
    "bool bytearray bytes complex dict float frozenset int list range set slice str tuple".split()
)
_SAFE_COLLECTIONS = frozenset(["OrderedDict", "Counter", "defaultdict", "deque"])


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool = True,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read an object written by `lazygrad.save` or `torch.save`.

    Args:
        f: a path, or a file open for reading bytes.
        map_location: where tensors go: a device or its name, a dict from saved names to others, or a function of
            (storage, saved name) that returns the storage it was given, moved with ``.cpu()`` if need be.
        pickle_module: accepted for PyTorch's sake.
        weights_only: load nothing but tensors, numbers, strings and containers of them, which cannot run code.
            Whole modules need False; only use it for files you trust.
        mmap: accepted for PyTorch's sake.
        pickle_load_args: such as ``encoding``, passed to the unpickler.

    Raises:
        AttributeError: ``f`` is neither a path nor a file.
        TypeError: another kind of ``map_location``.
        EOFError: a file with nothing in it.
        FileNotFoundError: no such file.
        RuntimeError: not such an archive, or tensors from a GPU without a ``map_location``.
        pickle.UnpicklingError: with ``weights_only``, a class that is not on the list.
    """
    if not (map_location is None or callable(map_location) or isinstance(map_location, (str, Device, Mapping))):
        raise TypeError(f"load: map_location is a device, its name, a dict or a function, not {map_location!r}")
    data = f.read() if hasattr(f, "read") else _bytes_of(f)
    if not data:
        raise EOFError("load: the file is empty")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise RuntimeError("load: not an archive written by save(); files from before PyTorch 1.6 are not read: load "
                           "them with PyTorch and save them again")  # fmt: skip
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        pickled = next((name for name in archive.namelist() if name.endswith("/data.pkl")), None)
        if pickled is None:
            raise RuntimeError("load: the archive holds no data.pkl; it was not written by save()")
        reader = _Unpickler(archive, pickled, map_location, weights_only, pickle_load_args)
        return reader.load()


def _bytes_of(path: str | os.PathLike[str]) -> bytes:
    if not isinstance(path, (str, os.PathLike)):
        raise AttributeError(f"load: expected a path or a file open for reading bytes, got {type(path)}")
    with open(path, "rb") as file:
        return file.read()


class _Unpickler(pickle.Unpickler):
    def __init__(
        self,
        archive: zipfile.ZipFile,
        name: str,
        map_location: MapLocation,
        weights_only: bool,
        options: dict[str, Any],
    ) -> None:
        super().__init__(io.BytesIO(archive.read(name)), **options)
        self.archive, self.folder = archive, name.removesuffix("data.pkl")
        self.map_location, self.weights_only = map_location, weights_only
        self.swapped = self._byte_order() != sys.byteorder
        self.storages: dict[str, LoadedStorage] = {}

    def _byte_order(self) -> str:
        name = f"{self.folder}byteorder"
        return self.archive.read(name).decode() if name in self.archive.namelist() else "little"

    def persistent_load(self, identity: Any) -> LoadedStorage:
        _, dtype, key, location, _ = identity
        if key not in self.storages:
            array = np.frombuffer(self.archive.read(f"{self.folder}data/{key}"), to_numpy(dtype)).copy()
            if self.swapped:
                array = array.byteswap()
            loaded = LoadedStorage(Tensor.from_array(array, CPU, shared=False))
            self.storages[key] = _placed(loaded, location, self.map_location)
        return self.storages[key]

    def find_class(self, module: str, name: str) -> Any:
        known = _known(module, name)
        if known is not None:
            return known
        if self.weights_only:
            raise pickle.UnpicklingError(
                f"Weights only load failed: the file asks for {module}.{name}. If you trust where it comes from, load "
                f"it with weights_only=False, which may run code in it"
            )
        return super().find_class(module, name)


def _known(module: str, name: str) -> Any:
    """What a name in a file stands for, where loading it is harmless; None for all others."""
    if module in ("builtins", "__builtin__") and name in _SAFE_BUILTINS:
        return getattr(builtins, name)
    if module == "collections" and name in _SAFE_COLLECTIONS:
        return getattr(collections, name)
    return TORCH_NAMES.get(f"{module}.{name}")


def _placed(storage: LoadedStorage, location: str, map_location: MapLocation) -> LoadedStorage:
    if callable(map_location):
        chosen: LoadedStorage | None = map_location(storage, location)
        if chosen is not None:
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
    return storage if location == "cpu" else LoadedStorage(to(storage.tensor, location))
