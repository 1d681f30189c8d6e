"""Elementwise functions of numpy and scipy, found by name.

`scipy.special` is imported when one of its functions is first called: it costs a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lazygrad.host.calls._precision import working_dtype
from lazygrad.host.calls.quantile_slopes import dirichlet_slope, gamma_slope
from lazygrad.host.numpy_support import special
from lazygrad.host.threads import parallel_for

_GRAIN = 1 << 13  # elements, at some 20 ns each or more

Compute = Callable[..., np.ndarray]


def _of_degree(name: str) -> Compute:
    """A family of polynomials by integer degree, for which scipy runs a recurrence; 0 for negative degrees."""

    def polynomial(degree: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        whole = np.trunc(degree).astype(np.int64)
        values = getattr(special, name)(np.maximum(whole, 0), *[x.astype(np.float64) for x in rest])
        return np.where(whole < 0, 0.0, values)

    return polynomial


def _scipy(name: str) -> Compute:
    return lambda *operands: getattr(special, name)(*operands)


def _lcm(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The least common multiple. PyTorch takes the sign off what overflows 32 bits or 64, but not 8 or 16."""
    multiple = np.lcm(a, b)
    return np.abs(multiple) if multiple.itemsize >= 4 else multiple


# Functions whose name here is not scipy's, or which are not scipy's.
_FUNCTIONS: dict[str, Compute] = {
    "bessel_j0": _scipy("j0"),
    "bessel_j1": _scipy("j1"),
    "bessel_y0": _scipy("y0"),
    "bessel_y1": _scipy("y1"),
    "airy_ai": lambda x: special.airy(x)[0],
    "airy_ai_prime": lambda x: special.airy(x)[1],
    "frexp_mantissa": lambda x: np.frexp(x)[0],
    "frexp_exponent": lambda x: np.frexp(x)[1],
    "gcd": np.gcd,
    "lcm": _lcm,
    "gamma_slope": gamma_slope,
    "dirichlet_slope": dirichlet_slope,
    "chebyshev_t": _of_degree("eval_chebyt"),
    "hermite_h": _of_degree("eval_hermite"),
    "hermite_he": _of_degree("eval_hermitenorm"),
    "gegenbauer": _of_degree("eval_gegenbauer"),
    "laguerre": _of_degree("eval_genlaguerre"),
}


def pointwise(out: np.ndarray, *inputs: np.ndarray, function: str) -> None:
    """``out = function(*inputs)``, elementwise and broadcast; 16-bit floats are computed in float32.

    Args:
        out: the broadcast shape.
        inputs: of one dtype.
        function: a name in `lazygrad.ir.primitives.pointwise.FUNCTIONS`.
    """
    dtype = next((x.dtype for x in inputs if isinstance(x, np.ndarray)), out.dtype)
    if function == "nextafter":  # the next number of the dtype itself
        np.copyto(out, np.nextafter(*[np.asarray(x, dtype) for x in inputs]))
        return
    compute = _FUNCTIONS.get(function) or _scipy(function)
    operands = np.broadcast_arrays(*[np.asarray(x, working_dtype(dtype)) for x in inputs])
    rows = [np.atleast_1d(x) for x in operands]
    target = np.atleast_1d(out)

    def run(first: int, last: int) -> None:
        with np.errstate(all="ignore"):
            np.copyto(target[first:last], compute(*[x[first:last] for x in rows]), casting="unsafe")

    if target.size:
        parallel_for(run, target.shape[0], max(1, _GRAIN * target.shape[0] // target.size))
