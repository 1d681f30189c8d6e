"""Functions around a logarithm or a root, elementwise: sums of exponentials, entropies, log-odds, lengths.

Source of the formulas and of the values at the edges: PyTorch's documentation of the function of the same name.
"""

from __future__ import annotations

from collections.abc import Callable

from lazygrad.ir.composites import logarithm
from lazygrad.ir.op import Op
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import float_node, promoted, tensor_argument
from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.selection import clamp
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["logaddexp", "logaddexp2", "hypot", "xlogy", "sinc", "logit"]


def _of_two_tensors(name: str, op: Op, doc: str, inplace: bool = False) -> Callable[[Tensor, Tensor], Tensor]:
    def function(input: Tensor, other: Tensor) -> Tensor:
        nodes = promoted(name, tensor_argument(input, name), tensor_argument(other, name, "other"))
        if not nodes[0].dtype.differentiable:
            raise NotImplementedError(f"{name} not implemented for '{nodes[0].dtype.scalar_type}'; cast with .float()")
        return record(op, nodes)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}, broadcast. NotImplementedError where both are integers or bools."
    return accepts_out(method(inplace=inplace)(function))


logaddexp = _of_two_tensors("logaddexp", logarithm.logaddexp, "ln(e^input + e^other) without overflow")
logaddexp2 = _of_two_tensors("logaddexp2", logarithm.logaddexp2, "log₂(2^input + 2^other) without overflow")
hypot = _of_two_tensors("hypot", logarithm.hypot, "√(input² + other²) without overflow", inplace=True)


@accepts_out
@method(inplace=True)
def xlogy(input: Operand, other: Operand) -> Tensor:
    """input · ln(other), broadcast; 0 where ``input`` is 0, unless ``other`` is NaN. Integers are taken as floats."""
    return record(logarithm.xlogy, promoted("xlogy", input, other, to_float=True))


@accepts_out
def xlog1py(input: Operand, other: Operand) -> Tensor:
    """input · ln(1 + other), broadcast; 0 where ``input`` is 0, unless ``other`` is NaN; of integers a float."""
    return record(logarithm.xlog1py, promoted("xlog1py", input, other, to_float=True))


# Of one tensor.


@accepts_out
@method(inplace=True)
def sinc(input: Tensor) -> Tensor:
    """sin(πx) / (πx), 1 at 0, elementwise. Integers are converted to the default float dtype."""
    return record(logarithm.sinc, (float_node(tensor_argument(input, "sinc")),))


@accepts_out
@method(inplace=True)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """ln(x / (1 − x)), elementwise. Integers are converted to the default float dtype.

    Args:
        input: any shape.
        eps: limit the input to [eps, 1 − eps] first; without it the result outside [0, 1] is NaN.
    """
    node = float_node(tensor_argument(input, "logit"))
    limited = node if eps is None else clamp(Tensor.from_node(node), eps, 1 - eps).node()
    return record(logarithm.logit, (limited,))


def _float_function(name: str, op: Op, doc: str) -> Callable[[Tensor], Tensor]:
    def function(input: Tensor) -> Tensor:
        return record(op, (float_node(tensor_argument(input, name)),))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}, elementwise. Integers are converted to the default float dtype."
    return accepts_out(function)


entr = _float_function("entr", logarithm.entr, "−x · ln x, 0 at 0 and −∞ below")
ndtr = _float_function("ndtr", logarithm.ndtr, "The distribution function of a standard normal variable")
spherical_bessel_j0 = _float_function("spherical_bessel_j0", logarithm.spherical_bessel_j0, "sin(x) / x, 1 at 0")
