# Written by `python -m tests.typing.stubs` from the functions themselves.

"""Discrete Fourier transforms, with PyTorch's names."""

from lazygrad.ir.memory_format import Layout
from lazygrad.ops.arguments.kinds import DeviceLike, DTypeLike
from lazygrad.ops.spectral.fourier import Dims, Sizes
from lazygrad.tensor import Tensor as Tensor

# fmt: off
__all__ = [
    "Tensor", "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2",
    "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]
# fmt: on

def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform, along one dimension.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def fft2(
    input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform, over two dimensions.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The frequencies of `fft` of ``n`` samples ``d`` apart: 0, 1, …, then the negative ones, over n·d.

    Raises:
        RuntimeError: a negative ``n``; not a floating dtype.
    """

def fftn(
    input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform, over several dimensions, by default all.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The frequencies of `fft` in increasing order, 0 in the middle, along ``dim`` (by default all).

    Raises:
        IndexError: a dimension out of range.
        RuntimeError: a 0-dim tensor.
    """

def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform of a signal with Hermitian symmetry, of which half is given: real frequencies, along one dimension.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def hfft2(
    input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform of a signal with Hermitian symmetry, of which half is given: real frequencies, over two dimensions.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def hfftn(
    input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform of a signal with Hermitian symmetry, of which half is given: real frequencies, over several dimensions, by default all.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of the discrete Fourier transform, along one dimension.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def ifft2(
    input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of the discrete Fourier transform, over two dimensions.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def ifftn(
    input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of the discrete Fourier transform, over several dimensions, by default all.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of `fftshift`.

    Raises:
        IndexError: a dimension out of range.
        RuntimeError: a 0-dim tensor.
    """

def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse transform of real frequencies, as half of a signal with Hermitian symmetry, along one dimension.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype, a complex input.
        IndexError: a dimension out of range.
    """

def ihfft2(
    input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse transform of real frequencies, as half of a signal with Hermitian symmetry, over two dimensions.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype, a complex input.
        IndexError: a dimension out of range.
    """

def ihfftn(
    input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse transform of real frequencies, as half of a signal with Hermitian symmetry, over several dimensions, by default all.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype, a complex input.
        IndexError: a dimension out of range.
    """

def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The real signal of which these are the frequencies, as `rfft` gives them, along one dimension.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def irfft2(
    input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The real signal of which these are the frequencies, as `rfft` gives them, over two dimensions.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def irfftn(
    input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The real signal of which these are the frequencies, as `rfft` gives them, over several dimensions, by default all.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype.
        IndexError: a dimension out of range.
    """

def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform of a real signal, without the frequencies that are conjugates of others, along one dimension.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype, a complex input.
        IndexError: a dimension out of range.
    """

def rfft2(
    input: Tensor, s: Sizes = None, dim: Dims = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform of a real signal, without the frequencies that are conjugates of others, over two dimensions.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype, a complex input.
        IndexError: a dimension out of range.
    """

def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: DTypeLike | None = None,
    layout: Layout | None = None,
    device: DeviceLike | None = None,
    pin_memory: bool | None = False,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The frequencies of `rfft` of ``n`` samples ``d`` apart: 0, 1, …, ⌊n/2⌋, over n·d.

    Raises:
        RuntimeError: a negative ``n``; not a floating dtype.
    """

def rfftn(
    input: Tensor, s: Sizes = None, dim: Dims = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform of a real signal, without the frequencies that are conjugates of others, over several dimensions, by default all.

    Raises:
        RuntimeError: a size below 1, an unknown ``norm``, a 16-bit dtype, a complex input.
        IndexError: a dimension out of range.
    """
