"""Files whose zip archive lies about its records, lacks some, or is none."""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator

from tests.saving.assembling import Record, archive, pickled, records, storage, tensor, zipped

Files = Iterator[tuple[str, bytes]]

GOOD = {"x": tensor(), "n": [1, 2, (3, "four")]}
_PICKLE = pickled(GOOD)


def files() -> Files:
    """All files of this kind that cannot be read."""
    for kind in (_of_other_formats, _of_missing_records, _of_names, _of_lies, _of_compression, _of_endings):
        yield from kind()


def damaged() -> Files:
    """A good file cut off, and with single bits flipped: either it raises, or what was hit does not matter."""
    good = archive(GOOD)
    for place in range(4, len(good), 23):
        yield f"cut off after {place} bytes", good[:place]
        flipped = bytearray(good)
        flipped[place] ^= 1 << place % 8
        yield f"bit {place % 8} of byte {place} flipped", bytes(flipped)


def _of_other_formats() -> Files:
    yield "nothing", b""
    yield "a byte", b"P"
    yield "the start of an archive", b"PK\x03\x04"
    yield "an empty archive", zipped([])
    yield "text", b"hello, world\n" * 100
    yield "a pickle", _PICKLE
    yield "gzip", gzip.compress(archive(GOOD))
    yield "an object file", b"\x7fELF" + bytes(200)
    yield "zeros", bytes(10_000)
    taped = io.BytesIO()
    with tarfile.open(fileobj=taped, mode="w") as tape:
        tape.addfile(tarfile.TarInfo("storages"), io.BytesIO())
    yield "a tape", taped.getvalue()
    yield "an archive behind other bytes", b"#!/bin/sh\n" + archive(GOOD)
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as made:
        made.writestr("word/document.xml", "<w/>")
    yield "an archive of other things", other.getvalue()


def _of_missing_records() -> Files:
    for name in ("data.pkl", "data/0", "version"):
        yield f"no {name}", archive(GOOD, **{name: None})
    for version in (b"", b"0", b"-3", b"11", b"99999", b"three", b"3.0", b"9" * 100_000, b"3" * 15, "\u0663".encode()):
        yield f"version {version!r:.30}", archive(GOOD, version=version)
    for order in (b"", b"middle", b"LITTLE", b"little\0", b"little ", b"\xff", b"big" * 1000, b"littlebig"):
        yield f"byteorder {order!r:.30}", archive(GOOD, byteorder=order)
    folder = [Record(record.name.replace(b"archive", b"other"), record.content) for record in records(_PICKLE)]
    yield "two archives in one", zipped([*records(_PICKLE), *folder])
    yield "a pickle far inside", zipped([Record(b"a/b/" + record.name, record.content) for record in records(_PICKLE)])
    yield (
        "no folder",
        zipped([Record(record.name.removeprefix(b"archive/"), record.content) for record in records(_PICKLE)]),
    )


def _of_names() -> Files:
    for number, record in enumerate(records(_PICKLE)):
        twice = records(_PICKLE)
        yield f"{record.name.decode()} twice", zipped([*twice, Record(record.name, twice[number].content)])
    names = (
        b"../archive/x", b"archive/../x", b"archive/../../etc/passwd", b"/archive/x", b"/etc/passwd", b"archive/./x",
        b"archive/data/0\0x", b"archive/x\0", b"", b"archive\\x", b"C:\\x", b"x", b"archive2/x",
    )  # fmt: skip
    for name in names:
        yield f"a record {name!r}", zipped([*records(_PICKLE), Record(name, b"content")])
    yield "a name of no UTF-8", zipped([*records(_PICKLE), Record(b"archive/\xff\xfe", b"content", flags=0x800)])


def _changed(name: str, **lies: object) -> bytes:
    changed = records(_PICKLE)
    for record in changed:
        if record.name.decode().endswith(name):
            for field, value in lies.items():
                setattr(record, field, value)
    return zipped(changed)


def _of_lies() -> Files:
    wide = struct.pack("<2H2Q", 1, 16, 2**62, 2**62)
    for name in ("data.pkl", "data/0"):
        yield f"{name}: shorter than stated", _changed(name, compressed=10_000, size=10_000)
        yield f"{name}: longer by one", _changed(name, compressed=1000, size=1001)
        yield f"{name}: far longer", _changed(name, compressed=2**32 - 2, size=2**32 - 2)
        yield f"{name}: larger when unpacked", _changed(name, size=2**31)
        yield f"{name}: smaller when unpacked", _changed(name, size=4)
        yield f"{name}: of 2**62 bytes", _changed(name, compressed=2**32 - 1, size=2**32 - 1, extra=wide)
        yield f"{name}: of 2**62 bytes, without the field", _changed(name, compressed=2**32 - 1, size=2**32 - 1)
        yield f"{name}: another checksum", _changed(name, checksum=0)
        yield f"{name}: of length 0", _changed(name, compressed=0, size=0)
        yield f"{name}: elsewhere", _changed(name, offset=1)
        yield f"{name}: behind the file", _changed(name, offset=10**6)
        yield f"{name}: far behind the file", _changed(name, offset=2**32 - 2)
        place = struct.pack("<2HQ", 1, 8, 2**63 - 1)
        yield f"{name}: at 2**63", _changed(name, offset=2**32 - 1, extra=place)
        yield (
            f"{name}: an extra field that is cut off",
            _changed(name, offset=2**32 - 1, extra=struct.pack("<2H", 1, 8)),
        )
        yield f"{name}: encrypted", _changed(name, flags=1)
        yield f"{name}: strongly encrypted", _changed(name, flags=0x41)
        yield f"{name}: a patch", _changed(name, flags=0x20)
        yield f"{name}: on another disk", _changed(name, disk=3)
        yield f"{name}: for zip 25.5", _changed(name, version=255)
        yield f"{name}: named otherwise", _changed(name, local_name=b"archive/data/1")
        yield f"{name}: no local header", _changed(name, signature=b"PK\0\0")
        yield f"{name}: stored here, deflated there", _changed(name, local_method=8)
        yield f"{name}: padded beyond its place", _changed(name, local_padding=60_000)
    overlapping = records(_PICKLE)
    overlapping[2].offset = 0
    yield "two records in one place", zipped(overlapping)
    same = records(_PICKLE)
    same += [
        Record(f"archive/data/{number}".encode(), b"", 24, 24, 0, 0, same[2].stated()[0], 0) for number in range(1, 500)
    ]
    yield "500 records in one place", zipped(same)
    nested = records(_PICKLE, **{"data/0": Record(b"archive/data/1", bytes(24)).local()})
    yield "a record inside of a record", zipped([*nested, Record(b"archive/data/1", b"", 24, 24, offset=180)])


def _of_compression() -> Files:
    for name in ("data.pkl", "data/0", "version", "byteorder"):
        content = next(record.content for record in records(_PICKLE) if record.name.decode().endswith(name))
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(content) + packer.flush()
        about = {"content": packed, "compressed": len(packed), "size": len(content), "checksum": zlib.crc32(content)}
        yield f"{name} deflated", _changed(name, method=8, **about)
    for method, name in {1: "shrunk", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 99: "AES"}.items():
        yield f"data/0 packed by {name}", _changed("data/0", method=method)
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1024)) + packer.flush()
    many = tensor(storage(count=2**28), 0, (2**28,), (1,))
    about = {"content": bomb, "compressed": len(bomb), "size": 2**30, "method": 8}
    for name in ("data/0", "data.pkl", "version", "byteorder"):
        hit = records(pickled(many))
        for record in hit:
            if record.name.decode().endswith(name):
                for field, value in about.items():
                    setattr(record, field, value)
        yield f"a deflated bomb as {name}", zipped(hit)
    packed = bz2.compress(bytes(1 << 24))
    yield "a bomb of bzip2", _changed("data/0", method=12, content=packed, compressed=len(packed), size=1 << 24)


def _of_endings() -> Files:
    good = records(_PICKLE)
    for name, ending in {
        "of no records": {"count": 0, "length": 0}, "of a length beyond the file": {"length": 10**6},
        "of a length of 2**32": {"length": 2**32 - 2}, "cut short": {"length": 60}, "of no length": {"length": 0},
    }.items():  # fmt: skip
        yield f"directory {name}", zipped(good, **ending)
    whole = zipped(good)
    yield "no ending", whole[:-22]
    yield "half an ending", whole[:-11]
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, 2**62, 1)
    yield "a zip64 ending far away", whole[:-22] + locator + whole[-22:]
    ending = b"PK\x06\x06" + struct.pack("<Q2H2I4Q", 44, 45, 45, 0, 0, 2**62, 2**62, 2**62, 2**62)
    place = b"PK\x06\x07" + struct.pack("<IQI", 0, len(whole) - 22, 1)
    yield "a zip64 ending that lies", whole[:-22] + ending + place + whole[-22:]
    yield (
        "zip64 on many disks",
        whole[:-22] + ending + b"PK\x06\x07" + struct.pack("<IQI", 5, len(whole) - 22, 9) + whole[-22:],
    )
    yield "only the directory", b"PK\x03\x04" + whole[whole.index(b"PK\x01\x02") :]
