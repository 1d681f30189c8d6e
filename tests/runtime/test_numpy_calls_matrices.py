"""Library calls on matrices: many small ones at once give what LAPACK gives one by one."""

from __future__ import annotations

import numpy as np
import pytest

from lazygrad.host.calls import cholesky, lu, pivot_order, triangular_solve
from lazygrad.host.calls._lapack import Parts
from lazygrad.ir.errors import LinAlgError

DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


def random(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    generator = np.random.default_rng(list(shape))
    real, imaginary = generator.standard_normal((2, *shape))
    return (real + 1j * imaginary if np.dtype(dtype).kind == "c" else real).astype(dtype)


def packed_lu(a: np.ndarray) -> np.ndarray:
    out = np.full((*a.shape[:-2], a.shape[-1] * a.shape[-2] + min(a.shape[-2:]) + 1), -1, a.dtype)
    lu(out, a, check="")
    return out


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(3, 3), (2, 5), (5, 2), (1, 1), (8, 8)])
def test_lu_of_many_is_lu_of_each(sizes: tuple[int, int], dtype: type) -> None:
    a = random((40, *sizes), dtype)
    a[7, :, 0] = 0  # a pivot that vanishes
    each = np.stack([packed_lu(matrix) for matrix in a])
    many = packed_lu(a)
    np.testing.assert_allclose(many, each, rtol=2e-3 if np.dtype(dtype).itemsize <= 8 else 1e-9, atol=1e-5)
    whole = min(sizes) + 1
    np.testing.assert_array_equal(many[:, -whole:-1], each[:, -whole:-1])  # pivots
    assert many[7, -1].real == 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unitriangular", [False, True])
def test_triangular_systems_of_many_are_those_of_each(upper: bool, unitriangular: bool, dtype: type) -> None:
    a, b = random((40, 4, 4), dtype) + 3 * np.eye(4, dtype=dtype), random((40, 4, 2), dtype)
    many, each = np.empty_like(b), np.empty_like(b)
    triangular_solve(many, a, b, upper=upper, unitriangular=unitriangular)
    for position in range(40):
        triangular_solve(each[position], a[position], b[position], upper=upper, unitriangular=unitriangular)
    np.testing.assert_allclose(many, each, rtol=1e-3 if np.dtype(dtype).itemsize <= 8 else 1e-10)


def test_one_triangle_serves_a_batch_of_right_sides() -> None:
    a, b = random((4, 4), np.float64) + 3 * np.eye(4), random((50, 4, 2), np.float64)
    out = np.empty_like(b)
    triangular_solve(out, a, b, upper=True, unitriangular=False)
    np.testing.assert_allclose(np.triu(a) @ out, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_says_which_minor_failed(upper: bool) -> None:
    a = np.stack([np.eye(3), np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 1.0, -1.0])])
    out = np.empty((3, 10))
    cholesky(out, a, upper=upper, check="")
    *_, info = Parts(out, ((3, 3), ()))
    assert info.tolist() == [0, 2, 3]
    with pytest.raises(LinAlgError, match="element 1"):
        cholesky(out, a, upper=upper, check="linalg.cholesky")


def test_pivots_out_of_range_are_refused() -> None:
    with pytest.raises(RuntimeError, match="pivots"):
        pivot_order(np.empty((2,), np.int64), np.array([1, 3]), rows=2)
    with pytest.raises(RuntimeError, match="pivots"):
        pivot_order(np.empty((2,), np.int64), np.array([0, 2]), rows=2)
