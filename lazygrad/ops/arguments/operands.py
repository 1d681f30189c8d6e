"""Operands of frontend functions: Python scalars, promotion, casts."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from lazygrad.host.warn_once import warn_user_once
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.dtype import (
    Category,
    DType,
    Scalar,
    bfloat16,
    bool_,
    complex64,
    float16,
    float32,
    result_dtype,
    scalar_dtype,
)
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.float8 import cast_float8
from lazygrad.ir.primitives.leaf import constant, is_structural, number
from lazygrad.ir.settings import Settings
from lazygrad.levels import levels
from lazygrad.runtime.listening import listening
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record_node


class _Defaults(Settings):
    dtype: DType = float32


_defaults = _Defaults()


def get_default_dtype() -> DType:
    """The dtype of tensors made from Python floats; float32 until `set_default_dtype` changes it."""
    return _defaults.dtype


def set_default_dtype(dtype: DType) -> None:
    """Change the dtype of tensors made from Python floats.

    Raises:
        TypeError: not a floating dtype.
    """
    if not isinstance(dtype, DType) or not dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _defaults.dtype = dtype


def warn_of_imaginary_part(source: DType, dtype: DType) -> None:
    """PyTorch's warning where a cast leaves something out; that to bool looks at both parts."""
    if source.is_complex and not dtype.is_complex and dtype is not bool_:
        warn_user_once("Casting complex values to real discards the imaginary part")


def cast_node(node: Node, dtype: DType) -> Node:
    source = node.type.dtype
    if source is dtype:
        return node
    warn_of_imaginary_part(source, dtype)
    if source.is_storage and source.is_float8:
        return cast_node(record_node(cast_float8, (node,), (float32.name,)), dtype)
    if dtype.is_storage and dtype.is_float8:
        return record_node(cast_float8, (cast_node(node, float32),), (dtype.name,))
    return record_node(ew.cast, (node,), (dtype.name,))


def scalar_node(value: Scalar, dtype: DType, device: Device = CPU) -> Node:
    """A Python number as a 0-dim node that holds it: what a tensor is filled with, a limit, a factor.

    Raises:
        RuntimeError, OverflowError: see `in_range`.
    """
    if dtype.is_float8:  # such a number is made of one of float32
        return cast_node(scalar_node(value, float32, device), dtype)
    return number(in_range(value, dtype), dtype, device)


def in_range(value: Scalar, dtype: DType) -> Scalar:
    """A Python number that ``dtype`` holds.

    Raises:
        RuntimeError: a finite number outside ``dtype``'s range; a complex number for a real dtype.
        OverflowError: an integer of more than 64 bits.
    """
    if isinstance(value, complex) and not dtype.is_complex:
        value = real_number(value, dtype)
    if isinstance(value, int):
        _require_64_bits(value)
    if dtype.category is Category.INTEGER and not isinstance(value, (bool, complex)):
        bits = 8 * dtype.itemsize - dtype.signed
        lowest = -(1 << bits) if dtype.signed else 1 - (1 << bits)
        if not lowest <= value < 1 << bits:
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow: {value}")
        if not dtype.signed:
            value = int(value) % (1 << bits)  # PyTorch wraps negative numbers into unsigned dtypes
    elif dtype in _LARGEST:
        _require_finite(value, dtype)
    return value


def assigned_node(value: Scalar, dtype: DType, device: Device = CPU) -> Node:
    """`scalar_node` for what PyTorch lets become an infinity of 16 bits: an assigned element, a case of `where`."""
    return operand_node(value, dtype, device) if dtype.is_half else scalar_node(value, dtype, device)


def operand_node(value: Scalar, dtype: DType, device: Device = CPU) -> Node:
    """A Python number beside a tensor, as a 0-dim node of their common dtype.

    Out of ``dtype``'s range an integer keeps its low bits, and a float is infinite, as PyTorch has them.

    Raises:
        OverflowError: an integer of more than 64 bits.
    """
    if type(value) is int:
        if not -_WRAPS_BELOW <= value < _WRAPS_BELOW:
            _require_64_bits(value)
            if dtype.category is Category.INTEGER:
                value = wrapped(value, dtype)
        elif (dtype.itemsize < 4 or not dtype.signed) and dtype.category is Category.INTEGER:
            value = wrapped(value, dtype)
    if dtype.is_storage and dtype.is_float8:
        return cast_node(number(value, float32, device), dtype)
    return number(value, dtype, device)


_WRAPS_BELOW = 1 << 31

# The largest finite numbers of the floats narrower than a Python float.
_LARGEST = {float16: 65504.0, bfloat16: (2 - 2**-7) * 2.0**127, float32: (2 - 2**-23) * 2.0**127}
_LARGEST[complex64] = _LARGEST[float32]


def _require_finite(value: Scalar, dtype: DType) -> None:
    """Refuses a finite number that a floating ``dtype`` would hold as an infinity."""
    largest = _LARGEST[dtype]
    for part in (value.real, value.imag) if isinstance(value, complex) else (value,):
        if not -largest <= part <= largest and isfinite(part):
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow: {value}")


def wrapped(value: int, dtype: DType) -> int:
    """The number of an integer dtype with the low bits of ``value``."""
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.signed and value >> bits - 1 else value


def _require_64_bits(value: int) -> None:
    if not -(1 << 63) <= value < 1 << 64:
        raise OverflowError(f"int too big to convert: {value} has more than 64 bits; pass it as a float")


def real_number(value: complex, dtype: DType) -> float:
    """A complex number for a real dtype.

    Raises:
        RuntimeError: its imaginary part is not 0.
    """
    if value.imag != 0:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow: {value}")
    return value.real


def is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex))


def is_operand(value: Any) -> bool:
    """Whether arithmetic accepts a value: a tensor, a Python or numpy number, a numpy array."""
    return isinstance(value, (Tensor, bool, int, float, complex, np.ndarray, np.generic))


def as_scalar(value: Any, name: str) -> Scalar:
    """Accepts Python and numpy numbers.

    Raises:
        TypeError: anything else, naming the function and what it takes.
    """
    if isinstance(value, (bool, int, float, complex)):
        return value
    if hasattr(value, "dtype") and getattr(value, "shape", None) == () and hasattr(value, "item"):
        plain: Scalar = value.item()
        return plain
    raise TypeError(f"{name}(): expected a Tensor or a number, not {type(value).__name__}")


def as_real_scalar(value: Any, name: str) -> float:
    """Accepts Python and numpy numbers that are not complex.

    Raises:
        TypeError: anything else, naming the function and what it takes.
    """
    number = as_scalar(value, name)
    if isinstance(number, complex):
        raise TypeError(f"{name}(): expected a real number, not {number!r}")
    return number


def _as_operand(value: Any, name: str) -> Tensor | Scalar:
    """A numpy array becomes a tensor with a copy of it; anything else must be a number."""
    if isinstance(value, np.ndarray) and value.ndim:
        return Tensor.from_array(np.array(value, order="C"), CPU, shared=False)
    return as_scalar(value, name)


def common_dtype(*operands: Any) -> DType:
    """PyTorch's result type of tensors and Python scalars."""
    dimensioned: list[DType] = []
    zero_dim: list[DType] = []
    scalars: list[DType] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            node = operand.node()
            (dimensioned if node.type.shape else zero_dim).append(node.type.dtype)
        else:
            scalars.append(scalar_dtype(operand, _defaults.dtype))
    return result_dtype(tuple(dimensioned), tuple(zero_dim), tuple(scalars))


def promoted(name: str, *operands: Any, to_float: bool = False, tensors: int = 0) -> tuple[Node, ...]:
    """The operands as nodes of their common dtype.

    Args:
        name: of the function, for errors.
        operands: tensors and numbers, at least one tensor unless it is basic arithmetic.
        to_float: integers become the default float dtype, as for division and exp.
        tensors: how many of the leading operands may not be numbers.

    Raises:
        TypeError: an operand that is neither a tensor nor a number, or a number where a tensor is needed.
        OverflowError: an integer of more than 64 bits.
    """
    checked = [o if isinstance(o, Tensor) else _as_operand(o, name) for o in operands]
    if tensors or not isinstance(checked[0], Tensor):
        _require_tensors(name, checked, tensors)
    dtype = common_dtype(*checked)
    if to_float and dtype.category < Category.FLOAT:
        dtype = _defaults.dtype
    device = next((o.device for o in checked if isinstance(o, Tensor)), CPU)
    nodes = [cast_node(o.node(), dtype) if isinstance(o, Tensor) else operand_node(o, dtype, device) for o in checked]
    if dtype.is_storage and dtype.is_float8 and name in _EXACT_IN_FLOAT32:
        return tuple([cast_node(node, float32) for node in nodes])
    return tuple(nodes)


def promoted_pair(name: str, first: Any, second: Any, to_float: bool = False, tensors: int = 0) -> tuple[Node, Node]:
    """`promoted` of two operands; those that need no promotion take a short way."""
    if isinstance(first, Tensor):
        x = first.node()
        dtype = x.type.dtype
        if not (dtype.is_storage or (to_float and not dtype.differentiable)):
            if isinstance(second, Tensor):
                y = second.node()
                if y.type.dtype is dtype:
                    return x, y
            elif tensors < 2 and _keeps(dtype, type(second)):
                return x, _number_beside(second, x.type)
    elif not tensors and isinstance(second, Tensor) and _keeps(second.dtype, type(first)):
        y = second.node()
        dtype = y.type.dtype
        if not (dtype.is_storage or (to_float and not dtype.differentiable)):
            return _number_beside(first, y.type), y
    x, y = promoted(name, first, second, to_float=to_float, tensors=tensors)
    return x, y


def _number_beside(value: Scalar, type: TensorType) -> Node:
    """`operand_node` for a tensor of this type. All operations outside of transforms share their constants."""
    key = (value, value.__class__, type.dtype)
    known = _constants.get(key)
    if known is not None and type.device is CPU and listening.listener is None and not levels.active:
        return known
    node = operand_node(value, type.dtype, type.device)
    # 0.0 equals −0.0, which is no constant.
    if (
        value
        and node.op is constant
        and node.origin is None
        and type.device is CPU
        and len(_constants) < _MOST_CONSTANTS
    ):
        _constants[key] = node
    return node


_constants: dict[tuple[Scalar, Any, DType], Node] = {}
_MOST_CONSTANTS = 256


def alike(first: Any, second: Any) -> tuple[Node, Node] | None:
    """The nodes of two tensors of one dtype, which is not one that is only stored; None of other operands."""
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        x, y = first.node(), second.node()
        dtype = x.type.dtype
        if y.type.dtype is dtype and not dtype.is_storage:
            return x, y
    return None


def _keeps(dtype: DType, kind: type) -> bool:
    """Whether a number of Python beside a tensor of ``dtype`` takes that dtype."""
    if dtype.is_floating_point:
        return kind is float or kind is int
    return kind is int and dtype.category is Category.INTEGER


_EXACT_IN_FLOAT32 = frozenset(["eq", "ne"])  # of 8-bit floats, whose other arithmetic is refused
_OF_NUMBERS = frozenset(["add", "sub", "mul", "div", "floor_divide"])  # of two numbers they give a tensor without axes


def _require_tensors(name: str, operands: list[Tensor | Scalar], count: int) -> None:
    for position, operand in enumerate(operands[:count]):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"{name}(): argument {position + 1} must be Tensor, not {type(operand).__name__}; "
                f"write lazygrad.tensor({operand!r})"
            )
    if name not in _OF_NUMBERS and not any(isinstance(operand, Tensor) for operand in operands):
        raise TypeError(f"{name}(): one of its arguments must be Tensor, but all are numbers")


def float_node(input: Tensor) -> Node:
    """The tensor's node, integers cast to the default float dtype."""
    node = input.node()
    return node if node.type.dtype.category >= Category.FLOAT else cast_node(node, _defaults.dtype)


def tensor_argument(value: Any, name: str, position: str = "input") -> Tensor:
    """``value`` if it is a tensor.

    Raises:
        TypeError: it is not, naming the function, the argument and what was given.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{position}' must be Tensor, not {type(value).__name__}")
    return value


def in_float32(input: Any, other: Any) -> tuple[Node, Node] | None:
    """A 16-bit tensor and the number that multiplies or divides it, both in float32.

    PyTorch rounds such a number only with the result: 65536 does not become an infinity of float16 first.

    Args:
        input: the first operand.
        other: the second, a Python number or a tensor of one element.

    Returns:
        None where the common dtype has more than 16 bits, and where 16 bits hold the number anyway.
    """
    if not isinstance(input, Tensor) or not input.dtype.is_half:
        return None
    if isinstance(other, Tensor):
        if other.dtype is input.dtype or other.numel() != 1 or common_dtype(input, other) is not input.dtype:
            return None
        return cast_node(input.node(), float32), cast_node(other.node(), float32)
    if not is_scalar(other) or isinstance(other, complex) or is_structural(other):
        return None
    return cast_node(input.node(), float32), operand_node(other, float32, input.device)
