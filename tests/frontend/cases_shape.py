"""Changes of shape that keep every element: views, permutations, joining and splitting."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import Array, booleans, floats, integers

from .calls import call

_CUBE = floats(2, 3, 4)
_WIDE = floats(2, 12)

_RESHAPE = [
    *call("reshape", _CUBE, (6, 4)),
    *call("reshape", _CUBE, 4, 6, forms="x"),
    *call("reshape", _CUBE, (-1,)),
    *call("reshape", _CUBE, (2, -1, 2)),
    *call("reshape", floats(), (1, 1)),
    *call("reshape", floats(0, 3), (3, 0)),
    *call("reshape", integers(4), (2, 2)),
    *call("view", _CUBE, 6, 4, forms="x"),
    *call("view", _CUBE, (-1, 8), forms="x"),
    *call("view", _CUBE, -1, forms="x"),
    *call("view_as", _CUBE, floats(6, 4, requires_grad=False), forms="x"),
    *call("reshape_as", _CUBE, floats(6, 4, requires_grad=False), forms="x"),
    *call("flatten", _CUBE),
    *call("flatten", _CUBE, 1),
    *call("flatten", _CUBE, start_dim=0, end_dim=1),
    *call("flatten", floats()),
    *call("unflatten", _WIDE, 1, (3, 4)),
    *call("unflatten", _WIDE, -1, (2, -1, 3)),
    *call("ravel", _CUBE),
    Case("reshape of transposed", lambda t, x: x.transpose(0, 2).reshape(6, 4), (_CUBE,)),
    Case("contiguous", lambda t, x: (x.transpose(0, 2).contiguous(), x.contiguous() is x), (_CUBE,)),
]

_PERMUTE = [
    *call("transpose", _CUBE, 0, 2),
    *call("transpose", _CUBE, -1, -2),
    *call("transpose", _CUBE, dim0=0, dim1=1),
    *call("swapaxes", _CUBE, 0, 1),
    *call("permute", _CUBE, (2, 0, 1)),
    *call("permute", _CUBE, 2, -3, 1, forms="x"),
    *call("permute", _CUBE, dims=(1, 0, 2)),
    *call("t", floats(2, 3)),
    *call("t", floats(3)),
    Case("attributes T and mT", lambda t, x, y: (x.T, y.mT), (floats(2, 3), _CUBE)),
    *call("movedim", _CUBE, 0, 2),
    *call("movedim", _CUBE, (0, 1), (2, 0)),
]

_SIZES_OF_ONE = [
    *call("squeeze", floats(1, 3, 1)),
    *call("squeeze", floats(1, 3, 1), 0),
    *call("squeeze", floats(1, 3, 1), dim=1),
    *call("squeeze", floats(1, 3, 1), (0, 2)),
    *call("unsqueeze", floats(3), 0),
    *call("unsqueeze", floats(2, 3), dim=-1),
    *call("unsqueeze", floats(), 0),
    *call("squeeze", floats(1, 3, 1), forms="inplace"),
    *call("unsqueeze", floats(2, 3), 1, forms="inplace"),
    *call("transpose", floats(2, 3), 0, 1, forms="inplace"),
]

_EXPAND = [
    *call("expand", floats(3, 1), 3, 4, forms="x"),
    *call("expand", floats(3, 1), (2, -1, 4), forms="x"),
    *call("expand", floats(1), 0, forms="x"),
    *call("expand_as", floats(3, 1), floats(2, 3, 4, requires_grad=False), forms="x"),
    *call("broadcast_to", floats(3, 1), (3, 4)),
    *call("broadcast_to", floats(), (2, 2)),
    *call("broadcast_tensors", floats(3, 1), floats(2, 1, 4), forms="t"),
    Case("broadcast_shapes", lambda t: tuple(t.broadcast_shapes((3, 1), (2, 1, 4)))),
]

_JOIN = [
    *call("cat", [floats(2, 3), floats(4, 3)], forms="t"),
    *call("cat", [floats(2, 3), floats(2, 1), floats(2, 2)], dim=1, forms="t"),
    *call("cat", (floats(2, 3), floats(2, 3)), -1, forms="t"),
    *call("cat", [floats(2, 3), floats(0)], forms="t"),
    *call("cat", [integers(2), floats(3)], forms="t"),
    *call("cat", [booleans(2), integers(3)], forms="t"),
    *call("concat", [floats(1, 2), floats(1, 2)], dim=1, forms="t"),
    *call("stack", [floats(2, 3), floats(2, 3)], forms="t"),
    *call("stack", [floats(2, 3), floats(2, 3), floats(2, 3)], dim=1, forms="t"),
    *call("stack", (floats(2), floats(2)), -1, forms="t"),
    *call("stack", [floats(), floats()], forms="t"),
    *call("hstack", [floats(2), floats(3)], forms="t"),
    *call("vstack", [floats(2, 3), floats(3)], forms="t"),
    Case("cat twice the same", lambda t, x: t.cat([x, x], dim=1), (floats(2, 3),)),
]

_SPLIT = [
    *call("split", floats(7, 2), 3),
    *call("split", floats(2, 7), [2, 4, 1], dim=1),
    *call("split", floats(6), 2),
    *call("chunk", floats(7, 2), 3),
    *call("chunk", floats(2, 6), 4, dim=1),
    *call("chunk", floats(2, 6), 2, -1),
    *call("unbind", floats(3, 2)),
    *call("unbind", floats(2, 3), dim=1),
    *call("tensor_split", floats(7), 3),
    Case("split and use a part", lambda t, x: x.split(2)[1] * 2, (floats(5),)),
]

_PARTS = [
    *call("narrow", _CUBE, 2, 1, 2),
    *call("narrow", _CUBE, dim=-2, start=0, length=0),
    *call("select", _CUBE, 1, 2),
    *call("select", _CUBE, dim=-1, index=-1),
    *call("diagonal", floats(3, 4)),
    *call("diagonal", floats(3, 4), offset=1),
    *call("diagonal", floats(2, 3, 4), offset=-1, dim1=1, dim2=2),
    *call("diagonal", floats(2, 3, 4), 0, 0, 2),
    *call("diag", floats(3)),
    *call("diag", floats(3), 1),
    *call("diag", floats(3, 4)),
    *call("diag", floats(3, 4), diagonal=-1),
    *call("diag_embed", floats(2, 3)),
]


def _meshgrid(indexing: str) -> Case:
    def function(t: Any, x: Any, y: Any) -> Any:
        return t.meshgrid(x, y, indexing=indexing)

    return Case(f"t.meshgrid({indexing})", function, (floats(3), floats(4)))


def _chain(_t: Any, x: Any) -> Any:
    """A chain of views ending in a part of a part."""
    return x.permute(2, 0, 1)[1:].unsqueeze(0).expand(2, 3, 2, 3).transpose(1, 3)[:, 1].flatten(1)


_SOURCES: tuple[Array, ...] = (floats(2, 3, 4), integers(2, 3, 4))

CASES = [
    *_RESHAPE,
    *_PERMUTE,
    *_SIZES_OF_ONE,
    *_EXPAND,
    *_JOIN,
    *_SPLIT,
    *_PARTS,
    _meshgrid("ij"),
    _meshgrid("xy"),
    *(Case(f"chain of views {source.label}", _chain, (source,)) for source in _SOURCES),
]
