"""What dtypes can hold, and which one results from several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

from lazygrad.ir.dtype import (
    Category,
    DType,
    Scalar,
    bfloat16,
    can_cast,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    promote_types,
)
from lazygrad.ops.arguments.operands import common_dtype, get_default_dtype
from lazygrad.tensor import Tensor

__all__ = ["can_cast", "finfo", "iinfo", "promote_types", "result_type"]


@overload
def result_type(tensor: Any, other: Any) -> DType: ...
@overload
def result_type(*, scalar: Scalar, tensor: Tensor) -> DType: ...
@overload
def result_type(*, scalar1: Scalar, scalar2: Scalar) -> DType: ...
def result_type(*operands: Any, **named: Any) -> DType:
    """The dtype of arithmetic between two operands, tensors or Python numbers, by any of PyTorch's names for them.

    Raises:
        TypeError: not two operands, or other names.
    """
    both = (*operands, *named.values())
    if len(both) != 2 or not any([named.keys() <= {*names} for names in _PAIRS]):
        raise TypeError(f"result_type(): received an invalid combination of arguments: {len(operands)} without a name"
                        f"{''.join([f', {name}=' for name in named])}; expected two tensors or numbers")  # fmt: skip
    return common_dtype(*both)


_PAIRS = (("tensor", "other"), ("scalar", "tensor"), ("scalar1", "scalar2"))


@dataclass(frozen=True)
class _Format:
    """An IEEE 754 binary format: fraction bits, largest exponent, decimal digits that survive a round trip."""

    fraction: int
    largest_exponent: int
    digits: int


_FORMATS = {
    float16: _Format(10, 15, 3),
    bfloat16: _Format(7, 127, 2),
    float32: _Format(23, 127, 6),
    float64: _Format(52, 1023, 15),
}

# eps, min, max and tiny of those that are no formats of IEEE 754.
_FLOAT8_LIMITS = {
    float8_e4m3fn: (2.0**-3, -448.0, 448.0, 2.0**-6),
    float8_e5m2: (2.0**-2, -57344.0, 57344.0, 2.0**-14),
    float8_e4m3fnuz: (2.0**-3, -240.0, 240.0, 2.0**-7),
    float8_e5m2fnuz: (2.0**-3, -57344.0, 57344.0, 2.0**-15),
    float8_e8m0fnu: (1.0, 2.0**-127, 2.0**127, 2.0**-127),
}


class finfo:
    """The limits of a floating dtype, or of the parts of a complex one.

    Attributes:
        bits: how many one number takes.
        eps: the distance from 1 to the next larger number.
        max, min: the largest and the smallest finite number.
        smallest_normal, tiny: the smallest positive number of full precision.
        resolution: 10 to the power of minus the number of decimal digits that survive.
        dtype: its name.

    Raises:
        TypeError: not a floating dtype.
    """

    def __init__(self, type: DType | None = None) -> None:
        dtype = get_default_dtype() if type is None else type
        if isinstance(dtype, DType) and dtype.is_complex:
            dtype = dtype.to_real()
        if dtype in _FLOAT8_LIMITS:
            self.dtype, self.bits, self.resolution = dtype.name, 8, 1.0
            self.eps, self.min, self.max, self.tiny = _FLOAT8_LIMITS[dtype]
            self.smallest_normal = self.tiny
            return
        if dtype not in _FORMATS:
            raise TypeError(f"finfo() requires a floating point input type, not {dtype!r}. Use iinfo for integers")
        form = _FORMATS[dtype]
        self.dtype = dtype.name
        self.bits = 8 * dtype.itemsize
        self.eps = 2.0**-form.fraction
        self.max = (2.0 - self.eps) * 2.0**form.largest_exponent
        self.min = -self.max
        self.smallest_normal = self.tiny = 2.0 ** (1 - form.largest_exponent)
        self.resolution = float(f"1e-{form.digits}")

    def __repr__(self) -> str:
        facts = f"resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}"
        return f"finfo({facts}, smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype.

    Attributes:
        bits: how many one number takes.
        max, min: the largest and the smallest number.
        dtype: its name.

    Raises:
        TypeError: not an integer dtype.
    """

    def __init__(self, type: DType) -> None:
        if not isinstance(type, DType) or type.category is not Category.INTEGER:
            raise TypeError(f"iinfo() requires an integer input type, not {type!r}. Use finfo for floating dtypes")
        self.dtype = type.name
        self.bits = 8 * type.itemsize
        values = self.bits - type.signed
        self.max = 2**values - 1
        self.min = -(2**values) if type.signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
