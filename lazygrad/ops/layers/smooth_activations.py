"""Smooth activation functions, and relu.

Formulas: PyTorch's documentation of the function of the same name. The ones made of straight pieces stand in
`lazygrad.ops.layers.piecewise_activations`, softmax and its kin in `lazygrad.ops.layers.softmax`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from lazygrad.ir.composites import activation as composite
from lazygrad.ir.dtype import Category, bool_, float32
from lazygrad.ir.op import Op
from lazygrad.ir.shape import normalize_axis
from lazygrad.ops.arguments.elsewhere import FAILED, answered_elsewhere
from lazygrad.ops.arguments.operands import cast_node, tensor_argument
from lazygrad.ops.arguments.registering import inplace_variant, method, start_of_call, write
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.pointwise.arithmetic import abs, add, mul, sub
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.elementary import sigmoid, tanh
from lazygrad.ops.pointwise.relational import gt
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.shapes.parts import narrow
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["relu", "selu", "celu", "relu_", "selu_", "celu_"]

# The fixed point of Klambauer et al., "Self-Normalizing Neural Networks", 2017.
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def new_or_in_place(input: Tensor, result: Tensor, inplace: bool, name: str) -> Tensor:
    """``result``, or with PyTorch's ``inplace=True`` the input holding it."""
    return write(input, result, name, start_of_call(result.node(), input._storage.value)) if inplace else result


def rounded_once(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Makes a function of several operations compute 16-bit floats in float32, so that only its result is rounded."""

    @functools.wraps(function)
    def wide(input: Tensor, *args: float) -> Tensor:
        if not input.dtype.is_half:
            return function(input, *args)
        widened = Tensor.from_node(cast_node(input.node(), float32))
        return Tensor.from_node(cast_node(function(widened, *args).node(), input.dtype))

    return wide


def float_argument(value: Any, name: str) -> Tensor:
    """``value`` if it is a tensor of floats.

    Raises:
        TypeError: not a tensor.
        NotImplementedError: not a floating dtype.
    """
    if tensor_argument(value, name).dtype.category < Category.FLOAT:
        raise NotImplementedError(
            f"{name} not implemented for '{value.dtype.scalar_type}'; cast the input first, for example .float()"
        )
    tensor: Tensor = value
    return tensor


def _activation(name: str, op: Op, input: Tensor, *attrs: Any) -> Tensor:
    return record(op, (float_argument(input, name).node(),), attrs)


@method(inplace=True)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), elementwise; the dtype stays.

    Raises:
        RuntimeError: a bool tensor.
    """
    try:
        if tensor_argument(input, "relu").dtype is bool_:
            raise RuntimeError("Boolean inputs not supported for relu; cast the input first, for example .float()")
        return new_or_in_place(input, record(composite.relu, (input.node(),)), inplace, "relu_")
    except FAILED:
        given = (input,) if isinstance(inplace, bool) else (input, inplace)
        return answered_elsewhere(relu, given, {"inplace": True} if inplace is True else {})


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x · Φ(x), elementwise.

    Args:
        input: any shape, floating.
        approximate: ``"tanh"`` for the approximation by tanh (Hendrycks and Gimpel, 2016), ``"none"`` for erf.

    Raises:
        RuntimeError: another word.
        NotImplementedError: integers or bools.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError(f"gelu: approximate argument must be either none or tanh, not {approximate!r}")
    return _activation("gelu", composite.gelu, input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x · sigmoid(x), elementwise; also called swish.

    Raises:
        NotImplementedError: integers or bools.
    """
    return new_or_in_place(input, _activation("silu", composite.silu, input), inplace, "silu_")


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """ln(1 + e^(beta·x)) / beta, elementwise; x itself where beta·x is above the threshold.

    Raises:
        NotImplementedError: integers or bools.
    """
    return _activation("softplus", composite.softplus, input, float(beta), float(threshold))


@traced
@rounded_once
def _mish(x: Tensor) -> Tensor:
    return mul(x, tanh(softplus(x)))


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · tanh(softplus(x)), elementwise. Source: Misra, "Mish", 2019.

    Raises:
        NotImplementedError: integers or bools.
    """
    return new_or_in_place(input, _mish(float_argument(input, "mish")), inplace, "mish_")


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, alpha·(eˣ − 1) below. Source: Clevert, Unterthiner and Hochreiter, 2015.

    Raises:
        NotImplementedError: integers or bools.
    """
    return new_or_in_place(input, _activation("elu", composite.elu, input, float(alpha)), inplace, "elu_")


@traced
@rounded_once
def _selu(x: Tensor) -> Tensor:
    return mul(elu(x, SELU_ALPHA), SELU_SCALE)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """scale · elu(x, alpha) with the constants that keep mean 0 and variance 1. Source: Klambauer et al., 2017.

    Raises:
        NotImplementedError: integers or bools.
    """
    return new_or_in_place(input, _selu(float_argument(input, "selu")), inplace, "selu_")


@traced
@rounded_once
def _celu(x: Tensor, alpha: float) -> Tensor:
    # elu's derivative never overflows, whatever `where` discards.
    return where(gt(x, 0), x, elu(div(x, alpha), alpha))


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, alpha·(e^(x/alpha) − 1) below. Source: Barron, 2017.

    Raises:
        RuntimeError: alpha is 0.
        NotImplementedError: integers or bools.
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return new_or_in_place(input, _celu(float_argument(input, "celu"), float(alpha)), inplace, "celu_")


def logsigmoid(input: Tensor) -> Tensor:
    """ln(sigmoid(x)), elementwise, without overflow.

    Raises:
        NotImplementedError: integers or bools.
    """
    return _activation("logsigmoid", composite.logsigmoid, input)


@traced
@rounded_once
def _softsign(x: Tensor) -> Tensor:
    return div(x, add(abs(x), 1))


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|), elementwise; integers give the default float dtype.

    Raises:
        NotImplementedError: bools.
    """
    if tensor_argument(input, "softsign").dtype is bool_:
        raise NotImplementedError("softsign not implemented for 'Bool'; cast the input first, for example .float()")
    return _softsign(input)


@traced
def tanhshrink(input: Tensor) -> Tensor:
    """x − tanh(x), elementwise; integers give the default float dtype.

    Raises:
        RuntimeError: bools.
    """
    if tensor_argument(input, "tanhshrink").dtype is bool_:
        raise RuntimeError("tanhshrink subtracts, which bool tensors do not; cast the input first, e.g. with .float()")
    return sub(input, tanh(input))


@traced
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a · sigmoid(b), where a and b are the halves of the input along ``dim``. Source: Dauphin et al., 2017.

    Raises:
        RuntimeError: a 0-dim tensor, or an odd size along ``dim``.
        NotImplementedError: integers or bools.
    """
    shape = float_argument(input, "glu").shape
    if not shape:
        raise RuntimeError("glu does not support 0-dim tensors, because the size it halves must be even")
    axis = normalize_axis(dim, len(shape), "glu")
    half, odd = divmod(shape[axis], 2)
    if odd:
        raise RuntimeError(f"glu: Halving dimension must be even, but dimension {axis} is size {shape[axis]}")
    return mul(narrow(input, axis, 0, half), sigmoid(narrow(input, axis, half, half)))


relu_ = inplace_variant(relu, "relu_")
elu_ = inplace_variant(elu, "elu_")
selu_ = inplace_variant(selu, "selu_")
celu_ = inplace_variant(celu, "celu_")
