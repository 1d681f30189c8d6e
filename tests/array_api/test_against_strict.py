"""Every function of the array API standard, against `array_api_strict`, its reference implementation.

The names and signatures have to be the standard's; dtypes, shapes and values are compared on arguments that hypothesis
chooses (`cases.py`). The standard's own suite, which is on no package index, is run by `test_suite.py`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from tests.array_api.cases import CASES
from tests.array_api.drawing import Draw

strict = pytest.importorskip("array_api_strict", reason="array-api-strict, the oracle of these tests, is not installed")

_OF_STRICT_ONLY = ("Device", "ArrayAPIStrictFlags", "uint16", "uint32", "uint64", "__version__")
_NAMES = [name for name in strict.__all__ if name not in _OF_STRICT_ONLY and "array_api_strict_flags" not in name]
_NAMES += [f"{extension}.{name}" for extension in ("linalg", "fft") for name in getattr(strict, extension).__all__]
_NOT_BY_VALUES = {
    "__array_namespace_info__": "test_info",
    "finfo": "test_limits",
    "iinfo": "test_limits",
    "empty": "its values do not matter: test_empty",
    "empty_like": "its values do not matter: test_empty",
    "from_dlpack": "takes what asarray made: test_exchange",
}


def _attribute(namespace: Any, name: str) -> Any:
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


# What C renders is tested elsewhere, by op; every plan here would be another call of the compiler.
_WITH_NUMPY = os.environ["LAZYGRAD_BACKEND"] == "numpy"
_EXAMPLES = 12 if _WITH_NUMPY else 1
_FUNCTIONS = [name for name in _NAMES if inspect.isroutine(_attribute(strict, name))]


@contextmanager
def _default_dtype(dtype: lg.DType) -> Iterator[None]:
    before = lg.get_default_dtype()
    lg.set_default_dtype(dtype)
    try:
        yield
    finally:
        lg.set_default_dtype(before)


def _for(namespace: Any, value: Any) -> Any:
    """Arguments for a namespace: its arrays and its dtypes."""
    if isinstance(value, np.ndarray):
        return namespace.asarray(value.copy())
    if isinstance(value, np.dtype):
        return getattr(namespace, value.name)
    if isinstance(value, dict):
        return {key: _for(namespace, one) for key, one in value.items()}
    return type(value)(_for(namespace, one) for one in value) if isinstance(value, (tuple, list)) else value


def _compare(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, (tuple, list)):
        assert isinstance(found, tuple) == isinstance(expected, tuple), where
        assert getattr(found, "_fields", None) == getattr(expected, "_fields", None), where
        for one, other in zip(found, expected, strict=True):
            _compare(one, other, where)
    elif hasattr(expected, "shape"):
        assert isinstance(found, lg.Tensor), where
        have, want = np.asarray(found), np.asarray(expected)
        assert (have.dtype, have.shape) == (want.dtype, want.shape), where
        tolerance = 1e-5 if want.dtype in (np.float32, np.complex64) else 1e-12
        np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance, err_msg=where)
    elif hasattr(found, "name"):
        assert found.name == str(expected).rpartition(".")[2], where
    else:
        assert type(found) is type(expected) and found == expected, where


def _unfactored(name: str, arguments: tuple[Any, ...], result: Any) -> Any:
    """The matrix that a factorization was made of: its factors are not unique."""
    parts = [np.asarray(part) for part in result]
    if name == "linalg.qr":
        return parts[0] @ parts[1]
    if name == "linalg.eigh":
        return (parts[1] * parts[0][..., None, :]) @ np.conj(np.swapaxes(parts[1], -1, -2))
    size = parts[1].shape[-1]
    return (parts[0][..., :size] * parts[1][..., None, :]) @ parts[2][..., :size, :]


@pytest.mark.parametrize("name", _NAMES)
def test_names(name: str) -> None:
    found, expected = _attribute(lg.array_api, name), _attribute(strict, name)
    assert callable(found) == callable(expected)
    if isinstance(expected, float):
        assert found == expected or found != found


@pytest.mark.parametrize("name", ["eq", "cat", "tensor", "relu", "uint16", "linalg.lu", "fft.fft2", "nothing"])
def test_other_names_are_not_there(name: str) -> None:
    with pytest.raises(AttributeError, match="no attribute"):
        _attribute(lg.array_api, name)


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_signatures(name: str) -> None:
    found, expected = (inspect.signature(_attribute(xp, name)).parameters for xp in (lg.array_api, strict))
    assert list(found) == list(expected)
    for mine, theirs in zip(found.values(), expected.values(), strict=True):
        assert mine.kind == theirs.kind, mine
        optional = theirs.default is not inspect.Parameter.empty
        assert (mine.default is not inspect.Parameter.empty) == optional, mine
        if "undef" not in repr(theirs.default).lower():  # what array-api-strict uses to see whether one was given
            assert mine.default == theirs.default, mine


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_docstrings(name: str) -> None:
    function = _attribute(lg.array_api, name)
    assert function.__doc__ and function.__name__ == name.rpartition(".")[2]


def test_every_function_has_a_case() -> None:
    assert set(_FUNCTIONS) - set(_NOT_BY_VALUES) == set(CASES)


@pytest.mark.parametrize("name", sorted(CASES)[:: 1 if _WITH_NUMPY else 5])
@settings(max_examples=_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_values(name: str, data: st.DataObject) -> None:
    with _default_dtype(lg.float64), np.errstate(all="ignore"):
        arguments, options = CASES[name](Draw(data))
        want = _attribute(strict, name)(*_for(strict, arguments), **_for(strict, options))
        have = _attribute(lg.array_api, name)(*_for(lg.array_api, arguments), **_for(lg.array_api, options))
        where = f"{name}(*{arguments}, **{options})"
        if name in ("linalg.qr", "linalg.svd", "linalg.eigh"):
            for one, other in zip(have, want, strict=True):
                assert np.asarray(one).shape == np.asarray(other).shape, where
            have = lg.tensor(_unfactored(name, arguments, have))
            want = strict.asarray(_unfactored(name, arguments, want))
        _compare(have, want, where)


def test_info() -> None:
    mine, theirs = lg.array_api.__array_namespace_info__(), strict.__array_namespace_info__()
    assert mine.capabilities().keys() == theirs.capabilities().keys()
    assert mine.default_device() in mine.devices() and isinstance(mine.devices(), tuple)
    assert mine.default_dtypes().keys() == theirs.default_dtypes().keys()
    missing = {"uint16", "uint32", "uint64"}
    for kind in (None, "bool", "integral", "real floating", ("signed integer", "complex floating"), "numeric"):
        assert mine.dtypes(kind=kind).keys() == theirs.dtypes(kind=kind).keys() - missing
    assert all(getattr(lg.array_api, name) is dtype for name, dtype in mine.dtypes().items())


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128", "int8", "int64", "uint8"])
def test_limits(name: str) -> None:
    function = "iinfo" if "int" in name else "finfo"
    fields = ("bits", "max", "min") if "int" in name else ("bits", "eps", "max", "min", "smallest_normal")
    for asked in (lambda xp: getattr(xp, name), lambda xp: xp.ones(2, dtype=getattr(xp, name))):
        found, expected = (getattr(xp, function)(asked(xp)) for xp in (lg.array_api, strict))
        assert [getattr(found, field) for field in fields] == [getattr(expected, field) for field in fields]
        assert found.dtype is getattr(lg.array_api, str(expected.dtype).rpartition(".")[2])


def test_empty() -> None:
    x = lg.array_api.empty((2, 3), dtype=lg.int16)
    assert x.shape == (2, 3) and x.dtype is lg.int16
    assert lg.array_api.empty_like(x).dtype is lg.int16
    assert lg.array_api.empty_like(x, dtype=lg.bool).shape == (2, 3)


def test_exchange() -> None:
    x = lg.array_api.from_dlpack(strict.asarray([1, 2, 3]))
    assert isinstance(x, lg.Tensor) and x.tolist() == [1, 2, 3]
    assert lg.array_api.from_dlpack(np.arange(3), copy=True).tolist() == [0, 1, 2]
