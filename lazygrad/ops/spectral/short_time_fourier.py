"""The Fourier transform of short overlapping pieces of a signal, and its inverse."""

from __future__ import annotations

from operator import index
from typing import NamedTuple

from lazygrad.ir.primitives import indexing, movement
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.precision import single_precision_on_cpu
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import ones
from lazygrad.ops.pointwise.arithmetic import mul
from lazygrad.ops.pointwise.complex_numbers import view_as_real
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.reductions.extrema import amin
from lazygrad.ops.shapes.padding import pad
from lazygrad.ops.shapes.parts import narrow
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.ops.shapes.reshaping import expand, squeeze, unsqueeze
from lazygrad.ops.spectral.fourier import fft, ifft, irfft, rfft
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

__all__ = ["istft", "stft"]

_LEAST_WEIGHT = 1e-11


class _Pieces(NamedTuple):
    """How a signal is cut: ``n_fft`` samples each, ``hop`` apart."""

    n_fft: int
    hop: int


def _window(name: str, window: Tensor | None, win_length: int, n_fft: int, input: Tensor) -> Tensor:
    """The window in the middle of ``n_fft`` samples.

    Raises:
        RuntimeError: lengths that do not fit.
    """
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{name}: expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is None:
        window = ones(win_length, dtype=input.dtype.to_real(), device=input.device)
    elif tuple(window.shape) != (win_length,):
        raise RuntimeError(f"{name}: expected a 1D window tensor of size equal to win_length={win_length}, but got "
                           f"window with size {list(window.shape)}")  # fmt: skip
    missing = n_fft - win_length
    return pad(window, (missing // 2, missing - missing // 2)) if missing else window


@method()
@single_precision_on_cpu
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transform of overlapping windowed pieces.

    Args:
        input: (length,) or (batch, length), floating or complex.
        n_fft: samples per piece.
        hop_length: from one piece to the next; by default ``n_fft // 4``.
        win_length: how many samples the window covers, in the middle of a piece; by default all.
        window: (win_length,); by default ones.
        center: the signal is padded, so that the pieces are centered at the multiples of ``hop_length``.
        pad_mode: how, as in `nn.functional.pad`.
        normalized: divide by √n_fft.
        onesided: leave out the frequencies that are conjugates of others; default unless something is complex.
        return_complex: False, for real inputs only, gives pairs of real numbers along a last dimension.
        align_to_window: not supported.

    Returns:
        (frequencies, pieces) or (batch, frequencies, pieces).

    Raises:
        RuntimeError: sizes that do not fit; a real input without ``return_complex``; ``onesided`` of complex input.
        NotImplementedError: an unknown ``pad_mode``; ``align_to_window``.
    """
    is_complex = tensor_argument(input, "stft").dtype.is_complex or (window is not None and window.dtype.is_complex)
    if return_complex is None:
        if not is_complex:
            raise RuntimeError("stft requires the return_complex parameter be given for real inputs")
        return_complex = True
    if align_to_window:
        raise NotImplementedError("stft: align_to_window is not supported; pad the signal, and pass center=False")
    if not input.dtype.differentiable:
        raise RuntimeError(f"stft: expected a tensor of floating point or complex values, not {input.dtype.name}")
    if input.ndim not in (1, 2):
        raise RuntimeError(f"stft: expected a 1D or 2D tensor, but got {input.ndim}D")
    n_fft = index(n_fft)
    pieces = _Pieces(n_fft, n_fft // 4 if hop_length is None else index(hop_length))
    signal = input if input.ndim == 2 else unsqueeze(input, 0)
    if center:
        signal = squeeze(pad(unsqueeze(signal, 0), (n_fft // 2, n_fft // 2), mode=pad_mode), 0)
    _check_pieces(pieces, signal.shape[-1])
    weights = _window("stft", window, n_fft if win_length is None else win_length, n_fft, input)
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    cut = mul(signal.moved(movement.windows, ((n_fft,), (pieces.hop,), (1,))), weights)
    transform = fft if is_complex or onesided is False else rfft
    spectrum = transpose(transform(cut, norm="ortho" if normalized else "backward"), 1, 2)
    if input.ndim == 1:
        spectrum = squeeze(spectrum, 0)
    return spectrum if return_complex else view_as_real(spectrum)


def _check_pieces(pieces: _Pieces, length: int) -> None:
    if not 0 < pieces.n_fft <= length:
        raise RuntimeError(f"stft: expected 0 < n_fft <= {length}, the length of the signal, but got {pieces.n_fft}")
    if pieces.hop <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={pieces.hop}")


@method()
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose `stft` is nearest to ``input``: overlapping pieces are added up, and divided by their weights.

    Source: Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984.

    Args:
        input: complex, (frequencies, pieces) or (batch, frequencies, pieces).
        n_fft, hop_length, win_length, window, center, normalized, onesided: as they were given to `stft`.
        length: of the signal, which is cut off or filled up with zeros.
        return_complex: whether the signal is complex.

    Returns:
        (length,) or (batch, length).

    Raises:
        RuntimeError: not complex; sizes that do not fit; a sample that no window covers.
    """
    if not tensor_argument(input, "istft").dtype.is_complex:
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with "
                           "return_complex=True.")  # fmt: skip
    rank = input.ndim
    if rank not in (2, 3):
        raise (IndexError if rank < 2 else RuntimeError)(f"istft: expected a tensor with 2 or 3 dimensions, got {rank}")
    if 0 in input.shape:
        raise RuntimeError("istft: input tensor cannot be empty.")
    spectrum = transpose(input if rank == 3 else unsqueeze(input, 0), 1, 2)
    pieces = _Pieces(n_fft, n_fft // 4 if hop_length is None else hop_length)
    covered = n_fft if win_length is None else win_length
    onesided = spectrum.shape[-1] != n_fft if onesided is None else onesided
    _check_spectrum(pieces, spectrum.shape[-1], covered, onesided)
    weights = _window("istft", window, covered, n_fft, input)
    if return_complex and onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    if weights.dtype.is_complex and not return_complex:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    cut = mul(_samples(spectrum, n_fft, "ortho" if normalized else "backward", return_complex), weights)
    envelope = expand(mul(weights, weights), (1, *cut.shape[1:]))
    signal = _between(_added_up(cut, pieces), _added_up(envelope, pieces), pieces, center, length)
    return signal if rank == 3 else squeeze(signal, 0)


def _check_spectrum(pieces: _Pieces, frequencies: int, covered: int, onesided: bool) -> None:
    expected = pieces.n_fft // 2 + 1 if onesided else pieces.n_fft
    if frequencies != expected:
        raise RuntimeError(f"istft: expected the frequency dimension of the input tensor to be {expected} for n_fft="
                           f"{pieces.n_fft} and onesided={onesided}, but got {frequencies}")  # fmt: skip
    if not 0 < pieces.hop <= covered:
        raise RuntimeError(f"istft: expected 0 < hop_length <= win_length, but got {pieces.hop} and {covered}")


def _samples(spectrum: Tensor, n_fft: int, norm: str, is_complex: bool) -> Tensor:
    """The pieces in time, before they are windowed again."""
    if is_complex:
        return ifft(spectrum, norm=norm)
    return irfft(narrow(spectrum, -1, 0, n_fft // 2 + 1), n=n_fft, norm=norm)


def _added_up(cut: Tensor, pieces: _Pieces) -> Tensor:
    """Pieces of shape (batch, pieces, n_fft) added up where they belong: (batch, length)."""
    shape = (cut.shape[0], pieces.n_fft + pieces.hop * (cut.shape[1] - 1))
    return record(indexing.windows_adjoint, (cut.node(),), (shape, (pieces.n_fft,), (pieces.hop,), (1,)))


def _between(signal: Tensor, envelope: Tensor, pieces: _Pieces, center: bool, length: int | None) -> Tensor:
    """The signal without its padding, each sample divided by the sum of the weights that made it."""
    total = signal.shape[1]
    start = pieces.n_fft // 2 if center else 0
    end = start + length if length is not None else total - start
    kept = max(min(end, total) - start, 0)
    signal, envelope = narrow(signal, 1, start, kept), narrow(envelope, 1, start, kept)
    if kept and not float(amin(envelope.detach().abs()).array()) > _LEAST_WEIGHT:
        raise RuntimeError("istft: window overlap add min: there is a sample that no window covers")
    signal = div(signal, envelope)
    if end > total:
        warn_user("The length of signal is shorter than the length parameter. Result is being padded with zeros in "
                      "the tail. Please check your center and hop_length settings.")  # fmt: skip
        signal = pad(signal, (0, end - total))
    return signal
