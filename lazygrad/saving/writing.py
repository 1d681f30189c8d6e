"""`save`: pickling with tensors set apart, under the names PyTorch knows, into a zip archive."""

from __future__ import annotations

import io
import os
import pickle
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.nn.parameter import Parameter
from lazygrad.saving.storage_types import STORAGE_NAMES
from lazygrad.size import Size
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor

_FORMAT_VERSION = b"3\n"
_ARCHIVE = "archive"


def save(obj: Any, f: str | os.PathLike[str] | IO[bytes], pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Write an object, with all tensors in it, to a file that `lazygrad.load` and `torch.load` read.

    Args:
        obj: anything that can be pickled: a tensor, a ``state_dict()``, a dict of several, a whole module. What holds
            classes of lazygrad other than tensors and dtypes can be read by lazygrad only.
        f: a path, or a file open for writing bytes. A path is replaced when everything is written, so an error
            leaves an older file as it was.
        pickle_module: accepted for PyTorch's sake; must be None or `pickle`.
        pickle_protocol: of Python's pickle; PyTorch reads 2.

    Raises:
        RuntimeError: a tensor without values (the null device).
        pickle.PicklingError, AttributeError, TypeError: something that cannot be pickled.
    """
    if pickle_module not in (None, pickle):
        raise RuntimeError("save: only Python's own pickle can be used; leave pickle_module out")
    archive = _archived(obj, pickle_protocol)
    if hasattr(f, "write"):
        f.write(archive)
        return
    path = Path(f)
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(archive)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _archived(obj: Any, protocol: int) -> bytes:
    pickled = io.BytesIO()
    pickler = _Pickler(pickled, protocol)
    pickler.dump(obj)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{_ARCHIVE}/data.pkl", pickled.getvalue())
        archive.writestr(f"{_ARCHIVE}/byteorder", sys.byteorder)
        for key, memory in enumerate(pickler.memories):
            archive.writestr(f"{_ARCHIVE}/data/{key}", memory.tobytes())
        archive.writestr(f"{_ARCHIVE}/version", _FORMAT_VERSION)
    return file.getvalue()


@dataclass(frozen=True)
class _Global:
    """A name in a module that need not be installed here."""

    module: str
    name: str

    def __call__(self) -> None:
        """Pickle wants what it is told to call to be callable."""


_REBUILD_TENSOR = _Global("torch._utils", "_rebuild_tensor_v2")
_REBUILD_PARAMETER = _Global("torch._utils", "_rebuild_parameter")


@dataclass(frozen=True)
class _StorageReference:
    """The place of a storage in the archive."""

    key: int
    dtype: DType
    count: int


# Pickle's implementation in Python, unlike the one in C, can be told to write a name it cannot import.
_PythonPickler: Any = pickle._Pickler


class _Pickler(_PythonPickler):
    """Pickles tensors as PyTorch does and collects the memory they refer to.

    Attributes:
        memories: the storages' elements, by key.
    """

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol)
        self.memories: list[np.ndarray] = []
        self.references: dict[int, _StorageReference] = {}
        self.kept: list[Storage] = []  # so that no other storage gets the id of one seen

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, _StorageReference):
            return None
        kind = _Global("torch", STORAGE_NAMES[obj.dtype])
        return "storage", kind, str(obj.key), "cpu", obj.count

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is Tensor:
            return _REBUILD_TENSOR, self.tensor_arguments(obj)
        if type(obj) is Parameter:
            return _REBUILD_PARAMETER, (obj.detach(), obj.requires_grad, OrderedDict())
        if isinstance(obj, Device):
            return _Global("torch", "device"), (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, Size):
            return _Global("torch", "Size"), (tuple(obj),)
        return NotImplemented

    def tensor_arguments(self, tensor: Tensor) -> tuple[Any, ...]:
        view = tensor.view_of_storage()
        of_other_memory = tensor.dtype is not tensor._storage.value.dtype or tensor.is_conj()
        if min(view.strides, default=0) < 0 or of_other_memory:  # PyTorch's files have no such views
            return self.tensor_arguments(tensor.detach().clone().requires_grad_(tensor.requires_grad))
        reference = self.reference(tensor)
        return reference, view.offset, view.shape, view.strides, tensor.requires_grad, OrderedDict()

    def reference(self, tensor: Tensor) -> _StorageReference:
        storage = tensor._storage
        found = self.references.get(id(storage))
        if found is None:
            memory = Tensor.from_storage(storage).detach().array()
            found = _StorageReference(len(self.memories), tensor.dtype, memory.size)
            self.references[id(storage)] = found
            self.memories.append(memory)
            self.kept.append(storage)
        return found

    def save_named(self, obj: _Global | DType) -> None:
        module, name = (obj.module, obj.name) if isinstance(obj, _Global) else ("torch", obj.name)
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    dispatch: ClassVar[dict[type, Callable[..., None]]] = {
        **_PythonPickler.dispatch,
        _Global: save_named,
        DType: save_named,
    }
