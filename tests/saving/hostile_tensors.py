"""Files whose tensors and storages are described in ways that the file does not bear out."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from tests.saving.assembling import (
    ORDERED_DICT,
    SIX_FLOATS,
    Raw,
    archive,
    called,
    made,
    named,
    storage,
    tensor,
)

Files = Iterator[tuple[str, bytes]]

_FLOATS, _LONGS = named("torch.FloatStorage"), named("torch.LongStorage")


def files() -> Files:
    """All files of this kind."""
    yield from _of_ids()
    yield from _of_views()
    yield from _of_sparse_tensors()
    yield from _of_bytes()


def _of_bytes() -> Files:
    """Tensors of dtypes whose storages are bytes."""
    kind = named("torch.storage.UntypedStorage")
    memory = storage(kind, count=24)
    good = (memory, 0, (12,), (1,), False, ORDERED_DICT, named("torch.uint16"))
    changes: dict[str, tuple[int, Any]] = {
        "no storage": (0, None), "a storage of more bytes": (0, storage(kind, count=25)),
        "too many elements": (2, (13,)), "an offset beyond": (1, 1), "strides beyond": (3, (2,)), "no dtype": (6, None),
        "a storage type for a dtype": (6, _FLOATS), "a wider dtype": (6, named("torch.uint64")),
        "huge": (2, (2**62,)), "a gradient of integers": (4, True),
    }  # fmt: skip
    for name, (position, value) in changes.items():
        arguments = [*good[:position], value, *good[position + 1 :]]
        yield f"of bytes: {name}", archive(called("torch._utils._rebuild_tensor_v3", *arguments))
    yield "of bytes: without a dtype", archive(called("torch._utils._rebuild_tensor_v3", *good[:6]))


def _of_ids() -> Files:
    """Persistent ids."""
    identities: dict[str, Any] = {
        "text": "storage", "a number": 0, "nothing": None, "empty": (), "a list": ["storage", _FLOATS, "0", "cpu", 6],
        "of four parts": ("storage", _FLOATS, "0", "cpu"), "of six parts": ("storage", _FLOATS, "0", "cpu", 6, 0),
        "of a module": ("module", _FLOATS, "0", "cpu", 6), "of bytes": (b"storage", _FLOATS, "0", "cpu", 6),
    }  # fmt: skip
    for name, identity in identities.items():
        yield f"persistent id: {name}", archive(tensor(Raw(made(identity) + b"Q")))
        yield f"persistent id alone: {name}", archive(Raw(made(identity) + b"Q"))
    for name, kind in {"a dtype": "torch.float32", "Tensor": "torch.Tensor", "list": "builtins.list"}.items():
        yield f"storage of {name}", archive(tensor(storage(named(kind))))
    yield "storage of text", archive(tensor(storage("FloatStorage")))
    yield "storage of other elements", archive(tensor(storage(_LONGS)))
    keys = ("1", "-1", "00", "", " 0", "0\0", "\u0660", "../data.pkl", "../data/0", "./0", "0/", "/0", "0" * 100_000)
    for key in (*keys, 0, None, b"0", ("0",)):
        yield f"key {key!r:.20}", archive(tensor(storage(_FLOATS, key)))
    for place in (
        "cuda:0",
        "mps",
        "xpu:0",
        "cpu:1",
        "xyz",
        "mps:x",
        "cpu:\u00b2",
        "cpu:" + "9" * 5000,
        "",
        "cpu\0",
        5,
        None,
        ("cpu",),
    ):
        yield f"location {place!r:.20}", archive(tensor(storage(_FLOATS, "0", place)))
    for count in (-1, -6, 0, 5, 7, 24, 2**31, 2**40, 2**62, 2**63, 2**100, True, 6.0, "6", None, (6,)):
        yield f"numel {count!r:.20}", archive(tensor(storage(_FLOATS, "0", "cpu", count)))
        yield f"numel {count!r:.20} of a storage alone", archive(storage(_FLOATS, "0", "cpu", count))
    good = storage()
    for name, other in {
        "dtypes": storage(named("torch.IntStorage")), "sizes": storage(_FLOATS, "0", "cpu", 3),
        "places": storage(_FLOATS, "0", "meta"),
    }.items():  # fmt: skip
        yield f"one storage of two {name}", archive([good, other])
    for size in (0, 1, 23, 25, 48):
        content = (SIX_FLOATS * 2)[:size]
        yield f"storage of {size} bytes", archive(tensor(), **{"data/0": content})


def _of_views() -> Files:
    for offset in (-1, -(2**63), 1, 6, 2**31, 2**62, 2**63, 2**100, True, 0.0, None, "0", ()):
        yield f"storage_offset {offset!r}", archive(tensor(None, offset))
    sizes: tuple[Any, ...] = (
        (-1, 3), (2, -3), (-2, -3), (2**36, 1), (2**40,), (2**62, 2), (2**63, 1), (2**64, 2**64), (3, 3), (7, 1),
        (2.0, 3), (2, None), ("2", 3), ((2,), 3), (True, 3), None, 6, "23", {2: 3}, (2, 3, 1), (2,), (0, 2**64),
    )  # fmt: skip
    for size in sizes:
        yield f"size {size!r}", archive(tensor(None, 0, size))
    strides: tuple[Any, ...] = (
        (-3, 1), (3, -1), (4, 1), (3, 2), (2**36, 1), (2**62, 2**62), (2**64, 1), (3,), (), (3, 1, 1), (3.0, 1), None,
        1, "31", (None, 1), ([3], 1), (True, 1),
    )  # fmt: skip
    for stride in strides:
        yield f"stride {stride!r}", archive(tensor(None, 0, (2, 3), stride))
    yield "a tensor of 2**36 elements", archive(tensor(None, 0, (2**36,), (1,)))
    yield "a tensor beyond its storage by one", archive(tensor(None, 1, (2, 3), (3, 1)))
    yield "a long row behind the end", archive(tensor(None, 5, (2,), (1,)))
    yield "a column beyond the end", archive(tensor(None, 2, (3,), (2,)))
    for requires_grad in (None, 1, "True", [], named("builtins.bool")):
        yield f"requires_grad {requires_grad!r:.20}", archive(tensor(None, 0, (2, 3), (3, 1), requires_grad))
    integers = storage(named("torch.IntStorage"))
    yield "requires_grad of integers", archive(tensor(integers, 0, (2, 3), (3, 1), True))
    for metadata in (1, "conj", [1], (True,)):
        yield f"metadata {metadata!r}", archive(tensor(None, 0, (2, 3), (3, 1), False, metadata))
    yield "negated, overlapping with itself", archive(tensor(None, 0, (2, 5), (1, 1), False, {"neg": True}))
    overlapping = (None, 0, (2,) * 40, (0,) * 20 + (1,) * 5 + (0,) * 15, False, {"neg": True})
    yield "negated, of many overlapping dimensions", archive(tensor(*overlapping))
    for memory in (None, [1.0] * 6, "0", 6, b"abc", tensor(), named("torch.FloatStorage")):
        described = made(memory)
        arguments = (Raw(described), 0, (2, 3), (3, 1), False, ORDERED_DICT)
        yield f"memory {memory!r:.30}", archive(called("torch._utils._rebuild_tensor_v2", *arguments))
    for count in range(5):
        arguments_given = (storage(), 0, (2, 3), (3, 1), False)[:count]
        yield f"a tensor of {count} arguments", archive(called("torch._utils._rebuild_tensor_v2", *arguments_given))
    yield "a tensor of nine arguments", archive(tensor(None, 0, (2, 3), (3, 1), False, {}, None, None))


def _of_sparse_tensors() -> Files:
    layout = called("torch.serialization._get_layout", "torch.sparse_coo")
    indices = tensor(storage(_LONGS, "1", "cpu", 2), 0, (1, 2), (2, 1))
    values = tensor(None, 0, (2,), (1,))
    good: tuple[Any, ...] = (indices, values, (4,), True)

    def sparse(data: Any, places: tuple[int, int] = (0, 3), layout: Any = layout) -> bytes:
        made_of = called("torch._utils._rebuild_sparse_tensor", layout, data)
        return archive(made_of, **{"data/1": struct.pack("<2q", *places)})

    for name, places in {"below zero": (-1, 3), "outside": (0, 4), "far outside": (0, 2**62), "twice": (3, 3),
                         "not sorted": (3, 0)}.items():  # fmt: skip
        yield f"sparse, places {name}", sparse(good, places)
    for size in ((-4,), (2**63,), (4, 4), (), (0,), None, 4, ("4",), (4.0,), (2**62, 2**62)):
        yield f"sparse, size {size!r}", sparse((indices, values, size, True))
    for name, data in {
        "no tuple": [indices, values], "two parts": (indices, values), "five parts": (*good, 1),
        "a list of indices": ([[0, 3]], *good[1:]),
        "a list of values": (indices, [1.0, 2.0], (4,), True), "float indices": (values, values, (4,), True),
        "more values": (indices, tensor(None, 0, (3,), (1,)), (4,), True), "indices of one row": (
            tensor(storage(_LONGS, "1", "cpu", 2), 0, (2,), (1,)), values, (4,), True),
        "indices of 2**36": (tensor(storage(_LONGS, "1", "cpu", 2), 0, (1, 2**36), (0, 0)),
                             tensor(None, 0, (2**36,), (0,)), (4,), False),
        "a parameter for indices": (
            called("torch._utils._rebuild_parameter", values, False, ORDERED_DICT), values, (4,), True),
    }.items():  # fmt: skip
        yield f"sparse, {name}", sparse(data)
    compressed, dense = (
        called("torch.serialization._get_layout", f"torch.{name}") for name in ("sparse_csr", "strided")
    )
    for name, other in {"csr": compressed, "dense": dense, "text": "torch.sparse_coo", "nothing": None}.items():
        yield f"sparse, layout {name}", sparse(good, layout=other)
