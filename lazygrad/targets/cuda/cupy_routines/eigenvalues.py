"""Eigenvalues, eigenvectors and singular values by cuSOLVER, through cupy's functions of arrays.

Iterations get finite numbers only, of which they end. cupy is told to wait for them and to say whether they converged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.targets.cuda.cupy_routines.bindings import Bindings
from lazygrad.targets.cuda.cupy_routines.made import Made, matrices

_LARGEST_IN_BATCH = (
    32  # rows up to which Jacobi iterations of all matrices together are those that cuSOLVER is made for
)


def svd(lib: Bindings, a: Any, *, full_matrices: bool) -> Made:
    """U, S and Vᴴ."""
    batch, finite = _finite(lib, a)
    count, rows, columns = batch.shape
    if not min(rows, columns):
        height, width = (rows, columns) if full_matrices else (0, 0)
        units = [lib.cupy.eye(size, part, dtype=a.dtype) for size, part in ((rows, height), (columns, width))]
        left, right = [lib.cupy.broadcast_to(unit, (count, *unit.shape)) for unit in units]
        return Made([left, lib.cupy.zeros((count, 0)), right.swapaxes(-2, -1)])
    return Made(lib.cupy.linalg.svd(batch, full_matrices=full_matrices), ~finite.all())


def svdvals(lib: Bindings, a: Any) -> Made:
    """Singular values, descending."""
    batch, finite = _finite(lib, a)
    return Made([lib.cupy.linalg.svd(batch, full_matrices=False, compute_uv=False)], ~finite.all())


def eigh(lib: Bindings, a: Any, *, upper: bool) -> Made:
    """Eigenvalues, ascending, and eigenvectors; NaN for matrices that are not finite."""
    batch, finite = _finite(lib, a)
    values, vectors = _of_each(lib, lambda x: lib.cupy.linalg.eigh(x, UPLO=_triangle(upper)), batch)
    return Made([_or_nan(lib, finite[:, 0], values), _or_nan(lib, finite, vectors)])


def eigvalsh(lib: Bindings, a: Any, *, upper: bool) -> Made:
    """Eigenvalues, ascending; NaN for matrices that are not finite."""
    batch, finite = _finite(lib, a)
    (values,) = _of_each(lib, lambda x: (lib.cupy.linalg.eigvalsh(x, UPLO=_triangle(upper)),), batch)
    return Made([_or_nan(lib, finite[:, 0], values)])


def eig(lib: Bindings, a: Any) -> Made:
    """Eigenvalues, and eigenvectors of norm 1."""
    batch, finite = _finite(lib, a)
    return Made(lib.cupy.linalg.eig(batch), ~finite.all())


def eigvals(lib: Bindings, a: Any) -> Made:
    """Eigenvalues."""
    batch, finite = _finite(lib, a)
    return Made([lib.cupy.linalg.eigvals(batch)], ~finite.all())


def _finite(lib: Bindings, a: Any) -> tuple[Any, Any]:
    """Matrices with zeros instead of those that are not finite, and which of them are."""
    batch = matrices(a)
    finite = lib.cupy.isfinite(batch).all(axis=(-2, -1), keepdims=True)
    return lib.cupy.where(finite, batch, batch.dtype.type(0)), finite


def _or_nan(lib: Bindings, finite: Any, values: Any) -> Any:
    return lib.cupy.where(finite, values, values.dtype.type(float("nan")))


def _triangle(upper: bool) -> str:
    return "U" if upper else "L"


def _of_each(lib: Bindings, compute: Callable[[Any], tuple[Any, ...]], batch: Any) -> list[Any]:
    """What ``compute`` makes of all matrices at once, or of one after another where they are few or large."""
    if len(batch) > 1 and batch.shape[-1] <= _LARGEST_IN_BATCH:
        return list(compute(batch))
    return [lib.cupy.stack(parts) for parts in zip(*map(compute, batch), strict=True)]
