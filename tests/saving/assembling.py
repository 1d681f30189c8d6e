"""Files of tensors put together by hand, opcode by opcode and record by record, so that each part can lie."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


class Raw(bytes):
    """Opcodes that make one object."""


PROTOCOL_2 = b"\x80\x02"
MARK, STOP = b"(", b"."


def text(content: str) -> Raw:
    encoded = content.encode("utf-8", "surrogatepass")
    return Raw(b"X" + struct.pack("<I", len(encoded)) + encoded)


def integer(value: int) -> Raw:
    if -(2**31) <= value < 2**31:
        return Raw(b"J" + struct.pack("<i", value))
    length = value.bit_length() // 8 + 1
    prefix = b"\x8a" + bytes([length]) if length < 256 else b"\x8b" + struct.pack("<i", length)
    return Raw(prefix + value.to_bytes(length, "little", signed=True))


def named(path: str) -> Raw:
    module, _, name = path.rpartition(".")
    return Raw(f"c{module}\n{name}\n".encode())


def made(value: Any) -> Raw:
    """Opcodes that make a value of Python; `Raw` stands for itself."""
    match value:
        case Raw():
            return value
        case None:
            return Raw(b"N")
        case bool():
            return Raw(b"\x88" if value else b"\x89")
        case int():
            return integer(value)
        case float():
            return Raw(b"G" + struct.pack(">d", value))
        case str():
            return text(value)
        case bytes():
            return Raw(b"B" + struct.pack("<I", len(value)) + value)
        case tuple():
            return Raw(MARK + joined(value) + b"t")
        case list():
            return Raw(b"](" + joined(value) + b"e")
        case dict():
            return Raw(b"}(" + b"".join(made(key) + made(item) for key, item in value.items()) + b"u")
    raise TypeError(type(value))


def joined(values: Iterable[Any]) -> bytes:
    return b"".join(made(value) for value in values)


def called(function: str | Raw, *arguments: Any) -> Raw:
    """What a call of a named function makes (REDUCE)."""
    return Raw((named(function) if isinstance(function, str) else function) + made(arguments) + b"R")


def built(target: Any, state: Any) -> Raw:
    """An object after its state was set (BUILD)."""
    return Raw(made(target) + made(state) + b"b")


def pickled(value: Any) -> bytes:
    return PROTOCOL_2 + made(value) + STOP


def storage(kind: Any = None, key: Any = "0", location: Any = "cpu", count: Any = 6) -> Raw:
    identity = ("storage", named("torch.FloatStorage") if kind is None else kind, key, location, count)
    return Raw(made(identity) + b"Q")


ORDERED_DICT = called("collections.OrderedDict")


def tensor(
    memory: Any = None,
    offset: Any = 0,
    size: Any = (2, 3),
    stride: Any = (3, 1),
    requires_grad: Any = False,
    *rest: Any,
) -> Raw:
    memory = storage() if memory is None else memory
    arguments = (memory, offset, size, stride, requires_grad, ORDERED_DICT, *rest)
    return called("torch._utils._rebuild_tensor_v2", *arguments)


@dataclass
class Record:
    """A record of a zip archive. What is None tells the truth.

    Attributes:
        content: the bytes behind the local header.
        compressed, size: the lengths stated.
        method: of compression, as stated.
        flags: as stated in both headers.
        checksum: as stated.
        offset: of the local header, as stated in the directory.
        local_name, local_method, local_padding: as stated in the local header, if otherwise than in the directory.
        extra: fields of the directory's entry.
        version: needed to extract.
        disk: that the record lies on.
        signature: of the local header.
    """

    name: bytes
    content: bytes
    compressed: int | None = None
    size: int | None = None
    method: int = 0
    flags: int = 0
    checksum: int | None = None
    offset: int | None = None
    local_name: bytes | None = None
    local_method: int | None = None
    local_padding: int | None = None
    extra: bytes = b""
    version: int = 20
    disk: int = 0
    signature: bytes = b"PK\x03\x04"

    def stated(self) -> tuple[int, int, int]:
        compressed = len(self.content) if self.compressed is None else self.compressed
        size = len(self.content) if self.size is None else self.size
        return zlib.crc32(self.content) if self.checksum is None else self.checksum, compressed, size

    def local(self) -> bytes:
        name = self.name if self.local_name is None else self.local_name
        method = self.method if self.local_method is None else self.local_method
        about = (self.version, self.flags, method, 0, 33, *self.stated(), len(name), self.local_padding or 0)
        return self.signature + struct.pack("<5H3I2H", *about) + name + self.content

    def entry(self, offset: int) -> bytes:
        about = (20, self.version, self.flags, self.method, 0, 33, *self.stated(), len(self.name), len(self.extra), 0,
                 self.disk, 0, 0, offset if self.offset is None else self.offset)  # fmt: skip
        return b"PK\x01\x02" + struct.pack("<6H3I5H2I", *about) + self.name + self.extra


def zipped(records: Iterable[Record], **ending: int) -> bytes:
    """An archive; ``count``, ``length`` and ``start`` of the directory may be stated otherwise."""
    body, directory, count = b"", b"", 0
    for record in records:
        directory += record.entry(len(body))
        body += record.local()
        count += 1
    stated = ending.get("count", count)
    about = (0, 0, stated, stated, ending.get("length", len(directory)), ending.get("start", len(body)), 0)
    return body + directory + b"PK\x05\x06" + struct.pack("<4H2IH", *about)


SIX_FLOATS = struct.pack("<6f", 0, 1, 2, 3, 4, 5)


def records(pickle: bytes, **replaced: bytes | None) -> list[Record]:
    """The records of a good file around a pickle; with ``None``, one is left out."""
    contents: dict[str, bytes | None] = {
        "data.pkl": pickle, "byteorder": b"little", "data/0": SIX_FLOATS, "version": b"3\n", **replaced,
    }  # fmt: skip
    return [Record(f"archive/{name}".encode(), content) for name, content in contents.items() if content is not None]


def archive(value: Any, **replaced: bytes | None) -> bytes:
    """A file whose pickle makes ``value``; bytes that are not `Raw` are the whole pickle."""
    pickle = value if isinstance(value, bytes) and not isinstance(value, Raw) else pickled(value)
    return zipped(records(pickle, **replaced))
