"""Element types and PyTorch's rules for combining them.

Source of the promotion rules: PyTorch's documentation, "Tensor Attributes → torch.dtype → type promotion".
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import cache

from lazygrad.ir.spoken_name import spoken

Scalar = bool | int | float | complex


class Category(IntEnum):
    """The rank of a kind of number: a Python scalar of a higher category changes the result's dtype."""

    BOOL = 0
    INTEGER = 1
    FLOAT = 2
    COMPLEX = 3


_MESSAGE_NAMES = {
    "bool": ("Bool", "bool"),
    "uint8": ("Byte", "unsigned char"),
    "int8": ("Char", "signed char"),
    "int16": ("Short", "short"),
    "int32": ("Int", "int"),
    "int64": ("Long", "long"),
    "word32": ("UInt32", "unsigned int"),
    "uint16": ("UInt16", "unsigned short"),
    "uint32": ("UInt32", "unsigned int"),
    "uint64": ("UInt64", "unsigned long"),
    "float16": ("Half", "c10::Half"),
    "bfloat16": ("BFloat16", "c10::BFloat16"),
    "float32": ("Float", "float"),
    "float64": ("Double", "double"),
    "complex64": ("ComplexFloat", "c10::complex<float>"),
    "complex128": ("ComplexDouble", "c10::complex<double>"),
    **{
        f"float8_{form}": (f"Float8_{form}", f"c10::Float8_{form}")
        for form in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu")
    },
}


class DType:
    """An element type. There is one object per type, so dtypes compare by identity.

    Attributes:
        name: PyTorch's name, e.g. ``float32``.
        short: the name in graph texts, e.g. ``f32``.
        itemsize: bytes per element.
        category: bool, integer, float or complex.
        scalar_type: PyTorch's name for messages, e.g. ``Float``.
        c_type: the name of the type in C++, which some messages of PyTorch give instead, e.g. ``float``.
        is_floating_point, is_complex: whether the category is that.
        differentiable: whether either is so.
        is_half: True for the two 16-bit floats, whose sums are accumulated in float32.
        is_float8: True for the 8-bit floats, which are cast to and from float32 by an op of their own.
        is_storage: values are kept, moved and cast in this dtype; arithmetic takes it only where PyTorch's does.
    """

    # Recording asks these of every operand. To name a member of an Enum takes longer than the rest of the question.
    __slots__ = (
        "c_type",
        "category",
        "differentiable",
        "is_complex",
        "is_float8",
        "is_floating_point",
        "is_half",
        "is_storage",
        "itemsize",
        "name",
        "scalar_type",
        "short",
        "signed",
    )

    def __init__(
        self, name: str, short: str, itemsize: int, category: Category, signed: bool = True, is_storage: bool = False
    ) -> None:
        self.name, self.short, self.itemsize, self.category, self.signed = name, short, itemsize, category, signed
        self.is_storage = is_storage
        self.scalar_type, self.c_type = _MESSAGE_NAMES[name]
        self.is_floating_point, self.is_complex = category is Category.FLOAT, category is Category.COMPLEX
        self.differentiable = self.is_floating_point or self.is_complex
        self.is_half = self.is_floating_point and itemsize == 2
        self.is_float8 = self.is_floating_point and itemsize == 1

    @property
    def is_signed(self) -> bool:
        return self.signed

    @property
    def lowest(self) -> Scalar:
        """The number that no other one is below: what a maximum starts from."""
        if self.category is not Category.INTEGER:
            return float("-inf") if self.is_floating_point else False
        return -(1 << 8 * self.itemsize - 1) if self.signed else 0

    @property
    def highest(self) -> Scalar:
        """The number that no other one is above: what a minimum starts from."""
        if self.category is not Category.INTEGER:
            return float("inf") if self.is_floating_point else True
        return (1 << 8 * self.itemsize - self.signed) - 1

    def to_complex(self) -> DType:
        """The complex dtype whose parts hold this floating dtype's numbers; of a complex dtype, itself.

        There is none of two 16-bit parts, so float16 and bfloat16 lead to complex64.

        Raises:
            RuntimeError: an integer dtype or bool.
        """
        if self.is_complex:
            return self
        if not self.is_floating_point:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.name}")
        return complex128 if self is float64 else complex64

    def to_real(self) -> DType:
        """The dtype of a complex dtype's parts; of any other dtype, itself."""
        if self.is_complex:
            return float64 if self is complex128 else float32
        return self

    def __repr__(self) -> str:
        return spoken(self.name)

    def __reduce__(self) -> tuple[object, ...]:
        return dtype_named, (self.name,)


bool_ = DType("bool", "bool", 1, Category.BOOL, signed=False)
uint8 = DType("uint8", "u8", 1, Category.INTEGER, signed=False)
int8 = DType("int8", "i8", 1, Category.INTEGER)
int16 = DType("int16", "i16", 2, Category.INTEGER)
int32 = DType("int32", "i32", 4, Category.INTEGER)
int64 = DType("int64", "i64", 8, Category.INTEGER)
float16 = DType("float16", "f16", 2, Category.FLOAT)
bfloat16 = DType("bfloat16", "bf16", 2, Category.FLOAT)
float32 = DType("float32", "f32", 4, Category.FLOAT)
float64 = DType("float64", "f64", 8, Category.FLOAT)
complex64 = DType("complex64", "c64", 8, Category.COMPLEX)
complex128 = DType("complex128", "c128", 16, Category.COMPLEX)
# Raw words of the in-graph random generator; not part of the public API.
word32 = DType("word32", "w32", 4, Category.INTEGER, signed=False)

uint16 = DType("uint16", "u16", 2, Category.INTEGER, signed=False, is_storage=True)
uint32 = DType("uint32", "u32", 4, Category.INTEGER, signed=False, is_storage=True)
uint64 = DType("uint64", "u64", 8, Category.INTEGER, signed=False, is_storage=True)
float8_e4m3fn = DType("float8_e4m3fn", "f8e4m3fn", 1, Category.FLOAT, is_storage=True)
float8_e5m2 = DType("float8_e5m2", "f8e5m2", 1, Category.FLOAT, is_storage=True)
float8_e4m3fnuz = DType("float8_e4m3fnuz", "f8e4m3fnuz", 1, Category.FLOAT, is_storage=True)
float8_e5m2fnuz = DType("float8_e5m2fnuz", "f8e5m2fnuz", 1, Category.FLOAT, is_storage=True)
float8_e8m0fnu = DType("float8_e8m0fnu", "f8e8m0fnu", 1, Category.FLOAT, signed=False, is_storage=True)

ALL_DTYPES = (
    bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128,
)  # fmt: skip
STORAGE_DTYPES = (
    uint16, uint32, uint64, float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu,
)  # fmt: skip
_EVERY = (*ALL_DTYPES, *STORAGE_DTYPES, word32)
_BY_NAME = {dtype.name: dtype for dtype in _EVERY}
_BY_SHORT = {dtype.short: dtype for dtype in _EVERY}


def dtype_named(name: str) -> DType:
    """The dtype called ``name`` in full (``float32``) or short (``f32``); KeyError when there is none."""
    return _BY_NAME[name] if name in _BY_NAME else _BY_SHORT[name]


@cache
def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest dtype that both can be cast to, by PyTorch's table.

    Raises:
        RuntimeError: a float8 dtype with another one; uint16, uint32 or uint64 with another dtype that is no float.
    """
    if type1 is type2:
        return type1
    if type1.is_storage or type2.is_storage:
        _check_promotion(type1, type2)
    if type1.category != type2.category:
        if Category.COMPLEX in (type1.category, type2.category) and float64 in (type1, type2):
            return complex128
        return type1 if type1.category > type2.category else type2
    if type1.category is Category.FLOAT and type1.itemsize == type2.itemsize:
        return float32  # float16 with bfloat16
    if type1.signed != type2.signed:
        signed, unsigned = (type1, type2) if type1.signed else (type2, type1)
        return signed if signed.itemsize > unsigned.itemsize else int16  # only uint8 is unsigned
    return type1 if type1.itemsize > type2.itemsize else type2


def _check_promotion(first: DType, second: DType) -> None:
    attempt = f"is not supported, attempted to promote {first.scalar_type} and {second.scalar_type}"
    if first.is_float8 or second.is_float8:
        raise RuntimeError(f"Promotion for Float8 Types {attempt}; cast one first")
    if Category.FLOAT not in (first.category, second.category):
        raise RuntimeError(f"Promotion for uint16, uint32, uint64 types {attempt}; cast one first")


def _promote_all(dtypes: Iterable[DType]) -> DType | None:
    result: DType | None = None
    for dtype in dtypes:
        result = dtype if result is None else promote_types(result, dtype)
    return result


def _combine(higher: DType | None, lower: DType | None) -> DType | None:
    """``lower``-priority operands (0-dim tensors, then Python scalars) count only by their category."""
    if higher is None or lower is None:
        return higher or lower
    if lower.is_complex and not higher.is_complex:
        return higher.to_complex() if higher.is_floating_point else lower
    return promote_types(higher, lower) if lower.category > higher.category else higher


def scalar_dtype(value: Scalar, default_float: DType) -> DType:
    """The dtype a Python scalar has on its own: bool, int64, the default float or the complex dtype of it."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, complex):
        return default_float.to_complex()
    return int64 if isinstance(value, int) else default_float


@cache
def result_dtype(dimensioned: tuple[DType, ...], zero_dim: tuple[DType, ...], scalars: tuple[DType, ...]) -> DType:
    """The common dtype of an operation's operands.

    Tensors with dimensions decide first, 0-dim tensors only by a higher category, Python scalars last.

    Args:
        dimensioned: dtypes of the operands with at least one dimension.
        zero_dim: dtypes of the 0-dim tensors.
        scalars: dtypes of the Python scalars, see `scalar_dtype`.
    """
    result = _combine(_combine(_promote_all(dimensioned), _promote_all(zero_dim)), _promote_all(scalars))
    if result is None:
        raise TypeError("result_dtype needs at least one operand")
    return result


def can_cast(from_: DType, to: DType) -> bool:
    """Whether an in-place result of dtype ``from_`` may be stored into a tensor of dtype ``to``."""
    return from_.category <= to.category
