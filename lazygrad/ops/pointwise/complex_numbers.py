"""Complex numbers: making them, their parts, conjugates, and their memory seen as real numbers.

As in PyTorch, the real and the imaginary part, the conjugate and `view_as_real` are views: writing to them writes to
the complex tensor, and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, pi

from lazygrad.ir.alias import Step
from lazygrad.ir.dtype import bool_, float32, float64
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.ops.arguments.operands import float_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out, accepts_out_of_its_dtype
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.pointwise.arithmetic import abs, mul
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.pointwise.elementary import atan2, cos, sin
from lazygrad.ops.pointwise.relational import eq, isnan
from lazygrad.ops.pointwise.selection import sign, where
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = [
    "adjoint",
    "angle",
    "complex",
    "conj",
    "conj_physical",
    "imag",
    "is_complex",
    "is_conj",
    "is_neg",
    "isreal",
    "polar",
    "real",
    "resolve_conj",
    "resolve_neg",
    "sgn",
    "view_as_complex",
    "view_as_real",
]


@method()
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is a complex one."""
    return tensor_argument(input, "is_complex").dtype.is_complex


# Made of real numbers.


def _check_parts(name: str, first: Tensor, second: Tensor) -> None:
    if first.dtype not in (float32, float64):
        raise RuntimeError(f"{name}: expected both inputs to be float32 or float64 tensors but got {first.dtype.name} "
                           f"and {second.dtype.name}")  # fmt: skip
    if first.dtype is not second.dtype:
        raise RuntimeError(f"{name}: expected a second tensor of dtype {first.dtype.name} but got {second.dtype.name}")


@accepts_out_of_its_dtype
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """real + i·imag, broadcast.

    Args:
        real, imag: both float32, for complex64, or both float64, for complex128.

    Raises:
        RuntimeError: other dtypes, or shapes that do not broadcast.
    """
    x, y = tensor_argument(real, "complex", "real"), tensor_argument(imag, "complex", "imag")
    _check_parts("complex", x, y)
    return record(ew.complex_, (x.node(), y.node()))


@accepts_out_of_its_dtype
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """abs·(cos(angle) + i·sin(angle)), broadcast; dtypes as in `complex`.

    Raises:
        RuntimeError: other dtypes, or shapes that do not broadcast.
    """
    radius, phase = tensor_argument(abs, "polar", "abs"), tensor_argument(angle, "polar", "angle")
    _check_parts("polar", radius, phase)
    return complex(mul(radius, cos(phase)), mul(radius, sin(phase)))


# Parts.


def real(input: Tensor) -> Tensor:
    """The real part, as a view; a real tensor itself."""
    return tensor_argument(input, "real").moved(ew.real, ()) if input.dtype.is_complex else input


def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view.

    Raises:
        RuntimeError: not a complex dtype.
    """
    if not tensor_argument(input, "imag").dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return input.moved(ew.imag, ())


def _part(read: Callable[[Tensor], Tensor], doc: str) -> property:
    def write(tensor: Tensor, value: Tensor) -> None:
        read(tensor).copy_(value)

    return property(read, write, doc=doc)


setattr(Tensor, "real", _part(real, "The real part, a view; of a real tensor, the tensor itself."))  # noqa: B010
setattr(Tensor, "imag", _part(imag, "The imaginary part, a view. RuntimeError for real dtypes."))  # noqa: B010


def view_as_real(input: Tensor) -> Tensor:
    """A view with the real and imaginary parts along a new last dimension of size 2.

    Raises:
        RuntimeError: not a complex dtype, or a conjugate that was not resolved.
    """
    if not tensor_argument(input, "view_as_real").dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if is_conj(input):
        raise RuntimeError("view_as_real doesn't work on unresolved conjugated tensors. Use resolve_conj() first, "
                           "which makes a copy")  # fmt: skip
    return input.moved(reinterpret, (input.dtype.to_real().name,))


def view_as_complex(input: Tensor) -> Tensor:
    """A complex view of pairs of real numbers that lie next to each other along the last dimension.

    Args:
        input: float32 or float64, of shape (…, 2).

    Raises:
        RuntimeError: another dtype or shape, or pairs that are no complex numbers in memory.
    """
    if tensor_argument(input, "view_as_complex").dtype not in (float32, float64):
        raise RuntimeError(f"view_as_complex is only supported for float32 and float64 tensors, but got a tensor of "
                           f"{input.dtype.name}")  # fmt: skip
    if not input.ndim:
        raise RuntimeError("view_as_complex: Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("view_as_complex: Tensor must have a last dimension of size 2")
    view = input.view_of_storage()
    if view.strides[-1] != 1:
        raise RuntimeError("view_as_complex: Tensor must have a last dimension with stride 1")
    if any(stride % 2 for stride in view.strides[:-1]):
        raise RuntimeError("view_as_complex: Tensor must have a stride divisible by 2 for all but last dimension")
    if view.offset % 2:
        raise RuntimeError("view_as_complex: Tensor must have a storage_offset divisible by 2")
    return input.moved(reinterpret, (input.dtype.to_complex().name,))


@accepts_out
@method()
def angle(input: Tensor) -> Tensor:
    """The angle of a complex number in (−π, π]; of a real one, π where it is negative and 0 elsewhere.

    Integers become the default float dtype; NaN stays NaN.
    """
    if tensor_argument(input, "angle").dtype.is_complex:
        return atan2(imag(input), real(input))
    x = Tensor.from_node(float_node(input))
    side = sign(x)
    return where(isnan(x), nan, mul(mul(side, side - 1), pi / 2) + 0.0)  # of -0 and 0 the angle is 0, not -0


@method()
def isreal(input: Tensor) -> Tensor:
    """Where the imaginary part is 0, as bool; everywhere for a real dtype."""
    x = tensor_argument(input, "isreal")
    return eq(imag(x), 0) if x.dtype.is_complex else x.new_ones(x.shape, dtype=bool_)


@accepts_out
@method(inplace=True)
def sgn(input: Tensor) -> Tensor:
    """x/|x|, and 0 where x is 0; `sign` for real dtypes."""
    if not tensor_argument(input, "sgn").dtype.is_complex:
        return sign(input)
    size = abs(input)
    is_zero = eq(size, 0)
    return where(is_zero, 0, div(input, where(is_zero, 1, size)))


# Conjugates.


@method()
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, as a view; a real tensor itself.

    As in PyTorch nothing is computed until the values are read: `is_conj` says so, and `resolve_conj` copies.
    """
    if not tensor_argument(input, "conj").dtype.is_complex:
        return input
    return input.moved(ew.conj, ())


@accepts_out
@method(inplace=True)
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate with memory of its own; a real tensor itself."""
    node = tensor_argument(input, "conj_physical").node()
    return record(ew.conj, (node,)) if node.dtype.is_complex else input


def _conjugations(chain: tuple[Step, ...]) -> int:
    return sum(op is ew.conj for op, _ in chain)


@method()
def is_conj(input: Tensor) -> bool:
    """Whether this is a conjugate view of memory that holds the numbers themselves."""
    return tensor_argument(input, "is_conj").dtype.is_complex and _conjugations(input._chain) % 2 == 1


@method()
def is_neg(input: Tensor) -> bool:
    """Whether this is the imaginary part of a conjugate view, whose memory holds the negated numbers."""
    chain = tensor_argument(input, "is_neg")._chain
    parts = [i for i, (op, _) in enumerate(chain) if op is ew.imag]
    return bool(parts) and _conjugations(chain[: parts[-1]]) % 2 == 1


@method()
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or a copy of it where it `is_conj`."""
    return input.clone() if is_conj(input) else input


@method()
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or a copy of it where it `is_neg`."""
    return input.clone() if is_neg(input) else input


@method()
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices, as a view.

    Raises:
        RuntimeError: fewer than two dimensions.
    """
    return _adjoint(input, "adjoint()")


def _adjoint(input: Tensor, name: str) -> Tensor:
    if tensor_argument(input, "adjoint").ndim < 2:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got "
                           f"{input.ndim}-D tensor.")  # fmt: skip
    return conj(transpose(input, -2, -1))


def _conjugate_transpose(input: Tensor) -> Tensor:
    """The conjugate transpose of a matrix, a view."""
    if input.ndim != 2:
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {input.ndim}-D tensor.")
    return _adjoint(input, "H")


def _conjugate_transposes(input: Tensor) -> Tensor:
    """The conjugate transposes of a batch of matrices, a view."""
    return _adjoint(input, "mH")


for _name, _attribute in {"H": _conjugate_transpose, "mH": _conjugate_transposes}.items():
    setattr(Tensor, _name, property(_attribute))
