"""`save`: pickling with tensors set apart, under the names PyTorch knows, into a zip archive."""

from __future__ import annotations

import io
import os
import pickle
import struct
import sys
import time
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import IO, Any, ClassVar

import numpy as np

from lazygrad.autograd.hooks import HookRegistry
from lazygrad.host.dtypes import from_numpy
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout
from lazygrad.nn.parameter import Buffer, Parameter
from lazygrad.ops.objects.copying import attributes_of
from lazygrad.ops.objects.storages import TypedStorage, UntypedStorage
from lazygrad.saving.destination import destination
from lazygrad.saving.legacy import MAGIC_NUMBER
from lazygrad.saving.legacy import VERSION as LEGACY_VERSION
from lazygrad.saving.names import torch_name_of
from lazygrad.saving.storage_types import STORAGE_NAMES
from lazygrad.size import Size
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.storage import Storage
from lazygrad.tensor import Tensor

DEFAULT_PROTOCOL = 2
"""Of Python's pickle, in files."""

_FORMAT_VERSION = b"3\n"
_ARCHIVE = "archive"
_ALIGNMENT = 64  # of the records' contents, so that a mapped file can be computed with
_LOCAL_HEADER, _LARGE_SIZES = 30, 20  # bytes of a record's header without its name, and of sizes beyond 4 GB
_PADDING = struct.Struct("<2sH")


def save(
    obj: Any,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = None,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object, with all tensors in it, to a file that `lazygrad.load` and `torch.load` read.

    Args:
        obj: anything that can be pickled: a tensor, a ``state_dict()``, a dict of several, a whole module. Layers of
            ``nn`` are written under their names in PyTorch, which reads them as its own; other classes of lazygrad can
            be read by lazygrad only.
        f: a path, or a file open for writing bytes. A regular file at a path is replaced when everything is written,
            so an error, or the end of the process, leaves an older file as it was; of a link, the file it leads to.
        pickle_module: accepted for PyTorch's sake; must be None or `pickle`.
        pickle_protocol: of Python's pickle, 1 or more; PyTorch reads 2.
        _use_new_zipfile_serialization: False writes the format from before PyTorch 1.6.
        _disable_byteorder_record: leave out the record that says in which byte order numbers are.

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
    pickler = _Pickler(pickled, pickle_protocol, is_legacy=not _use_new_zipfile_serialization)
    pickler.dump(obj)
    with destination(f) as file:
        if _use_new_zipfile_serialization:
            _write_archive(file, pickled.getbuffer(), pickler.memories, not _disable_byteorder_record)
        else:
            _write_legacy(file, pickled.getbuffer(), pickler.memories, pickle_protocol)


def _write_archive(file: IO[bytes], pickled: memoryview, memories: list[np.ndarray], says_byte_order: bool) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:

        def write(name: str, content: memoryview) -> None:
            record = zipfile.ZipInfo(f"{_ARCHIVE}/{name}", time.localtime()[:6])
            record.external_attr = 0o600 << 16
            record.file_size = len(content)
            sizes = _LARGE_SIZES if record.file_size * 1.05 > zipfile.ZIP64_LIMIT else 0  # as zipfile decides it
            record.extra = _padding(file.tell() + _LOCAL_HEADER + len(record.filename) + sizes)
            with archive.open(record, "w") as stream:
                stream.write(content)

        write("data.pkl", pickled)
        write(".format_version", memoryview(b"1"))
        write(".storage_alignment", memoryview(str(_ALIGNMENT).encode()))
        if says_byte_order:
            write("byteorder", memoryview(sys.byteorder.encode()))
        for key, memory in enumerate(memories):
            write(f"data/{key}", _bytes_of(memory))
        write("version", memoryview(_FORMAT_VERSION))


def _padding(place: int) -> bytes:
    """What a record's header, which would end at ``place``, is filled up with, so that it ends where PyTorch's do."""
    missing = -(place + _PADDING.size) % _ALIGNMENT
    return _PADDING.pack(b"FB", missing) + b"Z" * missing


def _bytes_of(memory: np.ndarray) -> memoryview:
    content: Any = np.ascontiguousarray(memory).reshape(-1).view(np.uint8)
    return memoryview(content)


def _write_legacy(file: IO[bytes], pickled: memoryview, memories: list[np.ndarray], protocol: int) -> None:
    about = {
        "protocol_version": LEGACY_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    for part in (MAGIC_NUMBER, LEGACY_VERSION, about):
        file.write(pickle.dumps(part, protocol))
    file.write(pickled)
    file.write(pickle.dumps([str(key) for key in range(len(memories))], protocol))
    for memory in memories:
        count = memory.nbytes if from_numpy(memory.dtype).is_storage else memory.size
        file.write(count.to_bytes(8, sys.byteorder))
        file.write(_bytes_of(memory))


@dataclass(frozen=True)
class _Global:
    """A name in a module that need not be installed here."""

    module: str
    name: str

    def __call__(self) -> None:
        """Pickle wants what it is told to call to be callable."""


_REBUILD_TENSOR = _Global("torch._utils", "_rebuild_tensor_v2")
_REBUILD_TENSOR_OF_BYTES = _Global("torch._utils", "_rebuild_tensor_v3")
_BYTES = _Global("torch.storage", "UntypedStorage")
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

    def __init__(self, file: IO[bytes], protocol: int, is_legacy: bool) -> None:
        super().__init__(file, protocol)
        self.is_legacy = is_legacy
        self.memories: list[np.ndarray] = []
        self.references: dict[int, _StorageReference] = {}
        self.kept: list[Storage] = []  # so that no other storage gets the id of one seen

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, (TypedStorage, UntypedStorage)):
            obj = self.reference(obj._storage)
        if not isinstance(obj, _StorageReference):
            return None
        kind, count = _BYTES, obj.count * obj.dtype.itemsize
        if not obj.dtype.is_storage:  # for those files have no kind of storage
            kind, count = _Global("torch", STORAGE_NAMES[obj.dtype]), obj.count
        identity = "storage", kind, str(obj.key), obj.location, count
        return (*identity, None) if self.is_legacy else identity

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
        if type(obj) is HookRegistry and not obj:  # of a module, in which PyTorch has plain dictionaries
            return OrderedDict, ()
        if isinstance(obj, Size):
            return _Global("torch", "Size"), (tuple(obj),)
        return NotImplemented

    def tensor(self, tensor: Tensor) -> tuple[Any, ...]:
        """What makes a tensor, with its attributes if it has any."""
        arguments, attributes = self.tensor_arguments(tensor), attributes_of(tensor)
        if isinstance(tensor, Buffer):
            attributes["_is_buffer"] = True  # PyTorch knows buffers by this attribute
        rebuild = _REBUILD_TENSOR
        if tensor.dtype.is_storage:
            rebuild, arguments = _REBUILD_TENSOR_OF_BYTES, (*arguments, tensor.dtype)
        if not attributes:
            return rebuild, arguments
        return _REBUILD_WITH_ATTRIBUTES, (rebuild, _TENSOR, arguments, attributes)

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

    def save_global(self, obj: Any, name: str | None = None) -> None:
        theirs = torch_name_of(obj)
        if theirs is None:
            super().save_global(obj, name)
        else:
            self.write(pickle.GLOBAL + "{}\n{}\n".format(*theirs).encode())
            self.memoize(obj)

    def save_named(self, obj: _Global | DType) -> None:
        module, name = (obj.module, obj.name) if isinstance(obj, _Global) else ("torch", obj.name)
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    dispatch: ClassVar[dict[type, Callable[..., None]]] = {
        **_PythonPickler.dispatch,
        _Global: save_named,
        DType: save_named,
        FunctionType: save_global,
    }
