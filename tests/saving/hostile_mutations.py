"""Good pickles with opcodes, lengths and pieces put elsewhere."""

from __future__ import annotations

import pickle
import random
import struct
from collections.abc import Iterator

from tests.saving.assembling import ORDERED_DICT, archive, built, called, pickled, tensor

Files = Iterator[tuple[str, bytes]]


def files() -> Files:
    """The same 600 each time. Some still mean something."""
    chance = random.Random(0)
    codes = [
        code[0] for name, code in vars(pickle).items() if name.isupper() and isinstance(code, bytes) and len(code) == 1
    ]
    parameter = called("torch._utils._rebuild_parameter_with_state", tensor(), True, ORDERED_DICT, {"label": 1})
    good = pickled(
        {"x": parameter, "n": [1, (2, 3), called("builtins.set", [4, 5]), built(ORDERED_DICT, {"_metadata": 1})]}
    )
    for number in range(600):
        changed = bytearray(good)
        for _ in range(chance.choice((1, 1, 2, 4))):
            place, other = chance.randrange(2, len(changed)), chance.randrange(len(changed))
            match chance.randrange(5):
                case 0:
                    changed[place] = chance.choice(codes)
                case 1:
                    changed[place : place + 4] = struct.pack("<I", chance.choice((0, 2**31 - 1, 2**31, 2**32 - 1)))
                case 2:
                    changed[place:place] = bytes([chance.choice(codes)])
                case 3:
                    del changed[place : place + chance.randrange(1, 6)]
                case 4:
                    changed[place:place] = changed[other : other + chance.randrange(1, 30)]
        yield f"mutation {number}", archive(bytes(changed))
