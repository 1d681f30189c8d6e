"""Promotion: PyTorch's own table, and the priority of dimensioned tensors, 0-dim tensors and Python scalars."""

from __future__ import annotations

import pickle
from itertools import product

import pytest

from lazygrad.ir.dtype import (
    ALL_DTYPES,
    DType,
    Scalar,
    bool_,
    can_cast,
    dtype_named,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    result_dtype,
    scalar_dtype,
    uint8,
)

PAIRS = list(product(ALL_DTYPES, repeat=2))


def test_promotion_is_commutative_and_idempotent() -> None:
    for first, second in PAIRS:
        assert promote_types(first, second) is promote_types(second, first)
    assert all(promote_types(dtype, dtype) is dtype for dtype in ALL_DTYPES)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(uint8, int8, int16), (uint8, int32, int32), (int64, float16, float16), (bool_, uint8, uint8)],
)
def test_promotion_by_example(first: DType, second: DType, expected: DType) -> None:
    assert promote_types(first, second) is expected


def test_promotion_table_is_torchs() -> None:
    torch = pytest.importorskip("torch", reason="torch is the oracle of the promotion table, and is not installed")
    for first, second in PAIRS:
        wanted = torch.promote_types(getattr(torch, first.name), getattr(torch, second.name))
        assert f"torch.{promote_types(first, second).name}" == str(wanted), (first, second)


def test_can_cast_is_torchs() -> None:
    torch = pytest.importorskip("torch", reason="torch is the oracle of can_cast, and is not installed")
    for source, target in PAIRS:
        assert can_cast(source, target) == torch.can_cast(getattr(torch, source.name), getattr(torch, target.name))


@pytest.mark.parametrize("shapes", [((2,), ()), ((2,), (2,)), ((), ())])
def test_tensor_operands_combine_as_in_torch(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    torch = pytest.importorskip("torch", reason="torch is the oracle of result types, and is not installed")
    for dtypes in PAIRS:
        if {float16} < set(dtypes) and any(dtype.is_complex for dtype in dtypes) and shapes == ((2,), ()):
            continue  # PyTorch has a complex dtype of 16-bit parts
        operands = [torch.zeros(s, dtype=getattr(torch, d.name)) for s, d in zip(shapes, dtypes, strict=True)]
        dimensioned = tuple(d for s, d in zip(shapes, dtypes, strict=True) if s)
        zero_dim = tuple(d for s, d in zip(shapes, dtypes, strict=True) if not s)
        assert f"torch.{result_dtype(dimensioned, zero_dim, ()).name}" == str(torch.result_type(*operands)), dtypes


@pytest.mark.parametrize("scalar", [True, 3, 2.5, 1j])
@pytest.mark.parametrize("shape", [(2,), ()])
def test_scalars_combine_as_in_torch(scalar: Scalar, shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch", reason="torch is the oracle of result types, and is not installed")
    for dtype in ALL_DTYPES:
        if dtype is float16 and isinstance(scalar, complex):
            continue  # PyTorch has a complex dtype of 16-bit parts
        wanted = torch.result_type(torch.zeros(shape, dtype=getattr(torch, dtype.name)), scalar)
        tensors = ((dtype,), ()) if shape else ((), (dtype,))
        assert f"torch.{result_dtype(*tensors, (scalar_dtype(scalar, float32),)).name}" == str(wanted), dtype


def test_result_dtype_needs_an_operand() -> None:
    with pytest.raises(TypeError, match="at least one operand"):
        result_dtype((), (), ())


def test_names_lead_back_to_the_one_object() -> None:
    for dtype in ALL_DTYPES:
        assert dtype_named(dtype.name) is dtype
        assert dtype_named(dtype.short) is dtype
        assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert repr(float64) == "lazygrad.float64"
    with pytest.raises(KeyError):
        dtype_named("float8")
