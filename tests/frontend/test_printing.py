"""The text of tensors equals PyTorch's, with its name in place of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazygrad
from tests.frontend.texts import without_device

_NAN, _INF = float("nan"), float("inf")

_TENSORS: dict[str, Callable[[Any], Any]] = {
    "0-dim int": lambda t: t.tensor(7),
    "0-dim negative int": lambda t: t.tensor(-7),
    "0-dim bool": lambda t: t.tensor(True),
    "0-dim float": lambda t: t.tensor(2.5),
    "0-dim whole": lambda t: t.tensor(2.0),
    "0-dim large": lambda t: t.tensor(123456789.0),
    "0-dim small": lambda t: t.tensor(1.5e-7),
    "0-dim nan": lambda t: t.tensor(_NAN),
    "0-dim zero": lambda t: t.tensor(0.0),
    "0-dim requires grad": lambda t: t.tensor(1.5, requires_grad=True),
    "ints of different widths": lambda t: t.tensor([1, -2, 300]),
    "bools": lambda t: t.tensor([[True, False], [False, False]]),
    "uint8": lambda t: t.tensor([1, 255], dtype=t.uint8),
    "int16": lambda t: t.tensor([[-300], [5]], dtype=t.int16),
    "whole floats": lambda t: t.tensor([1.0, 2.0, -3.0]),
    "whole floats with nan and inf": lambda t: t.tensor([1.0, _NAN, -_INF, 20.0]),
    "only nan": lambda t: t.tensor([_NAN, _NAN]),
    "only inf": lambda t: t.tensor([[_INF], [-_INF]]),
    "only zeros": lambda t: t.zeros(2, 2),
    "negative zero": lambda t: t.tensor([-0.0, 1.0]),
    "fractions": lambda t: t.tensor([[1.5, 2.25], [-3.125, 100.0]]),
    "fractions with nan": lambda t: t.tensor([1.5, _NAN, -_INF]),
    "spread of exactly 1000": lambda t: t.tensor([1.0, 1000.0]),
    "spread above 1000": lambda t: t.tensor([1.0, 1001.0]),
    "fractional spread": lambda t: t.tensor([0.5, 800.25]),
    "exactly 1e8": lambda t: t.tensor([1e8], dtype=t.float64),
    "above 1e8": lambda t: t.tensor([100000001.0], dtype=t.float64),
    "exactly 1e-4": lambda t: t.tensor([1e-4], dtype=t.float64),
    "below 1e-4": lambda t: t.tensor([9e-5], dtype=t.float64),
    "scientific with nan, inf and zero": lambda t: t.tensor([1e-9, _NAN, _INF, 0.0, -1e9]),
    "wide exponents": lambda t: t.tensor([1e-300, 1e300], dtype=t.float64),
    "float16": lambda t: t.tensor([0.1, 65504.0], dtype=t.float16),
    "bfloat16": lambda t: t.tensor([0.1, -3.0], dtype=t.bfloat16),
    "float64": lambda t: t.tensor([1 / 3], dtype=t.float64),
    "complex": lambda t: t.tensor([1 + 2j, -0.5 - 3j, 100j]),
    "0-dim complex": lambda t: t.tensor(1.5 - 2j),
    "whole complex": lambda t: t.tensor([[1 + 2j, -3 - 4j]]),
    "complex with nan and inf": lambda t: t.tensor([complex(_NAN, 1), complex(1, -_INF), complex(-0.0, -0.0)]),
    "complex of different scales": lambda t: t.tensor([1e-6 + 2j, 3 + 4e9j]),
    "complex128": lambda t: t.tensor([1j], dtype=t.complex128),
    "complex that requires grad": lambda t: t.tensor([1j], requires_grad=True),
    "a conjugate": lambda t: t.tensor([1j, 2 - 1j]).conj(),
    "a complex row that wraps": lambda t: t.complex(t.arange(25.0) / 7, t.arange(25.0)),
    "an abridged complex matrix": lambda t: t.complex(t.ones(60, 40), -t.ones(60, 40)),
    "empty complex": lambda t: t.zeros(0, dtype=t.complex64),
    "empty": lambda t: t.tensor([]),
    "empty ints": lambda t: t.tensor([], dtype=t.int64),
    "empty matrix": lambda t: t.zeros(0, 3),
    "empty int matrix": lambda t: t.zeros(3, 0, dtype=t.int32),
    "three dimensions": lambda t: t.arange(12).reshape(2, 3, 2),
    "four dimensions": lambda t: t.arange(16.0).reshape(2, 2, 2, 2) / 3,
    "a row that wraps": lambda t: t.arange(40),
    "a float row that wraps": lambda t: t.arange(25.0) / 7,
    "rows that wrap in a matrix": lambda t: t.arange(60).reshape(2, 30),
    "numbers wider than a line": lambda t: t.tensor([10**18, 1]).repeat(3),
    "1000 elements": lambda t: t.arange(1000),
    "1001 elements": lambda t: t.arange(1001),
    "summarized matrix": lambda t: t.arange(4000).reshape(40, 100),
    "summarized float matrix": lambda t: t.arange(4000.0).reshape(40, 100) / 4000,
    "summarized with a short axis": lambda t: t.arange(3000).reshape(6, 500),
    "summarized cube": lambda t: t.arange(8000).reshape(20, 20, 20),
    "summarized column": lambda t: t.arange(2000).reshape(2000, 1),
    "a view": lambda t: t.arange(12).reshape(3, 4).t()[1:],
    "requires grad": lambda t: t.tensor([1.0, 2.0], requires_grad=True),
    "suffix on the next line": lambda t: (t.arange(16.0) / 7).requires_grad_(),
    "dtype and requires grad": lambda t: t.zeros(2, dtype=t.float64, requires_grad=True),
    "made by an operation": lambda t: t.tensor([1.0, 2.0], requires_grad=True) * 2,
    "detached": lambda t: (t.tensor([1.0, 2.0], requires_grad=True) * 2).detach(),
}


def _text(t: Any, tensor: Any) -> str:
    """The text without the framework's name and the device's, which may push the dtype to the next line."""
    return without_device(re.sub(rf",\s+dtype={t.__name__}\.", ", dtype=", repr(tensor)))


@pytest.mark.parametrize("make", _TENSORS.values(), ids=_TENSORS)
def test_repr_equals_torch(make: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert _text(candidate, make(candidate)) == _text(torch, make(torch))


@pytest.mark.parametrize("scale", [1.0, 37.0, 1e-3, 1e4, 1e9])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32"])
def test_repr_of_random_tensors(scale: float, dtype: str, torch: Any, candidate: Any) -> None:
    generator = np.random.default_rng(0)
    for shape in ((), (1,), (7,), (3, 4), (2, 3, 5), (1001,), (30, 40), (4, 20, 20)):
        limit = min(scale * 3, 6e4 if dtype == "float16" else 1e9)
        values = np.asarray(np.clip(generator.standard_normal(shape) * scale, -limit, limit).astype(dtype))
        assert _text(candidate, candidate.tensor(values)) == _text(torch, torch.tensor(values))


_NUMBERS = {
    "float64": st.floats(width=64),
    "float32": st.floats(width=32),
    "float16": st.floats(width=16),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "int8": st.integers(-128, 127),
    "bool": st.booleans(),
    "small": st.one_of(st.floats(-10, 10), st.sampled_from([0.0, -0.0, _NAN, _INF, -_INF])),
    "whole": st.one_of(st.integers(-2000, 2000).map(float), st.sampled_from([-0.0, _NAN, -_INF])),
}


@pytest.mark.parametrize("kind", _NUMBERS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_repr_of_any_tensor(kind: str, data: st.DataObject) -> None:
    torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
    dtype = {"small": "float32", "whole": "float64"}.get(kind, kind)
    shape = data.draw(st.lists(st.integers(0, 4), max_size=4).map(tuple))
    numbers = data.draw(st.lists(_NUMBERS[kind], min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    with np.errstate(over="ignore"):
        values = np.array(numbers, dtype).reshape(shape)
    options = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "precision": st.integers(1, 9),
                "threshold": st.integers(0, 40),
                "edgeitems": st.integers(1, 3),
                "linewidth": st.integers(20, 120),
                "sci_mode": st.sampled_from([True, False, None]),
                "profile": st.sampled_from(["default", "short", "full"]),
            },
        )
    )
    transposed = data.draw(st.booleans()) and len(shape) > 1

    def text(t: Any) -> str:
        x = t.tensor(values)
        with _options(t, **options):
            return _text(t, x.transpose(0, -1) if transposed else x)

    assert text(lazygrad) == text(torch)


def test_str_is_repr(candidate: Any) -> None:
    tensor = candidate.tensor([1.0, 2.5])
    assert str(tensor) == repr(tensor) == f"{tensor}"
    assert without_device(str(tensor)) == "tensor([1.0000, 2.5000])"


def test_printing_keeps_the_tensor_as_it_is(candidate: Any) -> None:
    x = candidate.ones(3, requires_grad=True)
    y = x * 2
    repr(y)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_null_device_prints_without_values() -> None:
    tensor = lazygrad.empty(2, 3, device="null", dtype=lazygrad.float64)
    assert repr(tensor) == "tensor(..., device='null', size=(2, 3), dtype=lazygrad.float64)"


@contextmanager
def _options(t: Any, **options: Any) -> Iterator[None]:
    t.set_printoptions(**options)
    try:
        yield
    finally:
        t.set_printoptions(profile="default")


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2},
        {"precision": 8},
        {"threshold": 5},
        {"threshold": 5, "edgeitems": 1},
        {"threshold": 5, "edgeitems": 0},
        {"linewidth": 40},
        {"linewidth": 5},
        {"sci_mode": True},
        {"sci_mode": False},
        {"profile": "short"},
        {"profile": "full"},
        {"profile": "short", "precision": 6},
    ],
    ids=str,
)
def test_printoptions(options: dict[str, Any], torch: Any, candidate: Any) -> None:
    def texts(t: Any) -> list[str]:
        tensors = [t.arange(1200.0) / 7, t.arange(30.0).reshape(3, 10) * 1e5]
        tensors += [t.arange(24).reshape(2, 3, 4), t.tensor(0.1)]
        with _options(t, **options):
            return [_text(t, tensor) for tensor in tensors]

    assert texts(candidate) == texts(torch)


def test_printoptions_stay_until_changed(candidate: Any) -> None:
    with _options(candidate, precision=1):
        candidate.set_printoptions(linewidth=100)
        assert without_device(repr(candidate.tensor([0.25]))) == "tensor([0.2])"
    assert without_device(repr(candidate.tensor([0.25]))) == "tensor([0.2500])"


def test_unknown_profile() -> None:
    with pytest.raises(ValueError, match="unknown profile"):
        lazygrad.set_printoptions(profile="tiny")
