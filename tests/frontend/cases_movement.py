"""Movements that copy: pad, roll, flip, repeat, tile, repeat_interleave."""

from __future__ import annotations

from tests.oracle.recipes import exactly, floats, integers

from .calls import call

_CUBE = floats(2, 3, 4)

_PAD = [
    *call("pad", _CUBE, (1, 2), forms="F"),
    *call("pad", _CUBE, (1, 0, 2, 1), forms="F", floating="float64"),
    *call("pad", _CUBE, (1, 1, 0, 0, 2, 0), forms="F"),
    *call("pad", _CUBE, (1, 2), mode="constant", value=-1.5, forms="F"),
    *call("pad", _CUBE, (-1, 2), forms="F"),
    *call("pad", _CUBE, (-1, -1, 1, 1), value=3.0, forms="F"),
    *call("pad", integers(2, 2), (1, 1), value=7, forms="F"),
    *call("pad", floats(0, 2), (1, 1, 1, 1), forms="F"),
    *(
        case
        for mode in ("reflect", "replicate", "circular")
        for case in [
            *call("pad", floats(2, 3, 5), (2, 1), mode=mode, forms="F"),
            *call("pad", floats(1, 2, 4, 5), (1, 2, 2, 0), mode=mode, forms="F"),
        ]
    ),
]

_ROLL = [
    *call("roll", _CUBE, 1),
    *call("roll", _CUBE, 2, 1),
    *call("roll", _CUBE, -1, dims=2),
    *call("roll", _CUBE, (1, -2), (0, 2)),
    *call("roll", floats(5), 12, 0),
    *call("roll", floats(0), 1),
]

_FLIP = [
    *call("flip", _CUBE, (0,)),
    *call("flip", _CUBE, dims=(1, 2)),
    *call("flip", _CUBE, 0, -1, forms="x"),
    *call("flip", integers(4), (0,)),
    *call("fliplr", floats(2, 3)),
    *call("flipud", floats(2, 3)),
]

_REPEAT = [
    *call("repeat", floats(2, 3), 2, 2, forms="x"),
    *call("repeat", floats(2, 3), (2, 1, 3), forms="x"),
    *call("repeat", floats(3), 0, forms="x"),
    *call("repeat", floats(), 3, forms="x"),
    *call("tile", floats(2, 3), (2,)),
    *call("tile", floats(2, 3), (2, 1, 2)),
    *call("tile", floats(3), 2, 2, forms="x"),
    *call("repeat_interleave", floats(2, 3), 2),
    *call("repeat_interleave", floats(2, 3), 2, dim=1),
    *call("repeat_interleave", floats(3, 2), exactly([1, 0, 2], "int64"), dim=0),
    *call("repeat_interleave", exactly([2, 0, 1], "int64"), forms="t"),
]

CASES = [*_PAD, *_ROLL, *_FLIP, *_REPEAT]
