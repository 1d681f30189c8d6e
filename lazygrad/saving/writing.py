"""`save`: pickling with tensors set apart, under the names PyTorch knows, into a zip archive."""

from __future__ import annotations

import io
import os
import pickle
import sys
import time
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout
from lazygrad.nn.parameter import Buffer, Parameter
from lazygrad.ops.objects.copying import attributes_of
from lazygrad.ops.objects.storages import TypedStorage, UntypedStorage
from lazygrad.saving.replacing import replacing
from lazygrad.saving.storage_types import STORAGE_NAMES
from lazygrad.size import Size
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor

_FORMAT_VERSION = b"3\n"
_ARCHIVE = "archive"


def save(obj: Any, f: str | os.PathLike[str] | IO[bytes], pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Write an object, with all tensors in it, to a file that `lazygrad.load` and `torch.load` read.

    Args:
        obj: anything that can be pickled: a tensor, a ``state_dict()``, a dict of several, a whole module. What holds
            classes of lazygrad other than tensors and dtypes can be read by lazygrad only.
        f: a path, or a file open for writing bytes. A regular file at a path is replaced when everything is written,
            so an error, or the end of the process, leaves an older file as it was; of a link, the file it leads to.
        pickle_module: accepted for PyTorch's sake; must be None or `pickle`.
        pickle_protocol: of Python's pickle, 1 or more; PyTorch reads 2.

    Raises:
        RuntimeError: a tensor without values (the null device); a path to a folder, or in one that does not exist.
        AttributeError: ``f`` is neither a path nor a file.
        ValueError: ``pickle_protocol`` 0.
        pickle.PicklingError, AttributeError, TypeError: something that cannot be pickled.
    """
    if pickle_module not in (None, pickle):
        raise RuntimeError("save: only Python's own pickle can be used; leave pickle_module out")
    if not pickle_protocol:
        raise ValueError("save: pickle_protocol 0 writes text, in which tensors have no place; use 2")
    pickled = io.BytesIO()
    pickler = _Pickler(pickled, pickle_protocol)
    pickler.dump(obj)
    with _opened(f) as file:
        _write_archive(file, pickled.getbuffer(), pickler.memories)


@contextmanager
def _opened(target: Any) -> Iterator[IO[bytes]]:
    """A seekable file, whose content goes to ``target`` when the context ends without an error."""
    if not hasattr(target, "write"):
        path = _resolved(target)
        if not path.exists() or path.is_file():
            with replacing(path) as file:
                yield file
            return
    whole = io.BytesIO()  # what is given open, or is no regular file, such as a pipe, need not be seekable
    yield whole
    if hasattr(target, "write"):
        target.write(whole.getvalue())
    else:
        path.write_bytes(whole.getbuffer())


def _resolved(path: Any) -> Path:
    """The file that a path leads to, through links."""
    if not isinstance(path, (str, os.PathLike)):
        raise AttributeError(f"save: expected a path or a file open for writing bytes, got {type(path)}")
    resolved = Path(path).resolve()
    if not resolved.parent.is_dir():
        raise RuntimeError(f"save: the folder {resolved.parent} does not exist")
    if resolved.is_dir():
        raise RuntimeError(f"save: {resolved} is a folder")
    return resolved


def _write_archive(file: IO[bytes], pickled: memoryview, memories: list[np.ndarray]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        _write_record(archive, "data.pkl", pickled)
        _write_record(archive, "byteorder", memoryview(sys.byteorder.encode()))
        for key, memory in enumerate(memories):
            content: Any = np.ascontiguousarray(memory).reshape(-1).view(np.uint8)
            _write_record(archive, f"data/{key}", memoryview(content))
        _write_record(archive, "version", memoryview(_FORMAT_VERSION))


def _write_record(archive: zipfile.ZipFile, name: str, content: memoryview) -> None:
    record = zipfile.ZipInfo(f"{_ARCHIVE}/{name}", time.localtime()[:6])
    record.external_attr = 0o600 << 16
    record.file_size = len(content)
    with archive.open(record, "w") as stream:
        stream.write(content)


@dataclass(frozen=True)
class _Global:
    """A name in a module that need not be installed here."""

    module: str
    name: str

    def __call__(self) -> None:
        """Pickle wants what it is told to call to be callable."""


_REBUILD_TENSOR = _Global("torch._utils", "_rebuild_tensor_v2")
_REBUILD_PARAMETER = _Global("torch._utils", "_rebuild_parameter")
_REBUILD_PARAMETER_WITH_ATTRIBUTES = _Global("torch._utils", "_rebuild_parameter_with_state")
_REBUILD_WITH_ATTRIBUTES = _Global("torch._tensor", "_rebuild_from_type_v2")
_REBUILD_SPARSE = _Global("torch._utils", "_rebuild_sparse_tensor")
_LAYOUT_NAMED = _Global("torch.serialization", "_get_layout")
_TENSOR = _Global("torch", "Tensor")


@dataclass(frozen=True)
class _StorageReference:
    """The place of a storage in the archive."""

    key: int
    dtype: DType
    count: int
    location: str


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
        if isinstance(obj, (TypedStorage, UntypedStorage)):
            obj = self.reference(obj._storage)
        if not isinstance(obj, _StorageReference):
            return None
        kind = _Global("torch", STORAGE_NAMES[obj.dtype])
        return "storage", kind, str(obj.key), obj.location, obj.count

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) in (Tensor, Buffer):
            return self.tensor(obj)
        if type(obj) is Parameter:
            return self.parameter(obj)
        if isinstance(obj, SparseTensor):
            parts = obj._indices(), obj._values().detach(), obj.shape, obj.is_coalesced()
            return _REBUILD_SPARSE, (obj.layout, parts)
        if isinstance(obj, Layout):
            return _LAYOUT_NAMED, (f"torch.{obj.name}",)
        if isinstance(obj, Device):
            return _Global("torch", "device"), (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, Size):
            return _Global("torch", "Size"), (tuple(obj),)
        return NotImplemented

    def tensor(self, tensor: Tensor) -> tuple[Any, ...]:
        """What makes a tensor, with its attributes if it has any."""
        arguments, attributes = self.tensor_arguments(tensor), attributes_of(tensor)
        if isinstance(tensor, Buffer):
            attributes["_is_buffer"] = True  # PyTorch knows buffers by this attribute
        if not attributes:
            return _REBUILD_TENSOR, arguments
        return _REBUILD_WITH_ATTRIBUTES, (_REBUILD_TENSOR, _TENSOR, arguments, attributes)

    def parameter(self, parameter: Parameter) -> tuple[Any, ...]:
        """What makes a parameter, likewise."""
        arguments: tuple[Any, ...] = (parameter.detach(), parameter.requires_grad, OrderedDict())
        attributes = attributes_of(parameter)
        if not attributes:
            return _REBUILD_PARAMETER, arguments
        return _REBUILD_PARAMETER_WITH_ATTRIBUTES, (*arguments, attributes)

    def tensor_arguments(self, tensor: Tensor) -> tuple[Any, ...]:
        view = tensor.view_of_storage()
        of_other_memory = tensor.dtype is not tensor._storage.value.dtype or tensor.is_conj()
        if min(view.strides, default=0) < 0 or of_other_memory:  # saved as copies: storages in files have one dtype
            return self.tensor_arguments(tensor.detach().clone().requires_grad_(tensor.requires_grad))
        reference = self.reference(tensor._storage)
        return reference, view.offset, view.shape, view.strides, tensor.requires_grad, OrderedDict()

    def reference(self, storage: Storage) -> _StorageReference:
        found = self.references.get(id(storage))
        if found is None:
            memory = Tensor.from_storage(storage).detach().array()
            found = _StorageReference(
                len(self.memories), storage.value.type.dtype, memory.size, str(storage.value.device)
            )
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
