"""The oracle itself: it must notice every kind of difference, else the conformance tests prove nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.frontend.calls import call

from .cases import Case, run_case
from .comparing import (
    TOLERANCE,
    Closeness,
    Leaf,
    assert_close,
    assert_equal,
    difference,
    error_class,
    outcome_of,
    raised,
)
from .recipes import exactly


def _outcome(values: Any, dtype: str = "float32", requires_grad: bool = False) -> dict[str, Any]:
    array = np.asarray(values)
    return {"result": Leaf(dtype, array.shape, requires_grad, array)}


_EXPECTED = _outcome([1.0, -2.0, np.nan, np.inf])


def test_equal_outcomes_pass() -> None:
    """nan equals nan, inf equals inf, and a difference below the tolerance passes."""
    assert_equal(_EXPECTED, _outcome([1.0 + 0.99 * TOLERANCE["float32"], -2.0, np.nan, np.inf]))


@pytest.mark.parametrize(
    "actual",
    [
        _outcome([1.001, -2.0, np.nan, np.inf]),
        _outcome([1.0, -2.0, 0.0, np.inf]),
        _outcome([1.0, np.nan, np.nan, np.inf]),
        _outcome([1.0, -2.0, np.nan, -np.inf]),
        _outcome([np.inf, -2.0, np.nan, np.inf]),
        _outcome([1.0, -2.0, np.nan, np.inf], dtype="float64"),
        _outcome([[1.0, -2.0, np.nan, np.inf]]),
        _outcome([1.0, -2.0, np.nan, np.inf], requires_grad=True),
        {"result": 1.0},
        {"result": None},
        {"other": _EXPECTED["result"]},
        {},
    ],
    ids="value nan-lost nan-gained inf-sign inf-gained dtype shape requires_grad number none path missing".split(),
)
def test_differences_are_noticed(actual: dict[str, Any]) -> None:
    """Each kind of difference fails."""
    with pytest.raises(AssertionError):
        assert_equal(_EXPECTED, actual)


def test_integers_are_compared_exactly() -> None:
    """No tolerance for integers, however large."""
    with pytest.raises(AssertionError):
        assert_equal(_outcome([2**53], "int64"), _outcome([2**53 + 1], "int64"))


def test_python_values_are_compared_with_their_type() -> None:
    """True is not 1, and 1 is not 1.0."""
    assert_equal({"result": 1}, {"result": 1})
    for expected, actual in ((True, 1), (1, 1.0), (1, 2)):
        with pytest.raises(AssertionError):
            assert_equal({"result": expected}, {"result": actual})


def test_small_results_are_told_from_zero_with_a_small_floor() -> None:
    expected, actual = _outcome([1e-6]), _outcome([0.0])
    assert difference(expected, actual) is None
    assert difference(expected, actual, Closeness(floor=1e-3)) is not None


def test_each_element_has_a_tolerance_of_its_own() -> None:
    """A large one excuses others only when that is asked for."""
    for large in (1e3, 1e3 + 2e3j):
        expected, actual = _outcome([large, 1.0]), _outcome([large, 1.0 + 1e-3])
        assert difference(expected, actual) is not None
        assert difference(expected, actual, Closeness(of_largest=True)) is None


def test_without_a_floor_all_tolerances_are_relative() -> None:
    relative = Closeness(floor=0.0, numbers=1e-6)
    assert difference(_outcome([1e-30, 0.0]), _outcome([1e-30, 0.0]), relative) is None
    assert difference(_outcome([1e-30, 0.0]), _outcome([1.001e-30, 0.0]), relative) is not None
    assert difference(_outcome([1e-30, 0.0]), _outcome([1e-30, 1e-30]), relative) is not None
    assert difference({"result": 1e-9}, {"result": 1.001e-9}, relative) is not None


def test_a_tolerance_may_be_given_for_a_dtype() -> None:
    expected, actual = _outcome([1.0], "float64"), _outcome([1.0 + 1e-9], "float64")
    assert difference(expected, actual) is not None
    assert difference(expected, actual, Closeness(tolerance={"float64": 2e-9})) is None


def test_python_floats_are_exact_unless_told_otherwise() -> None:
    expected, actual = {"result": 1.0}, {"result": 1.0 + 1e-9}
    assert difference(expected, actual) is not None
    assert difference(expected, actual, Closeness(numbers=1e-6)) is None
    assert difference({"result": np.nan}, {"result": np.nan}) is None
    assert difference({"result": np.float32("nan")}, {"result": np.float32("nan")}) is None
    with pytest.raises(AssertionError):
        assert_close([1.0], [1.0 + 1e-9])
    assert_close([1.0], [1.0 + 1e-9], numbers=1e-8)


def test_strides_are_compared_when_asked_for(torch: Any) -> None:
    """Of axes with several elements: those of the others mean nothing."""
    for t in (torch, lg):
        rows, columns = outcome_of(t.ones(2, 3)), outcome_of(t.ones(3, 2).t())
        assert difference(rows, columns) is None
        assert difference(rows, columns, Closeness(strides=True)) is not None
        alike = [outcome_of(t.ones(2, 1).as_strided((2, 1), (1, stride))) for stride in (1, 7)]
        assert difference(*alike, Closeness(strides=True)) is None
    assert difference(outcome_of(torch.ones(2, 3)), outcome_of(lg.ones(2, 3)), Closeness(strides=True)) is None


def test_undefined_values_keep_their_shape_and_dtype() -> None:
    undefined = Closeness(values=False)
    assert difference(_outcome([1.0]), _outcome([2.0]), undefined) is None
    assert difference(_outcome([1.0]), _outcome([[2.0]]), undefined) is not None


def test_all_parts_of_a_result_are_seen(torch: Any) -> None:
    """Fields of named results, keys, lengths of what is empty, dtypes of either framework."""
    for t in (torch, lg):
        parts = outcome_of({"largest": t.tensor([[1.0, 2.0]]).max(1), "none": [], "dtype": t.float16})
        assert list(parts) == [
            "len(result)", "len(result['largest'])", "result['largest'].values", "result['largest'].indices",
            "len(result['none'])", "result['dtype']",
        ]  # fmt: skip
        assert parts["result['dtype']"] == "float16"
        assert parts["result['largest'].values"].values.tolist() == [2.0]


def test_what_requires_gradients_may_be_left_out() -> None:
    x = lg.ones(2)
    assert_close(lg.ones(2, requires_grad=True), x)
    with pytest.raises(AssertionError):
        assert_close(x, x * 1.1)


def test_error_classes_are_the_built_in_ones() -> None:
    """A subclass of RuntimeError is what `except RuntimeError` catches; an empty message is told apart."""

    class ShapeError(RuntimeError):
        pass

    def fail(error: Exception) -> None:
        raise error

    assert error_class(ShapeError()) is RuntimeError
    assert raised(lambda: fail(ShapeError("shapes differ"))) == "RuntimeError"
    assert raised(lambda: fail(IndexError())) == "IndexError without a message"
    assert raised(lambda: None) == "nothing raised"


def test_gradients_are_part_of_the_outcome(torch: Any) -> None:
    """A candidate with a wrong derivative fails, though its value is right."""
    inputs = (exactly([1.0, 2.0]),)
    square = Case("square", lambda t, x: x * x, inputs)
    wrong = Case("square", lambda t, x: x * x.detach(), inputs)
    with pytest.raises(AssertionError, match="gradient"):
        assert_equal(run_case(torch, square), run_case(torch, wrong))


def test_names_of_calls_are_told_apart() -> None:
    """The forms of a call are separate cases."""
    names = [case.name for case in call("exp2", 1.0, forms="t x F inplace")]
    assert len(set(names)) == 4
