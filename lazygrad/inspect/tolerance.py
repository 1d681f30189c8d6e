"""When two ways of computing a value count as the same: how far apart they may be for their dtype."""

from __future__ import annotations

import numpy as np

from lazygrad.ir.dtype import Category, DType, bfloat16, complex64, float16, float32, float64

# Some hundred units in the last place: sums are taken in another order, and errors of elementary functions add up.
_TOLERANCES = {float64: 1e-12, float32: 2e-5, complex64: 2e-5, float16: 4e-3, bfloat16: 3e-2}


def tolerance(dtype: DType) -> float:
    """Relative to the largest element; 0 of dtypes without fractions."""
    if dtype.category in (Category.BOOL, Category.INTEGER):
        return 0.0
    return _TOLERANCES.get(dtype, 1e-12 if dtype.itemsize >= 8 else 0.25)


def relative_error(value: np.ndarray, reference: np.ndarray) -> float:
    """The largest difference over the largest finite element of the reference.

    It is infinite where one is NaN or infinite and the other is not, or another infinity.
    """
    if not reference.size:
        return 0.0
    wide = np.complex128 if np.iscomplexobj(reference) or np.iscomplexobj(value) else np.float64
    a, b = value.astype(wide), reference.astype(wide)
    is_finite = np.isfinite(b)
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if not (same | (np.isfinite(a) & is_finite)).all():
            return float("inf")
        apart = float(np.max(np.abs(np.where(same, 0, a - b)), initial=0.0))
        scale = float(np.max(np.abs(np.where(is_finite, b, 0)), initial=0.0))
    return apart / scale if scale else apart
