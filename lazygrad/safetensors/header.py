"""The header of a file of safetensors, read without trusting it, and written.

A file is eight bytes with the header's length, the header, and the bytes of all tensors without gaps. Source of the
format: the description and the checks of the safetensors package, https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lazygrad.ir.dtype import DType, dtype_named

_LENGTH = 8
_LARGEST_HEADER = 100_000_000
_LARGEST_COUNT = 2**63 - 1
_METADATA = "__metadata__"

# In the order in which files have tensors: the last come first, so that all are aligned.
_CODES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "float8_e5m2": "F8_E5M2", "float8_e4m3fn": "F8_E4M3",
    "float8_e8m0fnu": "F8_E8M0", "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ", "int16": "I16",
    "uint16": "U16", "float16": "F16", "bfloat16": "BF16", "int32": "I32", "uint32": "U32", "float32": "F32",
    "complex64": "C64", "float64": "F64", "int64": "I64", "uint64": "U64",
}  # fmt: skip
_DTYPES = {code: dtype_named(name) for name, code in _CODES.items()}
_RANKS = {name: rank for rank, name in enumerate(_CODES)}


class SafetensorError(Exception):
    """A file that is no file of safetensors, or what such a file does not hold."""


@dataclass(frozen=True)
class Entry:
    """What a header says of a tensor.

    Attributes:
        dtype, shape: of the tensor.
        begin, end: of its bytes, from the start of the file.
    """

    dtype: DType
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def code(self) -> str:
        """The dtype's name in the file."""
        return _CODES[self.dtype.name]


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise SafetensorError(f"Error while deserializing: {problem}")


def header_length(start: bytes, size: int) -> int:
    """How many bytes the header has, from the file's first eight and its length.

    Raises:
        SafetensorError: more than the file has, or than any header may have.
    """
    _require(len(start) >= _LENGTH, "header too small")
    length = int.from_bytes(start[:_LENGTH], "little")
    _require(length <= _LARGEST_HEADER, "header too large")
    _require(_LENGTH + length <= size, "invalid header length")
    return length


def parsed(header: bytes, size: int) -> tuple[dict[str, Entry], dict[str, str] | None]:
    """The tensors of a file, in the order of their bytes, and its texts, None if it has none.

    Args:
        header: the JSON.
        size: of the file.

    Raises:
        SafetensorError: anything but such a header whose tensors cover the rest of the file once.
    """
    found = _object_of(header)
    metadata = found.pop(_METADATA, None)
    texts = metadata is None or (isinstance(metadata, dict) and all(type(text) is str for text in metadata.values()))
    _require(texts, "invalid JSON in header: the metadata is no map from texts to texts")
    start = _LENGTH + len(header)
    entries = {name: _entry(name, about, start) for name, about in found.items()}
    ordered = dict(sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)))
    place = start
    for name, entry in ordered.items():
        _require(entry.begin == place, f"invalid offset for tensor `{name:.80}`")
        place = entry.end
    _require(place == size, "incomplete metadata, file not fully covered")
    return ordered, metadata


def _object_of(header: bytes) -> dict[str, Any]:
    try:
        text = header.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SafetensorError(f"Error while deserializing: invalid UTF-8 in header: {error.reason}") from None
    try:
        found = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise SafetensorError(f"Error while deserializing: invalid JSON in header: {error!s:.200}") from None
    _require(header.startswith(b"{") and isinstance(found, dict), "invalid JSON in header: it is no object")
    return dict(found)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _entry(name: str, about: Any, start: int) -> Entry:
    _require(isinstance(about, dict) and about.keys() == {"dtype", "shape", "data_offsets"},
             f"invalid JSON in header: of tensor `{name:.80}` it says not dtype, shape and data_offsets")  # fmt: skip
    code, shape, offsets = about["dtype"], about["shape"], about["data_offsets"]
    _require(type(code) is str and code in _DTYPES, f"unknown dtype {code!r:.80} of tensor `{name:.80}`")
    _require(_are_counts(shape) and _are_counts(offsets) and len(offsets) == 2 and offsets[0] <= offsets[1],
             f"invalid shape, data type, or offset for tensor `{name:.80}`")  # fmt: skip
    size = _DTYPES[code].itemsize
    for extent in shape:
        size *= extent
        _require(size <= _LARGEST_COUNT, f"overflow computing buffer size from shape of tensor `{name:.80}`")
    _require(size == offsets[1] - offsets[0], f"invalid shape, data type, or offset for tensor `{name:.80}`")
    return Entry(_DTYPES[code], tuple(shape), start + offsets[0], start + offsets[1])


def _are_counts(numbers: Any) -> bool:
    return (
        isinstance(numbers, list)
        and len(numbers) <= 64
        and all(type(number) is int and 0 <= number <= _LARGEST_COUNT for number in numbers)
    )


def ordered_names(dtypes: Mapping[str, DType]) -> list[str]:
    """The names of tensors in the order of their bytes.

    Raises:
        SafetensorError: a dtype that the format does not have.
    """
    for name, dtype in dtypes.items():
        if dtype.name not in _RANKS:
            raise SafetensorError(f"the format has no dtype for {dtype.name}, which tensor `{name:.80}` has")
    return sorted(dtypes, key=lambda name: (-_RANKS[dtypes[name].name], name))


def written(tensors: Iterable[tuple[str, DType, tuple[int, ...]]], metadata: Mapping[str, str] | None) -> bytes:
    """The start of a file, up to the bytes of the tensors, which lie in the order given.

    Raises:
        TypeError: metadata that is not text by text.
    """
    header: dict[str, Any] = {}
    if metadata is not None:
        if not all(isinstance(text, str) for pair in metadata.items() for text in pair):
            raise TypeError("safetensors: the metadata is a dict of texts by texts")
        header[_METADATA] = dict(metadata)
    place = 0
    for name, dtype, shape in tensors:
        size = dtype.itemsize
        for extent in shape:
            size *= extent
        header[name] = {"dtype": _CODES[dtype.name], "shape": list(shape), "data_offsets": [place, place + size]}
        place += size
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    text += b" " * (-len(text) % _LENGTH)
    return len(text).to_bytes(_LENGTH, "little") + text
