"""`load`: what `save` wrote, and what PyTorch wrote."""

from __future__ import annotations

import io
import os
import pickle
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from lazygrad.ir.device import Device
from lazygrad.saving.archive import Archive
from lazygrad.saving.rebuilding import TORCH_NAMES
from lazygrad.saving.storages import LoadedStorage, MapLocation, StorageLoader
from lazygrad.saving.unpickling import unpickle

_START = b"PK\x03\x04"
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
        mmap: accepted for PyTorch's sake.
        pickle_load_args: ``encoding`` and ``errors``, for text that Python 2 wrote; without ``weights_only``, all
            that Python's unpickler takes.

    Raises:
        AttributeError: ``f`` is neither a path nor a file.
        TypeError: another kind of ``map_location``.
        EOFError: a file with nothing in it.
        FileNotFoundError: no such file.
        RuntimeError: not such an archive, or a damaged, compressed or encrypted one; a tensor that reaches beyond its
            storage; tensors from a GPU without a ``map_location``.
        pickle.UnpicklingError: sizes that the file does not bear out, a storage that it does not hold; with
            ``weights_only``, a class that is not on the list, an attribute of what is no tensor and no container, or
            a pickle that is damaged.
    """
    if not (map_location is None or callable(map_location) or isinstance(map_location, (str, Device, Mapping))):
        raise TypeError(f"load: map_location is a device, its name, a dict or a function, not {map_location!r}")
    with _opened(f) as file:
        archive = Archive(file)
        _check_version(archive)
        storages = StorageLoader(archive, map_location)
        pickled = archive.read("data.pkl")
        if weights_only:
            return unpickle(pickled, storages, **pickle_load_args)
        return _Unpickler(pickled, storages, pickle_load_args).load()


@contextmanager
def _opened(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[io.BufferedReader | io.BytesIO]:
    """The file, seekable. What has no end that can be known, such as a pipe, is read first."""
    if hasattr(source, "read"):
        yield io.BytesIO(_checked_start(source.read()))
        return
    if not isinstance(source, (str, os.PathLike)):
        raise AttributeError(f"load: expected a path or a file open for reading bytes, got {type(source)}")
    with open(source, "rb") as file:
        start = _checked_start(file.read(len(_START)))
        yield file if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else io.BytesIO(start + file.read())


def _checked_start(content: bytes) -> bytes:
    if not content:
        raise EOFError("load: the file is empty")
    if not content.startswith(_START):
        raise RuntimeError("load: not an archive written by save(); files from before PyTorch 1.6 are not read: load "
                           "them with PyTorch and save them again")  # fmt: skip
    return content


def _check_version(archive: Archive) -> None:
    version = archive.read("version", limit=16).strip()
    if not (version.isdigit() and int(version) in _VERSIONS):
        raise RuntimeError(f"load: the file is of version {version!r} of PyTorch's format, which is not known here")


class _Unpickler(pickle.Unpickler):
    """Python's, for files that are trusted to run code; tensors are those of this framework."""

    def __init__(self, pickled: bytes, storages: StorageLoader, options: dict[str, Any]) -> None:
        super().__init__(io.BytesIO(pickled), **options)
        self._storages = storages

    def persistent_load(self, identity: Any) -> LoadedStorage:
        return self._storages(identity)

    def find_class(self, module: str, name: str) -> Any:
        known = TORCH_NAMES.get(f"{module}.{name}")
        return super().find_class(module, name) if known is None else known
