"""Reading the zip archive that a file of tensors is, without trusting what it says about itself.

Records of such a file are stored as they are. So none is longer than the file, and no two share bytes: memory for a
record is taken only after its place in the file is known to exist.
"""

from __future__ import annotations

import io
import pickle
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_LOCAL_SIGNATURE = b"PK\x03\x04"
_UNREADABLE_FLAGS = 0x1 | 0x20 | 0x40 | 0x2000  # encrypted, a patch, strongly encrypted, masked headers
_PICKLED = "/data.pkl"


class Archive:
    """The records of one file.

    Args:
        file: open for reading bytes, and seekable; it must stay open while records are read.
        mapped: the file's bytes, if its records are to be views of them.

    Attributes:
        names: of the records, without the folder that all of them lie in.

    Raises:
        RuntimeError: not an archive that `save` writes: cut off, compressed, encrypted, with records that overlap, that
            lie outside the file, that have one name, or whose names lead out of the archive.
    """

    def __init__(self, file: io.BufferedReader | io.BytesIO, mapped: np.ndarray | None = None) -> None:
        try:
            directory = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, OSError) as error:
            raise RuntimeError(f"load: not an archive written by save(), or a damaged one: {error}") from error
        entries = directory.infolist()
        self._file, self._mapped = file, mapped
        self._end_of = _checked_extents(entries, directory.start_dir)
        self._entries = _by_name(entries)
        self._folder = _folder_of(self._entries)
        self.names = frozenset(name.removeprefix(self._folder) for name in self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def read(self, name: str, limit: int | None = None) -> bytes:
        """The bytes of a small record. RuntimeError if there is none, it is damaged or longer than ``limit``."""
        if limit is not None and self.size(name) > limit:
            raise RuntimeError(f"load: the record {name!r} has {self.size(name)} bytes, which is more than it can need")
        return self.array(name).tobytes()

    def size(self, name: str) -> int:
        """How many bytes a record has. RuntimeError if there is none of this name."""
        return self._entry(name).file_size

    def array(self, name: str) -> np.ndarray:
        """The bytes of a record: a new array, or a part of the mapped file, which is not looked at.

        Raises:
            RuntimeError: there is none of this name, or its bytes are not those that were written.
        """
        entry = self._entry(name)
        start = self._start_of(entry)
        if self._mapped is not None:
            return self._mapped[start : start + entry.file_size]
        self._file.seek(start)
        content: Any = np.empty(entry.file_size, np.uint8)
        if self._file.readinto(content) != entry.file_size:
            raise RuntimeError(f"load: the file ends inside of its record {name!r}")
        if zlib.crc32(content) != entry.CRC:
            raise RuntimeError(f"load: the record {name!r} is damaged: its checksum is another one")
        return content

    def storage(self, key: str, size: int) -> np.ndarray:
        """The bytes of a storage, see `array`.

        Raises:
            RuntimeError: there is none with this key, or it is damaged.
            pickle.UnpicklingError: it has not ``size`` bytes.
        """
        name = f"data/{key}"
        if self.size(name) != size:
            raise pickle.UnpicklingError(f"load: the file says that its storage {key} has {size} bytes, but holds "
                                         f"{self.size(name)}")  # fmt: skip
        return self.array(name)

    @property
    def is_swapped(self) -> bool:
        """Whether its numbers are in the other byte order than this machine's.

        Raises:
            RuntimeError: it states a byte order that does not exist.
        """
        if "byteorder" not in self:
            return sys.byteorder != "little"  # files of PyTorch before 2.0
        order = self.read("byteorder", limit=16)
        if order not in (b"little", b"big"):
            raise RuntimeError(f"load: the file states a byte order that does not exist: {order!r}")
        return order.decode() != sys.byteorder

    def _entry(self, name: str) -> zipfile.ZipInfo:
        entry = self._entries.get(self._folder + name)
        if entry is None:
            raise RuntimeError(f"load: the archive has no record {name!r}")
        return entry

    def _start_of(self, entry: zipfile.ZipInfo) -> int:
        """Where the bytes of a record begin: behind a header that repeats its name and may be padded."""
        self._file.seek(entry.header_offset)
        header = self._file.read(_LOCAL_HEADER.size)
        if len(header) != _LOCAL_HEADER.size or not header.startswith(_LOCAL_SIGNATURE):
            raise RuntimeError(f"load: the record {entry.filename!r} is not where the archive's directory says")
        _, _, flags, method, *_, name_length, padding = _LOCAL_HEADER.unpack(header)
        start = entry.header_offset + _LOCAL_HEADER.size + name_length + padding
        name = self._file.read(name_length).decode("utf-8" if flags & 0x800 else "cp437", "replace")
        if name != entry.filename or method != zipfile.ZIP_STORED or flags & _UNREADABLE_FLAGS:
            raise RuntimeError(f"load: the header of the record {entry.filename!r} contradicts the archive's directory")
        if start + entry.file_size > self._end_of[entry.header_offset]:
            raise RuntimeError(f"load: the record {entry.filename!r} is longer than its place in the file")
        return start


def _checked_extents(entries: Iterable[zipfile.ZipInfo], end: int) -> dict[int, int]:
    """Where the place of each record ends, by where it begins: at the next record, or at ``end``."""
    ordered = sorted(entries, key=lambda entry: entry.header_offset)
    places = [*(entry.header_offset for entry in ordered), end]
    for entry, following in zip(ordered, places[1:], strict=True):
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise RuntimeError(f"load: the record {entry.filename!r} is compressed; save() stores records as they are")
        if entry.flag_bits & _UNREADABLE_FLAGS or entry.volume:
            raise RuntimeError(f"load: the record {entry.filename!r} is encrypted, or in another file")
        least = _LOCAL_HEADER.size + len(entry.orig_filename) + entry.file_size
        if entry.header_offset < 0 or entry.header_offset + least > following:
            raise RuntimeError(f"load: the record {entry.filename!r} reaches beyond its place in the file")
    return dict(pairwise(places))


def _by_name(entries: Iterable[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        name = entry.filename
        parts = name.split("/")
        if "\0" in entry.orig_filename or "\\" in name or not parts[0] or {".", ".."} & set(parts):
            raise RuntimeError(f"load: {entry.orig_filename!r} is no name of a record")
        if name in found:
            raise RuntimeError(f"load: the archive has two records {name!r}")
        found[name] = entry
    return found


def _folder_of(names: Iterable[str]) -> str:
    """The folder with the pickle, ending in a slash."""
    found = [name for name in names if name.endswith(_PICKLED) and name.count("/") == 1]
    if len(found) != 1:
        raise RuntimeError("load: the archive holds no data.pkl, or several; it was not written by save()")
    folder = found[0].removesuffix("data.pkl")
    strange = next((name for name in names if not name.startswith(folder)), None)
    if strange is not None:
        raise RuntimeError(f"load: the record {strange!r} lies outside of the folder {folder!r}")
    return folder
