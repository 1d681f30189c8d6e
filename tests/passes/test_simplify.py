"""Each rule of simplify: what it rewrites, and what it must leave alone."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir import build
from lazygrad.ir.dtype import DType, bool_, float16, float32, float64, int8, int32, int64
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.passes.simplify import simplify
from tests.passes.programs import constant, leaf


def simplified(node: Node) -> Node:
    return simplify(Graph([node])).roots[0]


def ops(node: Node) -> list[str]:
    return [n.op.name for n in simplify(Graph([node])).nodes if n.op.name not in ("buffer", "constant")]


X, Y, N = leaf((3, 4)), leaf((3, 4), slot=1), leaf((3, 4), int64, slot=2)
ROW = leaf((1, 4), slot=3)

BECOMES_ITS_INPUT: dict[str, tuple[Node, Node]] = {
    "x - 0": (X - 0, X),
    "x * 1": (X * 1, X),
    "1 * x": (1 * X, X),
    "x / 1": (X / 1, X),
    "n + 0": (N + 0, N),
    "0 + n": (0 + N, N),
    "-(-x)": (-(-X), X),
    "x ** 1": (ew.pow_(X, constant(1)), X),
    "cast to its own dtype": (ew.cast(X, dtype="float32"), X),
    "widening and narrowing back": (ew.cast(ew.cast(X, dtype="float64"), dtype="float32"), X),
    "sum over axes of size 1": (rd.reduce_sum(ROW, axes=(0,)), ROW),
    "product over axes of size 1": (rd.reduce_prod(ROW, axes=(0,)), ROW),
    "maximum over axes of size 1": (rd.reduce_max(ROW, axes=(0,)), ROW),
    "where true": (ew.where(constant(True, bool_), X, Y), X),
    "where false": (ew.where(constant(False, bool_), X, Y), Y),
    "reshape to its own shape": (mv.reshape(X, shape=(3, 4)), X),
    "reshape and back": (mv.reshape(mv.reshape(X, shape=(12,)), shape=(3, 4)), X),
    "transposed twice": (mv.permute(mv.permute(X, axes=(1, 0)), axes=(1, 0)), X),
    "flipped twice": (mv.flip(mv.flip(X, axes=(0,)), axes=(0,)), X),
    "all of it sliced": (mv.slice_(X, start=(0, 0), stop=(3, 4), step=(1, 1)), X),
    "concatenated with nothing": (ix.concat(X, leaf((0, 4), slot=4), axis=0), X),
}


@pytest.mark.parametrize("name", BECOMES_ITS_INPUT)
def test_becomes_its_input(name: str) -> None:
    node, expected = BECOMES_ITS_INPUT[name]
    assert simplified(node) is expected


REWRITTEN: dict[str, tuple[Node, list[str]]] = {
    "x * -1": (X * -1, ["neg"]),
    "x / -1 stays": (X / -1, ["div"]),
    "x ** 2": (ew.pow_(X, constant(2)), ["mul"]),
    "x ** 3": (ew.pow_(X, constant(3)), ["mul", "mul"]),
    "x ** 4": (ew.pow_(X, constant(4)), ["mul", "mul"]),
    "x ** 0.5": (ew.pow_(X, constant(0.5)), ["sqrt"]),
    "x ** -0.5": (ew.pow_(X, constant(-0.5)), ["sqrt", "div"]),
    "x ** -1": (ew.pow_(X, constant(-1)), ["div"]),
    "x ** -2": (ew.pow_(X, constant(-2)), ["mul", "div"]),
    "x ** y stays": (ew.pow_(X, Y), ["pow"]),
    "n ** -1 stays": (ew.pow_(N, constant(-1, int64)), ["pow"]),
    "sum of a constant": (rd.reduce_sum(build.ones_like(X), axes=(1,)), ["expand"]),
    "maximum of a constant": (rd.reduce_max(build.ones_like(X), axes=(1,)), ["expand"]),
    "product of a constant stays": (rd.reduce_prod(build.ones_like(X), axes=(1,)), ["expand", "reduce_prod"]),
    "a copy of a computed value": (ew.contiguous(X + Y), ["add"]),
    "a copy of a view stays": (ew.contiguous(mv.permute(X, axes=(1, 0))), ["permute", "contiguous"]),
    "transposes merge": (mv.permute(mv.permute(leaf((2, 3, 4)), axes=(1, 0, 2)), axes=(2, 0, 1)), ["permute"]),
    "an expand below arithmetic is implicit": (X + mv.expand(ROW, shape=(3, 4)), ["add"]),
    "an expand that makes the shape stays": (ew.exp(mv.expand(ROW, shape=(3, 4))), ["expand", "exp"]),
    "work after a squeeze moves before it": (
        ew.exp(mv.reshape(rd.reduce_sum(X, axes=(1,)), shape=(3,))),
        ["reduce_sum", "exp", "reshape"],
    ),
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_rewritten_to(name: str) -> None:
    node, expected = REWRITTEN[name]
    assert ops(node) == expected


STAYS: dict[str, Node] = {
    "x + 0.0, for x may be -0.0": X + 0,
    "0.0 + x": 0 + X,
    "0.0 - x": 0 - X,
    "x * 0.0, for x may be nan or infinite": X * 0,
    "x - x": X - X,
    "x / x": X / X,
    "n * 0": N * 0,
    "x ** 0": ew.pow_(X, constant(0)),
    "narrowing and widening back": ew.cast(ew.cast(X, dtype="float16"), dtype="float32"),
    "to integer and back": ew.cast(ew.cast(X, dtype="int64"), dtype="float32"),
    "x * 1 that broadcasts": ROW * build.ones_like(X),
    "where of a computed condition": ew.where(ew.gt(X, Y), X, Y),
}


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    node = STAYS[name]
    kept = [n.op.name for n in Graph([node]).nodes if n.op.name in ("add", "sub", "mul", "div", "pow", "where", "cast")]
    assert [op for op in ops(node) if op in kept] == kept


def folded(node: Node) -> object:
    result = simplified(node)
    assert result.op.name == "constant", f"{result} was not folded"
    return result["value"]


def test_constants_fold() -> None:
    two, three = constant(2), constant(3)
    assert folded(two + three) == 5.0
    assert folded(two - three) == -1.0
    assert folded(-(two * three)) == -6.0
    assert folded(ew.sqrt(constant(4))) == 2.0
    assert folded(ew.cast(constant(3, int64), dtype="float64")) == 3.0


def not_folded(node: Node) -> None:
    assert simplified(node).op is node.op


def test_constants_whose_result_the_dtype_cannot_hold_do_not_fold() -> None:
    not_folded(constant(100, int8) + constant(100, int8))
    not_folded(ew.cast(constant(300, int64), dtype="int8"))
    not_folded(rd.reduce_sum(mv.expand(mv.reshape(constant(100, int8), shape=(1,)), shape=(2,)), axes=(0,)))


def test_special_numbers_do_not_fold() -> None:
    infinity = constant(math.inf)
    not_folded(infinity - infinity)
    not_folded(infinity * constant(0))
    not_folded(ew.sqrt(constant(-1)))
    not_folded(constant(1) - constant(1))
    not_folded(constant(0.5, float16) + constant(0.5, float16))


@pytest.mark.parametrize(
    ("source", "inner", "outer", "expected"),
    [
        (float32, float64, int32, ["cast"]),
        (int32, int64, float32, ["cast"]),
        (int32, int64, int32, []),
        (bool_, int8, float32, ["cast"]),
        (float32, float16, float64, ["cast", "cast"]),
        (int32, int8, int32, ["cast", "cast"]),
        (int64, float32, int64, ["cast", "cast"]),
    ],
)
def test_casts_of_casts_fold_when_the_first_loses_nothing(
    source: DType, inner: DType, outer: DType, expected: list[str]
) -> None:
    assert ops(ew.cast(ew.cast(leaf((2,), source), dtype=inner.name), dtype=outer.name)) == expected


def test_slices_of_slices_merge() -> None:
    inner = mv.slice_(leaf((20,)), start=(2,), stop=(19,), step=(3,))
    node = simplified(mv.slice_(inner, start=(1,), stop=(6,), step=(2,)))
    expected = np.arange(20)[2:19:3][1:6:2]
    assert node.op is mv.slice_ and node.inputs[0].op.name == "buffer"
    picked = np.arange(20)[node["start"][0] : node["stop"][0] : node["step"][0]]
    assert picked.tolist() == expected.tolist()


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.5]
PROGRAMS: dict[str, Callable] = {
    "x + 0.0": lambda x: x + 0.0,
    "0.0 + x": lambda x: 0.0 + x,
    "x - 0.0": lambda x: x - 0.0,
    "0.0 - x": lambda x: 0.0 - x,
    "x * 0": lambda x: x * 0,
    "x * 1": lambda x: x * 1,
    "x * -1": lambda x: x * -1,
    "x / 1": lambda x: x / 1,
    "x - x": lambda x: x - x,
    "x ** 0": lambda x: x**0,
    "x ** 2": lambda x: x**2,
    "x ** 3": lambda x: x**3,
    "-(-x)": lambda x: -(-x),
    "x ** -1": lambda x: x**-1,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_special_values_come_out_as_written(name: str) -> None:
    values = np.array(SPECIAL, np.float32)
    with np.errstate(all="ignore"):
        expected = np.asarray(PROGRAMS[name](values), np.float32)
    actual = PROGRAMS[name](lg.tensor(values)).numpy()
    np.testing.assert_array_equal(actual, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual[numbers]), np.signbit(expected[numbers]))


def test_what_only_moves_sizes_of_one_about_is_not_moved_back_and_forth() -> None:
    column, row = leaf((3, 1)), leaf((1, 3), slot=1)
    node = ew.maximum(mv.reshape(column, shape=(1, 3)), row)
    assert simplified(node).shape == (1, 3)
