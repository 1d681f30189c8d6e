"""An ``out`` that lies over what a function reads: refused where PyTorch refuses it, else the result is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike, assert_equal, outcome_of

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_SHARED = "some elements of the input tensor and the written-to tensor refer to a single memory location"
_TWICE = "more than one element of the written-to tensor refers to a single memory location"

Call = Callable[[Any, Any, Any], Any]  # of the framework, an operand of six elements and the out


def _order(t: Any) -> Any:
    return t.arange(6)


# `out` may be an operand itself.
POINTWISE: dict[str, Call] = {
    "add": lambda t, x, o: t.add(x, x, out=o),
    "exp2": lambda t, x, o: t.exp2(x, out=o),
    "mul": lambda t, x, o: t.mul(x, 2, out=o),
    "clamp": lambda t, x, o: t.clamp(x, 1, 2, out=o),
    "where": lambda t, x, o: t.where(x > 2, x, x, out=o),
    "lerp": lambda t, x, o: t.lerp(x, x, 0.5, out=o),
    "addcmul": lambda t, x, o: t.addcmul(x, x, x, out=o),
    "cumsum": lambda t, x, o: t.cumsum(x, 0, out=o),
    "sort": lambda t, x, o: t.sort(x, out=(o, t.empty(6, dtype=t.int64)))[0],
    "scatter": lambda t, x, o: t.scatter(x, 0, t.tensor([1]), t.ones(1), out=o),
    "index_add": lambda t, x, o: t.index_add(x, 0, t.tensor([1]), t.ones(1), out=o),
}
# `out` has to be apart.
SEPARATE: dict[str, Call] = {
    "gather": lambda t, x, o: t.gather(x, 0, _order(t), out=o),
    "index_select": lambda t, x, o: t.index_select(x, 0, _order(t), out=o),
    "take": lambda t, x, o: t.take(x, _order(t), out=o),
    "take_along_dim": lambda t, x, o: t.take_along_dim(x, _order(t), 0, out=o),
    "masked_select": lambda t, x, o: t.masked_select(x, x > -1, out=o),
    "cat": lambda t, x, o: t.cat([x[:3], x[3:]], out=o),
    "stack": lambda t, x, o: t.stack([x[:3], x[3:]], out=o.view(2, 3)),
    "hstack": lambda t, x, o: t.hstack([x], out=o),
    "vstack": lambda t, x, o: t.vstack([x.view(2, 3)], out=o.view(2, 3)),
    "outer": lambda t, x, o: t.outer(x[:2], x[:3], out=o.view(2, 3)),
    "cross": lambda t, x, o: t.linalg.cross(x[:3], x[3:], out=o[:3]),
}


def _same(t: Any) -> tuple[Any, Any]:
    x = t.arange(6.0)
    return x, x


def _shifted(t: Any) -> tuple[Any, Any]:
    y = t.arange(7.0)
    return y[:6], y[1:]


def _apart(t: Any) -> tuple[Any, Any]:
    y = t.arange(12.0)
    return y[:6], y[6:]


def _outcome(t: Any, call: Call, operands: Callable[[Any], tuple[Any, Any]]) -> Any:
    x, out = operands(t)
    try:
        return outcome_of(call(t, x, out))
    except RuntimeError as error:
        return "shared" if _SHARED in str(error) else "twice" if _TWICE in str(error) else str(error)


@pytest.mark.parametrize("name", [*POINTWISE, *SEPARATE])
@pytest.mark.parametrize("operands", [_same, _shifted, _apart], ids=lambda function: function.__name__[1:])
def test_equals_torch(name: str, operands: Callable[[Any], tuple[Any, Any]]) -> None:
    call = POINTWISE.get(name) or SEPARATE[name]
    expected = _outcome(torch, call, operands)
    found = _outcome(lg, call, operands)
    if isinstance(expected, dict):
        assert_equal(expected, found, slack=0)
    else:
        assert found == expected
    refused = operands is _shifted or (operands is _same and name in SEPARATE)
    assert (expected == "shared") is refused


@pytest.mark.parametrize("name", ["index_select", "take"])
def test_out_may_not_be_the_index(name: str) -> None:
    for t in (torch, lg):
        index = t.tensor([2, 0, 1])
        args = (t.tensor([3, 4, 5]), index) if name == "take" else (t.tensor([3, 4, 5]), 0, index)
        with pytest.raises(RuntimeError, match=_SHARED):
            getattr(t, name)(*args, out=index)


@pytest.mark.parametrize("name", ["add", "exp2", "gather", "cat"])
def test_out_may_not_be_expanded(name: str) -> None:
    call = POINTWISE.get(name) or SEPARATE[name]
    for t in (torch, lg):
        with pytest.raises(RuntimeError, match=_TWICE):
            call(t, t.arange(6.0), t.zeros(1).expand(6))


def test_products_over_their_operands_are_right() -> None:
    """PyTorch leaves these unchecked and gives wrong numbers."""
    x = lg.arange(4.0).view(2, 2)
    lg.mm(x, x, out=x)
    assert x.tolist() == [[2.0, 3.0], [6.0, 11.0]]
    y = lg.arange(6.0).view(2, 3)
    lg.sum(y, 0, out=y[0])
    assert y.tolist() == [[3.0, 5.0, 7.0], [3.0, 4.0, 5.0]]


def test_views_with_gaps_are_apart() -> None:
    def run(t: Any) -> Any:
        x = t.arange(6.0)
        t.exp2(x[::2], out=x[1::2])
        return x

    assert_alike(run, torch, lg, slack=0)


def test_kthvalue_writes_to_no_memory_that_it_reads(torch: Any, candidate: Any) -> None:
    for t in (torch, candidate):
        x = t.tensor([[3, 1, 2], [6, 5, 4]])
        for out in ((x, t.empty(0, dtype=t.int64)), (x[0], t.empty(0, dtype=t.int64))):
            with pytest.raises(RuntimeError, match="single memory location"):
                t.kthvalue(x, 1, 0, out=out)
        values, places = t.empty(0, dtype=t.int64), t.empty(0, dtype=t.int64)
        t.kthvalue(x, 1, 0, out=(values, places))
        assert values.tolist() == [3, 1, 2] and places.tolist() == [0, 0, 0]
