"""Discrete Fourier transforms, and the order of their frequencies: the functions of `lazygrad.fft`.

``n`` or ``s`` are the sizes along the transformed dimensions: what is longer is cut off, what is shorter is filled up
with zeros. ``norm`` says where the factor 1/n is: in the inverse transform (``"backward"``, and None), in the other one
(``"forward"``), or the root of it in each (``"ortho"``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Unpack

from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives import spectral as sp
from lazygrad.ir.primitives.leaf import number
from lazygrad.ir.shape import as_integers, normalize_axis
from lazygrad.ops.arguments.creation_options import Chosen, TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.keywords import numpy_keywords
from lazygrad.ops.arguments.operands import cast_node, float_node, tensor_argument
from lazygrad.ops.arguments.out import accepts_out, creates_out
from lazygrad.ops.arguments.precision import in_single_precision
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.pointwise.arithmetic import mul
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.shapes.repeating import roll
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = [
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2", "fftn",
    "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]  # fmt: skip

Sizes = int | Sequence[int] | None
Dims = int | Sequence[int] | None
Axes = tuple[int, ...]
Transform = Callable[[str, Tensor, Axes, tuple[int, ...], str], Tensor]

_NORMS = {None: "backward", "backward": "backward", "forward": "forward", "ortho": "ortho"}


# The transforms of given axes, resized to given sizes. Of a real signal half of the last axis's frequencies are kept;
# its size is that of the signal.


def _operand(name: str, input: Tensor) -> Node:
    node = in_single_precision(float_node(tensor_argument(input, name)))
    if node.dtype.is_half:
        raise RuntimeError(f"{name}: unsupported dtype {node.dtype.name}; cast with .float()")
    return node


def _real_operand(name: str, input: Tensor) -> Node:
    node = _operand(name, input)
    if node.dtype.is_complex:
        raise RuntimeError(f"{name} expects a real input tensor, but got {node.dtype.name}")
    return node


def _complex_operand(name: str, input: Tensor) -> Node:
    node = _operand(name, input)
    return cast_node(node, node.dtype.to_complex())


def _resized(node: Node, axes: Axes, sizes: tuple[int, ...]) -> Node:
    """``node`` cut off or filled up with zeros at the end of ``axes``."""
    missing = [0] * node.rank
    for axis, size in zip(axes, sizes, strict=True):
        missing[axis] = size - node.type.shape[axis]
    if not any(missing):
        return node
    zero = number(0, node.dtype, node.device)
    return record_node(indexing.pad, (node, zero), ((0,) * node.rank, tuple(missing)))


def _forward(name: str, input: Tensor, axes: Axes, sizes: tuple[int, ...], norm: str) -> Tensor:
    node = _resized(_complex_operand(name, input), axes, sizes)
    return record(sp.fft_c2c, (node,), (axes, False, norm))


def _inverse(name: str, input: Tensor, axes: Axes, sizes: tuple[int, ...], norm: str) -> Tensor:
    node = _resized(_complex_operand(name, input), axes, sizes)
    return record(sp.fft_c2c, (node,), (axes, True, norm))


def _of_real(name: str, input: Tensor, axes: Axes, sizes: tuple[int, ...], norm: str) -> Tensor:
    return record(sp.fft_r2c, (_resized(_real_operand(name, input), axes, sizes),), (axes, norm))


def _to_real(name: str, input: Tensor, axes: Axes, sizes: tuple[int, ...], norm: str) -> Tensor:
    return Tensor.from_node(_signal(_complex_operand(name, input), axes, sizes, norm))


def _signal(node: Node, axes: Axes, sizes: tuple[int, ...], norm: str) -> Node:
    node = _resized(node, axes, (*sizes[:-1], sizes[-1] // 2 + 1))
    return record_node(sp.fft_c2r, (node,), (axes, sizes[-1], norm))


def _hermitian(name: str, input: Tensor, axes: Axes, sizes: tuple[int, ...], norm: str) -> Tensor:
    """The forward transform to a real signal is the inverse one of the conjugate."""
    conjugate = record_node(ew.conj, (_complex_operand(name, input),))
    return Tensor.from_node(_signal(conjugate, axes, sizes, sp.OPPOSITE[norm]))


def _to_hermitian(name: str, input: Tensor, axes: Axes, sizes: tuple[int, ...], norm: str) -> Tensor:
    """The inverse transform of a real signal is the conjugate of the forward one."""
    return record(ew.conj, (_of_real(name, input, axes, sizes, sp.OPPOSITE[norm]).node(),))


_HALVED = frozenset([_to_real, _hermitian])  # of whose result the operand has half the frequencies
_NEED_AN_AXIS = _HALVED | {_of_real, _to_hermitian}


# Arguments.


def _mode(norm: str | None) -> str:
    if norm not in _NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return _NORMS[norm]


def _axis(name: str, dim: int, rank: int) -> int:
    if not rank:
        raise IndexError(f"{name}: Dimension specified as {dim} but tensor has no dimensions")
    return normalize_axis(dim, rank, name)


def _extent(transform: Transform, input: Tensor, axis: int) -> int:
    """How many points a transform has along its last axis where nobody says so."""
    size: int = input.shape[axis]
    return 2 * (size - 1) if transform in _HALVED else size


def _check_sizes(name: str, sizes: Sequence[int]) -> None:
    for size in sizes:
        if size < 1:
            raise RuntimeError(f"{name}: Invalid number of data points ({size}) specified")


def _along(name: str, transform: Transform, input: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    """A transform along one dimension."""
    axis = _axis(name, dim, tensor_argument(input, name).ndim)
    size = _extent(transform, input, axis) if n is None else index(n)
    _check_sizes(name, (size,))
    return transform(name, input, (axis,), (size,), _mode(norm))


def _over(name: str, transform: Transform, input: Tensor, s: Sizes, dim: Dims, norm: str | None) -> Tensor:
    """A transform over several dimensions: those of ``dim``, or the last ones where only sizes are given, or all."""
    rank = tensor_argument(input, name).ndim
    given = None if s is None else [index(size) for size in as_integers(s)]
    if dim is not None:
        axes = tuple(_axis(name, axis, rank) for axis in ([dim] if isinstance(dim, int) else dim))
        if len(set(axes)) != len(axes):
            raise RuntimeError(f"{name}: FFT dims must be unique")
        if given is not None and len(given) != len(axes):
            raise RuntimeError(f"{name}: When given, dim and shape arguments must have the same length")
    else:
        count = rank if given is None else len(given)
        if count > rank:
            raise RuntimeError(f"{name}: Got shape with {count} values but input tensor only has {rank} dimensions.")
        axes = tuple(range(rank - count, rank))
    if transform in _NEED_AN_AXIS and not axes:
        raise RuntimeError(f"{name} must transform at least one axis")
    sizes = [input.shape[axis] for axis in axes] if given is None else given
    sizes = [input.shape[axis] if size == -1 else size for axis, size in zip(axes, sizes, strict=True)]
    if axes and (given is None or given[-1] == -1):
        sizes[-1] = _extent(transform, input, axes[-1])
    _check_sizes(name, sizes)
    return transform(name, input, axes, tuple(sizes), _mode(norm))


_ERRORS = """Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype{real}.
        IndexError: a dimension out of range.
    """


def _one_dimensional(name: str, transform: Transform, doc: str) -> Callable[..., Tensor]:
    def function(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
        return _along(name, transform, input, n, dim, norm)

    return _named(function, name, transform, doc, "along one dimension")


def _two_dimensional(name: str, transform: Transform, doc: str) -> Callable[..., Tensor]:
    def function(input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
        return _over(name, transform, input, s, dim, norm)

    return _named(function, name, transform, doc, "over two dimensions")


def _many_dimensional(name: str, transform: Transform, doc: str) -> Callable[..., Tensor]:
    def function(input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None) -> Tensor:
        return _over(name, transform, input, s, dim, norm)

    return _named(function, name, transform, doc, "over several dimensions, by default all")


def _named(function: Callable[..., Tensor], name: str, transform: Transform, doc: str, where: str) -> Any:
    function.__name__ = function.__qualname__ = name
    real = ", a complex input" if transform in (_of_real, _to_hermitian) else ""
    function.__doc__ = f"{doc}, {where}.\n\n    {_ERRORS.format(real=real)}"
    return accepts_out(numpy_keywords(function))


_FORMS = {"": _one_dimensional, "2": _two_dimensional, "n": _many_dimensional}
_FFT = "The discrete Fourier transform"
_IFFT = "The inverse of the discrete Fourier transform"
_RFFT = "The discrete Fourier transform of a real signal, without the frequencies that are conjugates of others"
_IRFFT = "The real signal of which these are the frequencies, as `rfft` gives them"
_HFFT = "The discrete Fourier transform of a signal with Hermitian symmetry, of which half is given: real frequencies"
_IHFFT = "The inverse transform of real frequencies, as half of a signal with Hermitian symmetry"

fft, fft2, fftn = (form(f"fft{end}", _forward, _FFT) for end, form in _FORMS.items())
ifft, ifft2, ifftn = (form(f"ifft{end}", _inverse, _IFFT) for end, form in _FORMS.items())
rfft, rfft2, rfftn = (form(f"rfft{end}", _of_real, _RFFT) for end, form in _FORMS.items())
irfft, irfft2, irfftn = (form(f"irfft{end}", _to_real, _IRFFT) for end, form in _FORMS.items())
hfft, hfft2, hfftn = (form(f"hfft{end}", _hermitian, _HFFT) for end, form in _FORMS.items())
ihfft, ihfft2, ihfftn = (form(f"ihfft{end}", _to_hermitian, _IHFFT) for end, form in _FORMS.items())


# Frequencies.


def _frequency_options(name: str, options: TensorOptions) -> Chosen:
    made = chosen(name, options)
    if not made.dtype.differentiable:
        raise RuntimeError(f"{name} requires a floating point or complex dtype, not {made.dtype.name}")
    return made


def _per_sample(n: int, d: float) -> float:
    return 1.0 / (n * d) if n * d else float("inf")


@creates_out
@takes_options(TensorOptions)
def fftfreq(n: int, d: float = 1.0, **options: Unpack[TensorOptions]) -> Tensor:
    """The frequencies of `fft` of ``n`` samples ``d`` apart: 0, 1, …, then the negative ones, over n·d.

    Raises:
        RuntimeError: a negative ``n``; not a floating dtype.
    """
    if n < 0:
        raise RuntimeError(f"fftfreq: trying to create a tensor with negative dimension {n}")
    made = _frequency_options("fftfreq", options)
    place = arange(n, dtype=made.dtype, device=made.device)
    wrapped = where(place < (n + 1) // 2, place, place - n)
    return made.finished(mul(wrapped, _per_sample(n, d)))


@creates_out
@takes_options(TensorOptions)
def rfftfreq(n: int, d: float = 1.0, **options: Unpack[TensorOptions]) -> Tensor:
    """The frequencies of `rfft` of ``n`` samples ``d`` apart: 0, 1, …, ⌊n/2⌋, over n·d.

    Raises:
        RuntimeError: a negative ``n``; not a floating dtype.
    """
    if n < 0:
        raise RuntimeError(f"rfftfreq: trying to create a tensor with negative dimension {n}")
    made = _frequency_options("rfftfreq", options)
    return made.finished(mul(arange(n // 2 + 1, dtype=made.dtype, device=made.device), _per_sample(n, d)))


def _shifted(name: str, input: Tensor, dim: Dims, inverse: bool) -> Tensor:
    rank = tensor_argument(input, name).ndim
    given = range(rank) if dim is None else [dim] if isinstance(dim, int) else dim
    axes = [normalize_axis(axis, rank, name) for axis in given]
    if not axes:
        raise RuntimeError(f"{name}: there is no dimension to shift")
    return roll(input, [(input.shape[axis] + inverse) // 2 for axis in axes], axes)


@numpy_keywords
def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The frequencies of `fft` in increasing order, 0 in the middle, along ``dim`` (by default all).

    Raises:
        IndexError: a dimension out of range.
        RuntimeError: a 0-dim tensor.
    """
    return _shifted("fftshift", input, dim, inverse=False)


@numpy_keywords
def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of `fftshift`.

    Raises:
        IndexError: a dimension out of range.
        RuntimeError: a 0-dim tensor.
    """
    return _shifted("ifftshift", input, dim, inverse=True)
