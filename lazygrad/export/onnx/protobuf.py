"""The wire format of protocol buffers, as far as ONNX needs it: messages are joined fields, and a field is bytes.

Source: protobuf.dev/programming-guides/encoding. A dependency for these few lines would be larger than they are.
"""

from __future__ import annotations

import struct

_VARINT, _DELIMITED, _FIXED32 = 0, 2, 5


def integer(field: int, value: int) -> bytes:
    """An int64, an int32 or an enumeration."""
    return _varint(field << 3 | _VARINT) + _varint(value & (1 << 64) - 1)


def real(field: int, value: float) -> bytes:
    """A float of 32 bits."""
    return _varint(field << 3 | _FIXED32) + struct.pack("<f", value)


def delimited(field: int, value: bytes | str) -> bytes:
    """A text, bytes, or a message."""
    content = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | _DELIMITED) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
