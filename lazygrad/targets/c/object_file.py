"""Whether a shared object is whole, as far as its headers tell.

A loader maps what the headers name without asking whether it is there: half a file, left by a compiler that met a full
disk and said nothing, ends the process with a bus error. The layout is that of the System V ABI, "Object Files".
"""

from __future__ import annotations

import struct
import sys

_MAGIC = b"\x7fELF"
_IS_64 = struct.calcsize("P") == 8
_CLASS, _ORDER = 2 if _IS_64 else 1, 1 if sys.byteorder == "little" else 2
_SHARED_OBJECT = 3
_HEADER = struct.Struct("=16xHHIQQQIHHHHHH" if _IS_64 else "=16xHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("=IIQQQQQQ" if _IS_64 else "=IIIIIIII")
_OFFSET_OF_SEGMENT, _SIZE_OF_SEGMENT = (2, 5) if _IS_64 else (1, 4)
_SECTION = struct.Struct("=IIQQQQIIQQ" if _IS_64 else "=IIIIIIIIII")
_LOADED, _DYNAMIC = 1, 2  # kinds of segment
_UNUSED, _NAMES, _DYNAMIC_SECTION, _WITHOUT_CONTENT, _SYMBOLS = 0, 3, 6, 8, 11  # kinds of section
_ENTRY = struct.Struct("=QQ" if _IS_64 else "=II")
_LAST, _STRING_TABLE, _SYMBOL_TABLE = 0, 5, 6  # tags of dynamic entries


class DamagedObjectError(ValueError):
    """A file is no shared object, or not all of one."""


def check_object(content: bytes) -> None:
    """Look through the headers of a shared object.

    Raises:
        DamagedObjectError: something is missing. Not on systems whose objects have another format.
    """
    if sys.platform == "darwin":
        return
    if not content:
        raise DamagedObjectError("it is empty")
    if content[:4] != _MAGIC:
        raise DamagedObjectError("it is no ELF file")
    if len(content) < _HEADER.size:
        raise DamagedObjectError("it ends within its header")
    if tuple(content[4:6]) != (_CLASS, _ORDER):
        raise DamagedObjectError("it was made for another kind of machine")
    kind, _, _, _, segments, sections, _, _, _, segment_count, _, section_count, names = _HEADER.unpack_from(content)
    if kind != _SHARED_OBJECT:
        raise DamagedObjectError("it is no shared object")
    dynamic = _check_segments(content, segments, segment_count)
    _check_sections(content, sections, section_count, names, dynamic)
    _check_dynamic_entries(content, *dynamic)


def _check_segments(content: bytes, start: int, count: int) -> tuple[int, int]:
    """Look at what is mapped into memory; returns offset and size of the table that a loader begins with."""
    found: dict[int, tuple[int, int]] = {}
    for fields in _table(content, _SEGMENT, start, count):
        place = fields[_OFFSET_OF_SEGMENT], fields[_SIZE_OF_SEGMENT]
        _check_place(content, *place)
        found[fields[0]] = place
    if _LOADED not in found or _DYNAMIC not in found:
        raise DamagedObjectError("it has nothing to load")
    return found[_DYNAMIC]


def _check_sections(content: bytes, start: int, count: int, names: int, dynamic: tuple[int, int]) -> None:
    """Look at the table of contents. Linkers write it last, so a file that was cut off lacks it."""
    sections = _table(content, _SECTION, start, count)
    for _, kind, _, _, offset, size, *_ in sections:
        if kind not in (_UNUSED, _WITHOUT_CONTENT):
            _check_place(content, offset, size)
    if names >= len(sections) or sections[names][1] != _NAMES:
        raise DamagedObjectError("its sections have no names")
    if _SYMBOLS not in {section[1] for section in sections}:
        raise DamagedObjectError("it has no symbols")
    if dynamic not in {(section[4], section[5]) for section in sections if section[1] == _DYNAMIC_SECTION}:
        raise DamagedObjectError("its headers contradict each other")


def _check_dynamic_entries(content: bytes, start: int, size: int) -> None:
    tags = [tag for tag, _ in _table(content, _ENTRY, start, size // _ENTRY.size)]
    if _LAST not in tags or not {_STRING_TABLE, _SYMBOL_TABLE} <= set(tags[: tags.index(_LAST)]):
        raise DamagedObjectError("what a loader begins with is missing")


def _table(content: bytes, row: struct.Struct, start: int, count: int) -> list[tuple[int, ...]]:
    _check_place(content, start, count * row.size)
    return list(row.iter_unpack(memoryview(content)[start : start + count * row.size]))


def _check_place(content: bytes, offset: int, size: int) -> None:
    if offset + size > len(content):
        raise DamagedObjectError(f"it ends after {len(content)} bytes, and refers to byte {offset + size}")
