"""Products: matmul in all rank combinations, mm, bmm, mv, dot, outer, einsum, linear, addmm and baddbmm."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import Array, floats, integers

from .calls import call

_RANKS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (1, 3, 4)),
    ((6, 1, 2, 3), (5, 3, 4)),
    ((6, 1, 2, 3), (1, 5, 3, 4)),
    ((6, 5, 2, 3), (3,)),
    ((2, 0), (0, 3)),
    ((0, 3), (3, 4)),
    ((0, 2, 3), (0, 3, 4)),
)

_MATMUL = [
    *(case for left, right in _RANKS for case in call("matmul", floats(*left), floats(*right))),
    *(
        Case(f"operator @ {left} {right}", lambda t, x, y: x @ y, (floats(*left), floats(*right)))
        for left, right in _RANKS[:4]
    ),
    *call("matmul", integers(2, 3), integers(3, 2)),
    *call("matmul", integers(2, 3, dtype="int32"), integers(3, dtype="int32")),
    *call("matmul", floats(3, 8), floats(8, 2), floating="bfloat16", forms="t", slack=2.0),
    *call("matmul", floats(3, 8), floats(8, 2), floating="float16", forms="t", slack=2.0),
    Case("matmul of transposed", lambda t, x, y: x.t() @ y.t(), (floats(3, 2), floats(4, 3))),
    Case("matmul of expanded", lambda t, x, y: x.expand(4, 3) @ y, (floats(1, 3), floats(3, 2))),
    Case("matmul of sliced", lambda t, x, y: x[:, ::2] @ y[1:], (floats(2, 5), floats(4, 2))),
    Case("matmul with itself", lambda t, x: x @ x.transpose(-1, -2), (floats(2, 3, 4),)),
    Case("matmul chain", lambda t, x, y: ((x @ y).relu() @ y.t()).sum(), (floats(3, 4), floats(4, 2))),
]

_NAMED = [
    *call("mm", floats(2, 3), floats(3, 4)),
    *call("bmm", floats(5, 2, 3), floats(5, 3, 4)),
    *call("mv", floats(2, 3), floats(3)),
    *call("dot", floats(4), floats(4)),
    *call("dot", integers(4), integers(4)),
    *call("dot", floats(0), floats(0)),
    *call("outer", floats(3), floats(4)),
    *call("outer", integers(3), integers(2)),
    *call("addmm", floats(2, 4), floats(2, 3), floats(3, 4)),
    *call("addmm", floats(4), floats(2, 3), floats(3, 4), beta=0.5, alpha=2.0),
    *call("addmm", floats(2, 1), floats(2, 3), floats(3, 4), beta=0),
    *call("baddbmm", floats(5, 2, 4), floats(5, 2, 3), floats(5, 3, 4)),
    *call("baddbmm", floats(1, 4), floats(5, 2, 3), floats(5, 3, 4), beta=0.5, alpha=-1.5),
    *call("linear", floats(5, 3), floats(4, 3), forms="F"),
    *call("linear", floats(5, 3), floats(4, 3), floats(4), forms="F"),
    *call("linear", floats(2, 5, 3), floats(4, 3), floats(4), forms="F", floating="float64"),
    *call("linear", floats(3), floats(4, 3), floats(4), forms="F"),
    *call("linear", floats(0, 3), floats(4, 3), floats(4), forms="F"),
    *call("linear", floats(2, 6), floats(4, 6), floats(4), forms="F", floating="bfloat16", slack=2.0),
]

_EQUATIONS: tuple[tuple[str, tuple[Array, ...]], ...] = (
    ("ij,jk->ik", (floats(2, 3), floats(3, 4))),
    ("ij,jk", (floats(2, 3), floats(3, 4))),
    ("bij,bjk->bik", (floats(5, 2, 3), floats(5, 3, 4))),
    ("ij->ji", (floats(2, 3),)),
    ("ij->", (floats(2, 3),)),
    ("ij->j", (floats(2, 3),)),
    ("ii->i", (floats(3, 3),)),
    ("ii", (floats(3, 3),)),
    ("i,i->", (floats(4), floats(4))),
    ("i,j->ij", (floats(3), floats(4))),
    ("ij,ij->ij", (floats(2, 3), floats(2, 3))),
    ("...ij,...jk->...ik", (floats(2, 1, 2, 3), floats(5, 3, 4))),
    ("bhqd,bhkd->bhqk", (floats(2, 2, 3, 4), floats(2, 2, 5, 4))),
    ("bn,anm,bm->ba", (floats(2, 3), floats(5, 3, 4), floats(2, 4))),
    ("ij,jk,kl->il", (floats(2, 3), floats(3, 4), floats(4, 2))),
    ("b...->...b", (floats(2, 3, 4),)),
    ("ij,k->kij", (floats(2, 3), floats(2))),
    (" i j , j -> i ", (floats(2, 3), floats(3))),
)


def _einsum_list(t: Any, x: Any, y: Any) -> Any:
    return t.einsum("ij,jk->ik", [x, y])


CASES = [
    *_MATMUL,
    *_NAMED,
    *(case for equation, operands in _EQUATIONS for case in call("einsum", equation, *operands, forms="t")),
    Case("einsum operands in a list", _einsum_list, (floats(2, 3), floats(3, 4))),
    *call("einsum", "ij,jk->ik", integers(2, 3), integers(3, 2), forms="t"),
    *call("einsum", "ik,j->ij", integers(2, 3, dtype="int8"), integers(3, dtype="int8"), forms="t"),
    *call("einsum", "ij,jk->ik", integers(2, 3, dtype="int8"), integers(3, 2, dtype="int8"), forms="t"),
]
