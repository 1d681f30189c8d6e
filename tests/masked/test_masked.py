"""`torch.masked`: functions of the elements that a mask lets through."""

from __future__ import annotations

import inspect
import itertools
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
import lazygrad.masked
from tests.oracle.comparing import error_class

REDUCTIONS = "sum prod amax amin mean logsumexp norm var std".split()
ALONG = "softmax log_softmax softmin cumsum cumprod argmax argmin median".split()
_MASKS: dict[str, Any] = {
    "none": None,
    "full": np.random.default_rng(1).random((3, 4, 2)) < 0.6,
    "broadcast": np.array([[True], [False], [True], [True]]),
    "a row of nothing": np.arange(24).reshape(3, 4, 2) > 7,
    "nothing": np.zeros((3, 4, 2), bool),
    "numbers": (np.random.default_rng(2).random((4, 2)) < 0.5).astype(np.int64),
}


@pytest.fixture
def torch() -> ModuleType:
    module = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    import torch.masked  # noqa: F401

    return module


def _x(t: Any, dtype: str) -> Any:
    numbers = np.random.default_rng(0)
    if dtype in ("int64", "int32", "uint8"):
        return t.tensor(numbers.integers(0, 5, (3, 4, 2)), dtype=getattr(t, dtype))
    values = numbers.standard_normal((3, 4, 2))
    if dtype == "complex64":
        values = values + 1j * numbers.standard_normal((3, 4, 2))
    return t.tensor(values, dtype=getattr(t, dtype))


def _mask(t: Any, name: str) -> Any:
    return None if _MASKS[name] is None else t.tensor(_MASKS[name])


def _outcome(t: Any, function: str, dtype: str, mask: str, *args: Any, options: dict[str, Any]) -> Any:
    """The dtype and the values, with the gradient where there is one; or the class of an error."""
    x = _x(t, dtype)
    differs = dtype in ("float32", "float64") and function not in ("argmax", "argmin")
    if differs:
        x.requires_grad_()
    if "dtype" in options:
        options = options | {"dtype": getattr(t, options["dtype"])}
    try:
        result = getattr(t.masked, function)(x, *args, mask=_mask(t, mask), **options)
        values = np.array(result.detach().tolist())
    except Exception as error:
        return error_class(error)
    found = [str(result.dtype).partition(".")[2], tuple(result.shape), values]
    if differs:
        t.where(t.isfinite(result), result * result, 0.0).sum().backward()
        found.append(np.zeros(x.shape) if x.grad is None else np.array(x.grad.tolist()))
    return found


def _compare(torch: Any, *args: Any, **options: Any) -> None:
    ours, theirs = (_outcome(t, *args, options=options) for t in (lg, torch))
    if isinstance(theirs, list):
        assert isinstance(ours, list), (ours, theirs)
        assert ours[:2] == theirs[:2]
        for one, other in zip(ours[2:], theirs[2:], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    else:
        assert ours == theirs


@pytest.mark.parametrize("dtype", ["float32", "uint8", "complex64"])
@pytest.mark.parametrize("mask", _MASKS)
@pytest.mark.parametrize("function", REDUCTIONS)
def test_reductions_are_torchs(torch: ModuleType, function: str, mask: str, dtype: str) -> None:
    order = (2.0,) if function == "norm" else ()
    for dim, keepdim in (((), False), ((1,), True), ((-1, 0), False), ((), True)):
        _compare(torch, function, dtype, mask, *order, dim or None, keepdim=keepdim)
    _compare(torch, function, dtype, mask, *order, 0, dtype="float64")


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("mask", _MASKS)
@pytest.mark.parametrize("function", ALONG)
def test_functions_along_a_dimension_are_torchs(torch: ModuleType, function: str, mask: str, dtype: str) -> None:
    if function.startswith("arg") and mask in ("nothing", "a row of nothing") and dtype == "int64":
        return  # which of equal elements is found is not said
    for dim in (0, -1):
        _compare(torch, function, dtype, mask, dim)
    if "soft" in function or function.startswith("cum"):
        _compare(torch, function, dtype, mask, 1, dtype="float64")


@pytest.mark.parametrize(("order", "mask"), itertools.product([1, 2, 3.5, float("inf"), float("-inf"), 0], _MASKS))
def test_norms_are_torchs(torch: ModuleType, order: float, mask: str) -> None:
    _compare(torch, "norm", "float64", mask, order, 1)
    if order > 0:
        _compare(torch, "normalize", "float64", mask, order, 1)


@pytest.mark.parametrize("function", ["var", "std"])
@pytest.mark.parametrize("options", [{"unbiased": False}, {"unbiased": True}, {"correction": 2}, {"correction": 0}])
def test_corrections_are_torchs(torch: ModuleType, function: str, options: dict[str, Any]) -> None:
    for mask in ("none", "full", "nothing"):
        _compare(torch, function, "float64", mask, 1, **options)


def test_sums_of_exponentials_are_torchs(torch: ModuleType) -> None:
    def run(t: Any) -> Any:
        x, y = t.tensor([-100.0, -200, -300]), t.tensor([-1.0, -2, -3])
        mask = t.tensor([True, False, True])
        logaddexp = t.masked.logaddexp
        return [logaddexp(x, y, input_mask=mask, other_mask=mask).tolist(), logaddexp(x, y).tolist(),
                str(logaddexp(x, y, dtype=t.float64).dtype).partition(".")[2]]  # fmt: skip

    assert run(lg) == run(torch)


@pytest.mark.parametrize("program", [
    lambda t: t.masked.sum(t.ones(2), 3),
    lambda t: t.masked.sum(t.ones(2, 2), (0, 0)),
    lambda t: t.masked.sum(t.ones(2), mask=t.ones(1, 2)),
    lambda t: t.masked.mean(t.ones(2, dtype=t.int64)),
    lambda t: t.masked.mean(t.ones(2), dtype=t.int64),
    lambda t: t.masked.median(t.ones(2, dtype=t.int64), 0, mask=t.tensor(False)),
    lambda t: t.masked.var(t.ones(2), None, True, correction=1),
    lambda t: t.masked.softmax(t.ones(2).to_sparse(), 0),
])  # fmt: skip
def test_errors_are_torchs(torch: ModuleType, program: Any) -> None:
    messages = []
    for t in (lg, torch):
        with pytest.raises(Exception) as caught:
            program(t)
        messages.append((error_class(caught.value), str(caught.value).replace("lazygrad.", "torch.")))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("name", [*REDUCTIONS, *ALONG, "normalize", "logaddexp"])
def test_arguments_are_torchs(torch: ModuleType, name: str) -> None:
    ours, theirs = (inspect.signature(getattr(t.masked, name)).parameters for t in (lg, torch))
    assert [(each.name, each.kind, each.default) for each in ours.values()] == [
        (each.name, each.kind, each.default) for each in theirs.values()
    ]


def test_tensors_without_dimensions(torch: ModuleType) -> None:
    def run(t: Any) -> Any:
        x, mask = t.tensor(3.0), t.tensor(False)
        return [getattr(t.masked, name)(x, mask=mask).item() for name in ("sum", "prod", "amax", "amin", "norm")]

    assert run(lg) == run(torch)


def test_tensors_with_masks_are_left_out() -> None:
    assert not lg.masked.is_masked_tensor(lg.ones(1)) and not isinstance(lg.ones(1), lg.masked.MaskedTensor)
    for function in (lg.masked.masked_tensor, lg.masked.as_masked_tensor):
        with pytest.raises(NotImplementedError, match="give the mask to a function of"):
            function(lg.ones(1), lg.ones(1))
