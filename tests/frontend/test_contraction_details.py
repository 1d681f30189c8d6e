"""Products beyond the families of cases: equations, dims of tensordot, factors, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import pytest

from tests.oracle.cases import Case, ErrorCase, assert_agrees, assert_raises_alike
from tests.oracle.recipes import Array, booleans, exactly, floats, integers

from .calls import call

pytestmark = pytest.mark.filterwarnings("ignore")

_EQUATIONS: tuple[tuple[str, tuple[Array, ...]], ...] = (
    ("", (floats(),)),
    (",->", (floats(), floats())),
    ("...i", (floats(2, 3),)),
    ("i...->i", (floats(2, 3, 4),)),
    ("i...->...", (floats(2, 3, 4),)),
    ("bB", (floats(2, 3),)),
    ("Ab,bA", (floats(2, 3), floats(3, 2))),
    ("iij->ji", (floats(3, 3, 2),)),
    ("iii->i", (floats(3, 3, 3),)),
    ("ijij->", (floats(2, 3, 2, 3),)),
    ("iji,jk->ik", (floats(2, 3, 2), floats(3, 4))),
    ("ij,kl->il", (floats(2, 3), floats(1, 1))),
    ("ij,jk->ik", (floats(2, 3), floats(1, 4))),
    ("ij,jk->ik", (floats(2, 0), floats(0, 3))),
    ("ij,ij->i", (floats(2, 3), floats(2, 3))),
    ("i,i->i", (floats(3), floats(3))),
    ("i,i,i->", (floats(3), floats(3), floats(3))),
    ("a,b,c->abc", (floats(2), floats(3), floats(4))),
    ("ab,bc,cd,de->ae", (floats(2, 3), floats(3, 4), floats(4, 5), floats(5, 2))),
    ("bij,bjk,k->b", (floats(2, 3, 4), floats(2, 4, 5), floats(5))),
    ("bhid,bhjd,bhjd->bhid", (floats(2, 2, 3, 4), floats(2, 2, 5, 4), floats(2, 2, 5, 4))),
    ("...,...->...", (floats(2, 3), floats(3))),
    ("...ij,...->...", (floats(2, 3), floats(2, 3))),
    ("...a,...b->...ab", (floats(4, 2), floats(5, 4, 3))),
    ("...a,ab,...b->...", (floats(4, 2), floats(2, 3), floats(5, 4, 3))),
    ("ij->", (integers(2, 3, dtype="int32"),)),
    ("ij->", (booleans(2, 3),)),
    ("ij,ij->", (integers(2, 3, dtype="int32"), integers(2, 3, dtype="int32"))),
)


def _sublists(t: Any, x: Any, y: Any) -> list[Any]:
    return [
        t.einsum(x, [0, 1], y, [2, 1], [0, 2]),
        t.einsum(x, [0, 1], y, [2, 1]),
        t.einsum(x, [..., 1], [1, ...]),
    ]


def _views(t: Any) -> list[Any]:
    """Rearranging one operand gives views: writing through them is seen."""
    matrix = t.zeros(3, 3)
    t.einsum("ii->i", matrix).add_(1.0)
    t.einsum("ij->ji", matrix).add_(t.tensor([[0.0], [1.0], [2.0]]))
    return [matrix]


_CASES = [
    *(case for equation, operands in _EQUATIONS for case in call("einsum", equation, *operands, forms="t")),
    Case("einsum of sublists", _sublists, (floats(2, 3), floats(4, 3))),
    Case("einsum gives views", _views),
    *call("tensordot", floats(2, 3), floats(4, 5), dims=0, forms="t"),
    *call("tensordot", floats(2, 3), floats(3, 4), dims=1, forms="t"),
    *call("tensordot", floats(2, 3), floats(2, 3), forms="t"),
    *call(
        "tensordot",
        integers(1, 1, 3, dtype="int32"),
        integers(2, 1, 2, dtype="int32"),
        dims=([0, 1], [2, 0]),
        forms="t",
    ),
    *call("tensordot", floats(2, 3, 4), floats(4, 5, 2), dims=([0, -1], [2, 0]), forms="t"),
    *call("tensordot", floats(2, 3), floats(2, 1), dims=([1], [1]), forms="t"),
    *call("trace", floats(3, 4)),
    *call("trace", integers(2, 2)),
    *call("addmv", floats(2), floats(2, 3), floats(3), beta=0.5, alpha=2.0),
    *call("addmv", floats(), floats(2, 3), floats(3)),
    *call("addmm", exactly([nan]), floats(2, 3), floats(3, 4), beta=0),
    *call("addmm", integers(4), integers(2, 3), integers(3, 4), alpha=3),
    *call("addmm", floats(2, 4), floats(2, 3), floats(3, 4), forms="inplace"),
    *call("bilinear", floats(4, 6, 2), floats(4, 6, 3), floats(5, 2, 3), floats(5), forms="F"),
    *call("bilinear", floats(2), floats(3), floats(5, 2, 3), forms="F"),
    *call("linear", floats(2, 3), floats(4, 3), floats(1), forms="F"),
    *call("linear", floats(2, 3), floats(3), forms="F"),
]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    """Values, shapes, dtypes and gradients are torch's."""
    assert_agrees(case, torch, candidate)


_ERRORS: dict[str, Callable[[Any], Any]] = {
    "einsum of nothing": lambda t: t.einsum("ij"),
    "einsum of a number": lambda t: t.einsum("ij->", 5),
    "einsum without an equation": lambda t: t.einsum(5, t.zeros(2)),
    "einsum of two dtypes": lambda t: t.einsum("ij,jk", t.zeros(2, 3), t.zeros(3, 2, dtype=t.float64)),
    "einsum of a diagonal that is none": lambda t: t.einsum("ii", t.zeros(2, 3)),
    "einsum with a repeated output": lambda t: t.einsum("i->ii", t.zeros(2)),
    "einsum with one dot": lambda t: t.einsum("i.->i", t.zeros(2, 3)),
    "einsum with a digit": lambda t: t.einsum("i1->i", t.zeros(2, 3)),
    "einsum with two arrows": lambda t: t.einsum("ij->ij->i", t.zeros(2, 2)),
    "einsum with two ellipses": lambda t: t.einsum("...i...->i", t.zeros(2, 2)),
    "einsum with too many operands": lambda t: t.einsum("ij->i", t.zeros(2, 2), t.zeros(2)),
    "tensordot of -1 dims": lambda t: t.tensordot(t.zeros(2), t.zeros(2), dims=-1),
    "tensordot of too many dims": lambda t: t.tensordot(t.zeros(2), t.zeros(2), dims=3),
    "tensordot of two lengths": lambda t: t.tensordot(t.zeros(2, 2), t.zeros(2, 2), dims=([0, 1], [0])),
    "tensordot of a repeated dim": lambda t: t.tensordot(t.zeros(2, 2), t.zeros(2, 2), dims=([0, 0], [0, 0])),
    "tensordot of two sizes": lambda t: t.tensordot(t.zeros(2, 3), t.zeros(2, 3), dims=1),
    "tensordot of two dtypes": lambda t: t.tensordot(t.zeros(3), t.zeros(3, dtype=t.float64), dims=1),
    "matmul with a number": lambda t: t.zeros(2) @ 1,
    "number matmul": lambda t: 1 @ t.zeros(2),
    "mm with a vector": lambda t: t.mm(t.zeros(2, 3), t.zeros(3)),
    "mv with a matrix": lambda t: t.mv(t.zeros(2, 3), t.zeros(3, 1)),
    "dot of two dtypes": lambda t: t.dot(t.zeros(2), t.zeros(2, dtype=t.float64)),
    "bmm that would broadcast": lambda t: t.bmm(t.zeros(2, 2, 2), t.zeros(1, 2, 2)),
    "addmm of two dtypes": lambda t: t.addmm(t.zeros(2, 2), *[t.zeros(2, 2, dtype=t.int64)] * 2),
    "baddbmm that does not broadcast": lambda t: t.baddbmm(t.zeros(3), t.zeros(2, 2, 2), t.zeros(2, 2, 2)),
    "trace of a vector": lambda t: t.trace(t.zeros(3)),
    "linear of two dtypes": lambda t: t.nn.functional.linear(t.zeros(2, 3, dtype=t.float64), t.zeros(4, 3)),
    "bilinear of two batches": lambda t: t.nn.functional.bilinear(t.zeros(4, 2), t.zeros(3, 3), t.zeros(5, 2, 3)),
    "bilinear of a wrong size": lambda t: t.nn.functional.bilinear(t.zeros(4, 2), t.zeros(4, 2), t.zeros(5, 2, 3)),
}


@pytest.mark.parametrize("name", _ERRORS)
def test_raises_as_torch(name: str, torch: Any, candidate: Any) -> None:
    """Bad input raises torch's error class, with a message."""
    case = ErrorCase(name, _ERRORS[name])
    assert_raises_alike(case, torch, candidate)
