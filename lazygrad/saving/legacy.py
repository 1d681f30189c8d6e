"""The files that PyTorch wrote before 1.6, and writes still when asked to: five pickles, then the storages' bytes.

The pickles hold a magic number, a version, what the machine was like, the object, and the keys of its storages. For
each key follow how many elements the storage has, in eight bytes, and the elements.
"""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np

from lazygrad.saving.scanning import scanned
from lazygrad.saving.storages import checked_identity
from lazygrad.saving.unpickling import unpickle_next

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
VERSION = 1001
HEADER_BYTES = 1 << 10  # bytes that the first three pickles have at most
_COUNT = 8


class LegacyFile:
    """Such a file.

    Args:
        content: all of it.

    Attributes:
        start: where the pickle of the object begins.
        end: where it ends.
        is_swapped: whether its numbers are in the other byte order than this machine's.

    Raises:
        RuntimeError: another kind of file.
        pickle.UnpicklingError: storages that the pickle does not describe, or that the file has no bytes for.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.start, self.is_swapped = checked_header(content)
        scan = scanned(content, self.start)
        self.end = scan.end
        self._places = self._found_places(scan.identities)

    def array(self, key: str, size: int) -> np.ndarray:
        """The bytes of a storage as a new array.

        Raises:
            pickle.UnpicklingError: there is none, or it has not ``size`` bytes.
        """
        begin, end = self._places.get(key, (0, -1))
        if end - begin != size:
            raise pickle.UnpicklingError(f"load: the file has no storage {key[:80]} of {size} bytes")
        return np.frombuffer(self._content, np.uint8, size, begin).copy() if size else np.empty(0, np.uint8)

    def _found_places(self, found: list[Any]) -> dict[str, tuple[int, int]]:
        itemsizes: dict[str, tuple[int, int]] = {}
        for identity in found:
            if type(identity) is tuple and identity[:1] == ("storage",):
                kind, key, _, count = checked_identity(identity)
                itemsizes.setdefault(key, (kind.dtype.itemsize, count))
        keys, place = unpickle_next(self._content, self.end, _refuse_storage)
        if type(keys) is not list or len(set(map(str, keys))) != len(keys):
            raise pickle.UnpicklingError("load: the keys of the file's storages are no list of different ones")
        places: dict[str, tuple[int, int]] = {}
        for key in keys:
            if type(key) is not str or key not in itemsizes:
                raise pickle.UnpicklingError("load: the file lists a storage that its pickle does not describe")
            itemsize, count = itemsizes[key]
            stored = int.from_bytes(self._content[place : place + _COUNT], "little")
            begin, end = place + _COUNT, place + _COUNT + count * itemsize
            if stored != count or end > len(self._content):
                raise pickle.UnpicklingError(f"load: the file says that its storage {key[:80]} has {count} elements, "
                                             f"which are not there")  # fmt: skip
            places[key], place = (begin, end), end
        return places


def checked_header(content: bytes) -> tuple[int, bool]:
    """Where the object's pickle begins, and whether the byte order is another one.

    Args:
        content: of the file, its first `HEADER_BYTES` at least.

    Raises:
        RuntimeError: another kind of file.
    """
    head = content[:HEADER_BYTES]
    try:
        magic, place = unpickle_next(head, 0, _refuse_storage)
        version, place = unpickle_next(head, place, _refuse_storage)
        about, place = unpickle_next(head, place, _refuse_storage)
    except pickle.UnpicklingError as error:
        raise RuntimeError(f"load: not a file written by save(): {error}") from error
    if type(magic) is not int or magic != MAGIC_NUMBER or type(about) is not dict:
        raise RuntimeError("load: not a file written by save(): Invalid magic number; corrupt file?")
    if version != VERSION:
        raise RuntimeError(f"load: Invalid protocol version: {version!r:.80}")
    return place, about.get("little_endian", True) is not (sys.byteorder == "little")


def _refuse_storage(identity: Any) -> Any:
    raise pickle.UnpicklingError("load: the file refers to a storage where there can be none")
