"""`load`: what `save` wrote, and what PyTorch wrote."""

from __future__ import annotations

import io
import os
import pickle
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from lazygrad.ir.device import Device
from lazygrad.saving.archive import Archive
from lazygrad.saving.legacy import HEADER_BYTES, LegacyFile, checked_header
from lazygrad.saving.names import object_named
from lazygrad.saving.pickle_machine import KNOWN_NAMES
from lazygrad.saving.rebuilding import TORCH_NAMES
from lazygrad.saving.safe_globals import allowed
from lazygrad.saving.scanning import scanned
from lazygrad.saving.storages import MapLocation, StorageLoader
from lazygrad.saving.unpickling import unpickle, unpickle_next

_START = b"PK\x03\x04"
_TAPE_MARK = 257, b"ustar"  # where a tar archive says that it is one
_START_BYTES = _TAPE_MARK[0] + len(_TAPE_MARK[1])
_VERSIONS = range(1, 11)  # those that PyTorch reads


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
        weights_only: load nothing but tensors, numbers, strings and containers of them, which cannot run code or
            change anything but what is loaded. Whole modules need False; only use it for files you trust.
        mmap: map the file into memory instead of reading it. The tensors are views of the mapped file then, whose
            bytes are read when they are needed and not checked; what is written to a tensor does not reach the file.
            A file that gets shorter later ends the process at the next read.
        pickle_load_args: ``encoding`` and ``errors``, for text that Python 2 wrote; without ``weights_only``, all
            that Python's unpickler takes.

    Raises:
        AttributeError: ``f`` is neither a path nor a file.
        ValueError: ``mmap`` without a path.
        TypeError: another kind of ``map_location``.
        EOFError: a file with nothing in it.
        FileNotFoundError: no such file.
        RuntimeError: not such an archive, or a damaged, compressed or encrypted one; a tensor that reaches beyond its
            storage; ``mmap`` of a file that is no archive; tensors from a GPU without a ``map_location``.
        pickle.UnpicklingError: sizes that the file does not bear out, a storage that it does not hold; with
            ``weights_only``, a class that is not on the list, an attribute of what is no tensor and no container, or
            a pickle that is damaged.
    """
    if not (map_location is None or callable(map_location) or isinstance(map_location, (str, Device, Mapping))):
        raise TypeError(f"load: map_location is a device, its name, a dict or a function, not {map_location!r}")
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    with _opened(f) as file:
        if _is_archive(file):
            archive = Archive(file, np.asarray(np.memmap(file, np.uint8, "c")) if mmap else None)
            _check_version(archive)
            storages = StorageLoader(archive.storage, archive.is_swapped, map_location)
            pickled = archive.read("data.pkl")
            if weights_only:
                return unpickle(pickled, storages, **pickle_load_args)
            return _Unpickler(pickled, storages, pickle_load_args).load()
        if mmap:
            raise RuntimeError("mmap can only be used with files saved with `lazygrad.save(_use_new_zipfile_"
                               "serialization=True)`; save it again this way")  # fmt: skip
        content = file.read()
    legacy = LegacyFile(content)
    storages = StorageLoader(legacy.array, legacy.is_swapped, map_location)
    if weights_only:
        return unpickle_next(content, legacy.start, storages, **pickle_load_args)[0]
    return _Unpickler(content[legacy.start : legacy.end], storages, pickle_load_args).load()


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """The names of classes and functions in a file that `load` with ``weights_only`` refuses; none is imported.

    Raises:
        ValueError: the file is no zip archive.
        RuntimeError, pickle.UnpicklingError: see `load`.
    """
    with _opened(f) as file:
        if not _is_archive(file):
            raise ValueError("Expected input to be a checkpoint returned by lazygrad.save or torch.save")
        names = scanned(Archive(file).read("data.pkl")).names
    return sorted({name for name in names if name not in KNOWN_NAMES and allowed(name) is None})


@contextmanager
def _opened(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[io.BufferedReader | io.BytesIO]:
    """The file, seekable. What has no end that can be known, such as a pipe, is read first.

    Raises:
        EOFError: there is nothing in it.
        AttributeError: neither a path nor a file.
    """
    if hasattr(source, "read"):
        yield _with_content(io.BytesIO(_read(source)))
        return
    if not isinstance(source, (str, os.PathLike)):
        raise AttributeError(f"load: expected a path or a file open for reading bytes, got {type(source)}")
    with open(source, "rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            yield _with_content(file)
            return
        yield _with_content(io.BytesIO(_read(file)))


def _read(file: Any) -> bytes:
    """All of a file. What is none of ours may have no end, so its head is looked at first.

    Raises:
        RuntimeError: it begins as no file of ours does.
    """
    begin = file.tell() if getattr(file, "seekable", bool)() else None
    head = b""
    while len(head) < HEADER_BYTES:  # a pipe gives what there is
        piece = file.read(HEADER_BYTES - len(head))
        if not piece:
            return head
        head += piece
    if not _begins_archive(head[:_START_BYTES]):
        checked_header(head)
    if begin is not None:  # to join two parts would take as much memory again
        file.seek(begin)
        head = b""
    rest: bytes = file.read()
    return head + rest


def _with_content(file: Any) -> Any:
    """``file``, at its start, where it has one."""
    if not file.read(1):
        raise EOFError("load: the file is empty; Ran out of input")
    file.seek(0)
    return file


def _is_archive(file: io.BufferedReader | io.BytesIO) -> bool:
    """Whether it is a zip archive; see `_begins_archive`."""
    start = file.read(_START_BYTES)
    file.seek(0)
    return _begins_archive(start)


def _begins_archive(start: bytes) -> bool:
    """Whether a file that begins with these bytes is a zip archive, and not one of PyTorch's older files.

    Raises:
        RuntimeError: it begins as neither does.
    """
    if start.startswith(_START):
        return True
    if start[_TAPE_MARK[0] :] == _TAPE_MARK[1]:
        raise RuntimeError("load: a file in PyTorch's legacy .tar format, of before 0.2, is not read: load it with "
                           "PyTorch and save it again")  # fmt: skip
    if not start.startswith(pickle.PROTO):
        raise RuntimeError("load: not an archive written by save(), and no legacy file")
    return False


def _check_version(archive: Archive) -> None:
    version = archive.read("version", limit=16).strip()
    if not (version.isdigit() and int(version) in _VERSIONS):
        raise RuntimeError(f"load: the file is of version {version!r} of PyTorch's format, which is not known here")


class _Unpickler(pickle.Unpickler):
    """Python's, for files that are trusted to run code; tensors are those of this framework."""

    def __init__(self, pickled: bytes, storages: StorageLoader, options: dict[str, Any]) -> None:
        super().__init__(io.BytesIO(pickled), **options)
        self._storages = storages

    def persistent_load(self, identity: Any) -> Any:
        if type(identity) is tuple and len(identity) == 4 and identity[0] == "module":
            return identity[1]  # a class, in legacy files with its source text
        return self._storages(identity)

    def find_class(self, module: str, name: str) -> Any:
        known = TORCH_NAMES.get(f"{module}.{name}")
        if known is not None:
            return known
        return object_named(module, name) if module.partition(".")[0] == "torch" else super().find_class(module, name)
