"""How each scalar op is spelled in numpy: the ufunc table of the numpy renderer."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from lazygrad.host import numpy_support
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import DType, Scalar, word32
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew

UFUNCS: dict[Op, str] = {
    ew.neg: "np.negative",
    ew.abs_: "np.absolute",
    ew.sign: "sign",
    ew.exp: "np.exp",
    ew.exp2: "np.exp2",
    ew.expm1: "np.expm1",
    ew.log: "np.log",
    ew.log2: "np.log2",
    ew.log10: "np.log10",
    ew.log1p: "np.log1p",
    ew.sqrt: "np.sqrt",
    ew.sin: "np.sin",
    ew.cos: "np.cos",
    ew.tan: "np.tan",
    ew.asin: "np.arcsin",
    ew.acos: "np.arccos",
    ew.atan: "np.arctan",
    ew.sinh: "np.sinh",
    ew.cosh: "np.cosh",
    ew.tanh: "np.tanh",
    ew.asinh: "np.arcsinh",
    ew.acosh: "np.arccosh",
    ew.atanh: "np.arctanh",
    ew.erf: "special.erf",
    ew.erfc: "special.erfc",
    ew.erfinv: "special.erfinv",
    ew.lgamma: "special.gammaln",
    ew.digamma: "special.digamma",
    ew.trigamma: "trigamma",
    ew.floor: "np.floor",
    ew.ceil: "np.ceil",
    ew.trunc: "np.trunc",
    ew.round_: "np.rint",
    ew.isnan: "np.isnan",
    ew.invert: "np.invert",
    ew.add: "np.add",
    ew.sub: "np.subtract",
    ew.mul: "np.multiply",
    ew.div: "np.divide",
    ew.floor_div: "np.floor_divide",
    ew.remainder: "remainder",
    ew.fmod: "np.fmod",
    ew.pow_: "power",
    ew.conj: "np.conjugate",
    ew.complex_: "complex_of_parts",
    ew.atan2: "np.arctan2",
    ew.copysign: "np.copysign",
    ew.maximum: "np.maximum",
    ew.minimum: "np.minimum",
    ew.eq: "np.equal",
    ew.ne: "np.not_equal",
    ew.lt: "np.less",
    ew.le: "np.less_equal",
    ew.gt: "np.greater",
    ew.ge: "np.greater_equal",
    ew.bitwise_and: "np.bitwise_and",
    ew.bitwise_or: "np.bitwise_or",
    ew.bitwise_xor: "np.bitwise_xor",
    ew.shift_left: "np.left_shift",
    ew.shift_right: "np.right_shift",
}

# Ops that read one part of a complex number: an attribute of arrays and of Python numbers alike.
PARTS: dict[Op, str] = {ew.real: "real", ew.imag: "imag"}

# Ops that are statements of their own rather than one ufunc call.
COPIES = frozenset([ew.contiguous, ew.clone, ew.cast, ew.after, ew.require])
SELECT = ew.where


def ufunc_named(name: str) -> Callable[..., Any]:
    """The function that `UFUNCS` spells like this; where it is to write may follow its operands."""
    owner: Any = np if name.startswith("np.") else numpy_support
    for part in name.removeprefix("np.").split("."):
        owner = getattr(owner, part)
    function: Callable[..., Any] = owner
    return function


FEW = 16  # elements that are folded one by one rather than by numpy's own loop


def literal(value: Scalar, dtype: DType) -> str:
    """A number in Python source, rounded to 16 bits if ``dtype`` has no more.

    It is weakly typed, so it takes the array operand's dtype; but bfloat16 arrays do not know weak types.
    """
    if dtype.is_half:
        with np.errstate(over="ignore"):
            value = float(to_numpy(dtype).type(value))
    if isinstance(value, complex):
        plain = isfinite(value.real) and isfinite(value.imag)
        return f"complex({value.real!r}, {value.imag!r})" if plain else f'complex("{value}")'
    if isinstance(value, float) and value != value:
        return "np.nan"
    if value in (float("inf"), float("-inf")):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def dtype_source(name: str) -> str:
    """A dtype of this name in Python source; those that numpy does not have are names of `numpy_support`."""
    if name == word32.name:
        return "np.uint32"
    return name if name.startswith(("bfloat16", "float8")) else f"np.{name}"


def reduction_ufunc(reduction: Op) -> str:
    """The ufunc whose `reduce` folds."""
    assert reduction.folding is not None
    return UFUNCS[reduction.folding.combine]


def is_summed_by_levels(reduction: Op, dtype: DType) -> bool:
    """Whether a reduction is a sum that rounds."""
    return reduction.folding is not None and reduction.folding.combine is ew.add and dtype.differentiable


def reduction_identity(reduction: Op, dtype: DType) -> str:
    """The starting value of an accumulator, in Python source."""
    assert reduction.folding is not None
    return literal(reduction.folding.neutral(dtype), dtype)
