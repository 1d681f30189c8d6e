"""Elementary functions of floating tensors, elementwise: exponentials, logarithms, trigonometry, erf and gamma."""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.composites import activation
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import float_node, promoted, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

# fmt: off
__all__ = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "lgamma", "digamma", "sigmoid",
    "atan2", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2",
]
# fmt: on


def _float_unary(name: str, op: Op, formula: str, *names: str) -> Callable[[Tensor], Tensor]:
    """A function of floats under its name and, as methods, further ``names``."""

    def function(input: Tensor) -> Tensor:
        return record(op, (float_node(tensor_argument(input, name)),))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{formula}, elementwise. Integer and bool tensors are converted to the default float dtype."
    return accepts_out(method(*names, inplace=True)(function))


exp = _float_unary("exp", ew.exp, "eˣ")
exp2 = _float_unary("exp2", ew.exp2, "2ˣ")
expm1 = _float_unary("expm1", ew.expm1, "eˣ − 1")
log = _float_unary("log", ew.log, "ln x")
log2 = _float_unary("log2", ew.log2, "log₂ x")
log10 = _float_unary("log10", ew.log10, "log₁₀ x")
log1p = _float_unary("log1p", ew.log1p, "ln(1 + x)")
sqrt = _float_unary("sqrt", ew.sqrt, "√x")
rsqrt = _float_unary("rsqrt", activation.rsqrt, "1/√x")
sin = _float_unary("sin", ew.sin, "sin x")
cos = _float_unary("cos", ew.cos, "cos x")
tan = _float_unary("tan", ew.tan, "tan x")
asin = _float_unary("asin", ew.asin, "arcsin x", "arcsin")
acos = _float_unary("acos", ew.acos, "arccos x", "arccos")
atan = _float_unary("atan", ew.atan, "arctan x", "arctan")
sinh = _float_unary("sinh", ew.sinh, "sinh x")
cosh = _float_unary("cosh", ew.cosh, "cosh x")
tanh = _float_unary("tanh", ew.tanh, "tanh x")
asinh = _float_unary("asinh", ew.asinh, "arsinh x", "arcsinh")
acosh = _float_unary("acosh", ew.acosh, "arcosh x", "arccosh")
atanh = _float_unary("atanh", ew.atanh, "artanh x", "arctanh")
erf = _float_unary("erf", ew.erf, "the error function of x")
erfc = _float_unary("erfc", ew.erfc, "1 − erf x")
erfinv = _float_unary("erfinv", ew.erfinv, "the inverse of erf")
lgamma = _float_unary("lgamma", ew.lgamma, "ln |Γ(x)|")
digamma = _float_unary("digamma", ew.digamma, "Γ′(x)/Γ(x)")
sigmoid = _float_unary("sigmoid", activation.sigmoid, "1/(1 + e⁻ˣ)")


@accepts_out
@method("arctan2", inplace=True)
def atan2(input: Operand, other: Operand) -> Tensor:
    """The angle of the point (other, input), broadcast; integers are converted to the default float dtype."""
    return record(ew.atan2, promoted("atan2", input, other, to_float=True, tensors=2))


# PyTorch's second names.
arcsin, arccos, arctan = asin, acos, atan
arcsinh, arccosh, arctanh = asinh, acosh, atanh
arctan2 = atan2
