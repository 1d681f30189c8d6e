"""``out=``: the result in a tensor that exists, resized and cast as PyTorch does it."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike, raised

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")


@pytest.mark.parametrize("name", ["add", "exp", "matmul", "eq", "pow"])
def test_result_is_written_into_out_and_returned(name: str) -> None:
    def run(t: Any) -> Any:
        x = t.tensor([[1.0, 2.0], [3.0, 4.0]])
        dtype = t.bool if name == "eq" else t.float32
        out = t.zeros(2, 2, dtype=dtype)
        args = (x,) if name == "exp" else (x, x)
        result = getattr(t, name)(*args, out=out)
        return result is out, out

    assert_alike(run, torch, lg)


def test_a_view_as_out_changes_its_base() -> None:
    def run(t: Any) -> Any:
        base = t.zeros(3, 2)
        t.add(t.ones(2), 1, out=base[1])
        return base

    assert_alike(run, torch, lg)


def test_out_is_resized_with_a_warning_unless_empty() -> None:
    def run(t: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            empty, wrong = t.empty(0), t.zeros(5)
            t.mul(t.ones(2, 3), 2, out=empty)
            quiet = len(caught)
            t.mul(t.ones(2, 3), 2, out=wrong)
        return quiet, len(caught), empty, wrong

    assert_alike(run, torch, lg)


def test_results_are_cast_where_categories_allow() -> None:
    def run(t: Any) -> Any:
        out = t.zeros(2, dtype=t.float64)
        t.add(t.tensor([1.0, 2.0]), 1, out=out)
        return out, raised(lambda: t.add(t.tensor([1.5, 2.0]), 1, out=t.zeros(2, dtype=t.int64)))

    assert_alike(run, torch, lg)


def test_gradients_do_not_flow_through_out() -> None:
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        lg.exp(lg.ones(2, requires_grad=True), out=lg.empty(2))
    with lg.no_grad():
        assert lg.exp(lg.zeros(2, requires_grad=True), out=lg.empty(2)).tolist() == [1.0, 1.0]


def test_several_results() -> None:
    def run(t: Any) -> Any:
        values, indices = t.empty(0), t.empty(0, dtype=t.int64)
        result = t.max(t.tensor([[1.0, 5.0], [7.0, 2.0]]), 1, out=(values, indices))
        return result.values is values, result[1] is indices, values, indices

    assert_alike(run, torch, lg)
    with pytest.raises(TypeError, match="tuple of 2 Tensors"):
        lg.sort(lg.ones(3), out=lg.empty(3))


def test_creation_takes_dtype_from_out() -> None:
    def run(t: Any) -> Any:
        out = t.empty(3, dtype=t.int32)
        return t.ones(3, out=out) is out, out, t.arange(4, out=t.empty(4, dtype=t.float64))

    assert_alike(run, torch, lg)


def test_signatures_show_out() -> None:
    assert inspect.signature(lg.add).parameters["out"].default is None
    assert "out" not in inspect.signature(lg.Tensor.add).parameters
