"""Files of the format from before PyTorch 1.6 that lie about their storages, lack some, or are cut off."""

from __future__ import annotations

import pickle
import random
import struct
from collections.abc import Iterator
from typing import Any

from tests.saving.assembling import SIX_FLOATS, Raw, built, called, made, named, pickled, tensor

Files = Iterator[tuple[str, bytes]]

MAGIC = 0x1950A86A20F9469CFC6C
_ABOUT = {"protocol_version": 1001, "little_endian": True, "type_sizes": {}}


def storage(kind: Any = None, key: Any = "0", location: Any = "cpu", count: Any = 6, *rest: Any) -> Raw:
    """A storage as such a file refers to it: with what it is a part of, which is nothing."""
    identity = ("storage", kind or named("torch.FloatStorage"), key, location, count, *(rest or (None,)))
    return Raw(made(identity) + b"Q")


STORED = struct.pack("<q", 6) + SIX_FLOATS


def legacy(
    value: Any = None,
    keys: Any = ("0",),
    stored: bytes = STORED,
    magic: Any = MAGIC,
    version: Any = 1001,
    about: Any = _ABOUT,
) -> bytes:
    """A file; what is left out is as it should be."""
    value = tensor(storage()) if value is None else value
    body = value if isinstance(value, bytes) and not isinstance(value, Raw) else pickled(value)
    listed = list(keys) if isinstance(keys, tuple) else keys
    return b"".join(pickled(part) for part in (magic, version, about)) + body + pickled(listed) + stored


GOOD = {"x": tensor(storage()), "n": [1, 2, (3, "four")]}


def files() -> Files:
    """All files of this kind that cannot be read."""
    yield "another magic number", legacy(magic=MAGIC + 1)
    yield "a magic number of text", legacy(magic=str(MAGIC))
    yield "another version", legacy(version=1002)
    yield "a version that is a list", legacy(version=[1001])
    yield "what it was like is a list", legacy(about=[])
    yield "a long header", legacy(about={"x": "y" * 5000})
    for name, keys in {"none": (), "one more": ("0", "1"), "another": ("1",), "twice": ("0", "0"), "a number": (0,),
                       "a dict": {"0": 1}, "text": "0"}.items():  # fmt: skip
        yield f"keys: {name}", legacy(keys=keys)
    for name, stored in {"nothing": b"", "no elements": STORED[:8], "one byte less": STORED[:-1],
                         "no count": SIX_FLOATS, "another count": struct.pack("<q", 5) + SIX_FLOATS,
                         "a negative count": struct.pack("<q", -6) + SIX_FLOATS}.items():  # fmt: skip
        yield f"stored: {name}", legacy(stored=stored)
    for count in (-1, 2**31, 2**40, 2**62, 2**64, True, "6", None):
        yield f"count {count!r}", legacy(tensor(storage(count=count)), stored=struct.pack("<q", 6) + SIX_FLOATS)
    for count in (2**31, 2**40, 2**62):
        yield (
            f"count {count} in both places",
            legacy(tensor(storage(count=count)), stored=struct.pack("<q", count) + SIX_FLOATS),
        )
    yield "a part of another storage", legacy(tensor(storage(None, "0", "cpu", 6, ("1", 0, 6))))
    yield "an id of seven parts", legacy(tensor(storage(None, "0", "cpu", 6, None, None)))
    yield "no kind", legacy(tensor(storage(named("torch.Tensor"))))
    yield "a storage described in two ways", legacy([tensor(storage()), tensor(storage(count=3))])
    yield "a storage where keys are", legacy(keys=Raw(storage()))
    yield "a tensor beyond its storage", legacy(tensor(storage(), 1))
    yield "a device that is not there", legacy(tensor(storage(location="cuda:0")))
    yield "no end", b"".join(pickled(part) for part in (MAGIC, 1001, _ABOUT)) + pickled(GOOD)[:-1]
    yield "no object", b"".join(pickled(part) for part in (MAGIC, 1001, _ABOUT))
    yield "a module", legacy(Raw(made(("module", named("torch.nn.Linear"), "a.py", "class A: pass")) + b"Q"))
    for name in ("os.system", "builtins.eval"):
        yield f"code: a call of {name}", legacy([tensor(storage()), called(name, "true")])
    yield "code: attributes", legacy(built(tensor(storage()), {"__class__": 1}))
    yield "a deep pickle", legacy(b"\x80\x02" + b"(" * 100_000 + b".")
    yield "an opcode that does not exist", legacy(b"\x80\x02\xff.")


def damaged() -> Files:
    """A good file cut off, and mutated in its pickles."""
    good = legacy(GOOD)
    for place in range(2, len(good), 7):
        yield f"legacy, cut off after {place} bytes", good[:place]
    chance = random.Random(1)
    codes = [code[0] for name, code in vars(pickle).items() if name.isupper() and isinstance(code, bytes)]
    for number in range(150):
        changed = bytearray(good)
        for _ in range(chance.choice((1, 1, 2))):
            changed[chance.randrange(20, len(good) - len(SIX_FLOATS))] = chance.choice((*codes, chance.randrange(256)))
        yield f"legacy, mutation {number}", bytes(changed)
