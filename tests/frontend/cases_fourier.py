"""Discrete Fourier transforms, spectra of short pieces, and window functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, ErrorCase
from tests.oracle.recipes import COMPLEX, Array, complexes, floats, integers

_REAL, _COMPLEX = floats(4, 5), complexes(4, 5)
_CUBE, _COMPLEX_CUBE = floats(3, 4, 5), complexes(3, 4, 5)

_OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {"n": 3}, {"n": 8}, {"dim": 0}, {"n": 6, "dim": -2}, {"n": 1}),
    *({"norm": "ortho"}, {"norm": "forward"}, {"norm": "backward"}, {"n": 7, "norm": "ortho", "dim": 1}),
)
_MANY_OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {"s": (3, 6)}, {"dim": (0, 1)}, {"dim": (2, 0)}, {"s": (2, 4), "dim": (-1, 0)}, {"norm": "ortho"}),
    *({"norm": "forward"}, {"s": (-1, 3), "dim": (0, 1)}, {"s": (3, -1), "dim": (0, 1)}),
)


def _cases(name: str, x: Array, options: dict[str, Any], floating: str) -> Case:
    text = ", ".join(f"{key}={value!r}" for key, value in options.items())
    return Case(
        f"fft.{name}({x.label}, {text}) {floating}",
        lambda t, tensor: getattr(t.fft, name)(tensor, **options),
        (x,),
        floating=floating,
        slack=16,
    )


def _transforms(names: str, x: Array, options: tuple[dict[str, Any], ...], floats: tuple[str, ...]) -> list[Case]:
    return [_cases(name, x, option, dtype) for name in names.split() for option in options for dtype in floats]


_WIDE = ("float32", "float64")


def _case(name: str, function: Callable[..., Any], *inputs: Array, floating: str = "float64") -> Case:
    return Case(f"spectral {name}", function, inputs, floating=floating, slack=32)


def _roundtrips(t: Any, x: Any) -> Any:
    pairs = (("fft", "ifft"), ("rfft", "irfft"), ("ihfft", "hfft"))
    return [getattr(t.fft, back)(getattr(t.fft, there)(x, dim=0), n=4, dim=0) for there, back in pairs]


def _second_order(t: Any, x: Any) -> Any:
    """Gradients of gradients, as values."""
    loss = (t.fft.rfftn(x).abs() ** 3).sum() + (t.fft.irfft(t.fft.fft(x) ** 2) ** 3).sum()
    (first,) = t.autograd.grad(loss, x, create_graph=True)
    (second,) = t.autograd.grad((first**2).sum(), x)
    return first.detach(), second


def _frequencies(t: Any) -> Any:
    return [
        *(t.fft.fftfreq(n, d) for n in (1, 2, 5, 8) for d in (1.0, 0.25)),
        *(t.fft.rfftfreq(n, d) for n in (1, 2, 5, 8) for d in (1.0, 0.25)),
        t.fft.fftfreq(0),
        t.fft.fftfreq(6, dtype=t.float64),
        t.fft.rfftfreq(6, dtype=t.float16),
        t.fft.fftfreq(3, requires_grad=True),
        t.fft.fftfreq(3, out=t.empty(3, dtype=t.float64)),
    ]


def _shifts(t: Any, x: Any) -> Any:
    dims = (None, 0, -1, (0, 1))
    return [shift(x, dim) for shift in (t.fft.fftshift, t.fft.ifftshift) for dim in dims]


def _into_out(t: Any) -> Any:
    x = t.arange(6.0)
    out = t.empty(0, dtype=t.complex64)
    result = t.fft.fft(x, out=out)
    return result is out, out, t.fft.irfft(out, out=t.empty(10))


def _window_functions(t: Any) -> Any:
    names = ("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window")
    plain = [getattr(t, name)(n, *flag) for name in names for n in (0, 1, 2, 5, 8) for flag in ((), (True,), (False,))]
    wide = [getattr(t, name)(6, dtype=t.float64) for name in names]
    special = [t.hamming_window(5, True, 0.5), t.hamming_window(5, False, 0.6, 0.4), t.kaiser_window(7, False, 3.0)]
    return *plain, *wide, *special, t.hann_window(4, requires_grad=True).requires_grad


def _signal_windows(t: Any) -> Any:
    w = t.signal.windows
    named = "bartlett blackman cosine exponential gaussian general_hamming hamming hann kaiser nuttall".split()
    sizes = [(size, symmetric) for size in (0, 1, 6, 7) for symmetric in (True, False)]
    plain = [getattr(w, name)(size, sym=symmetric, dtype=t.float64) for name in named for size, symmetric in sizes]
    special = [
        w.exponential(7, center=2.0, sym=False, tau=2.0),
        w.gaussian(7, std=2.0),
        w.general_cosine(7, a=[0.3, 0.5, 0.2]),
        w.general_hamming(7, alpha=0.7),
        w.kaiser(9, beta=40.0),
    ]
    return plain, special


_STFT_OPTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "window": {"window": "hann"},
    "sizes": {"hop_length": 3, "win_length": 10},
    "odd window": {"hop_length": 5, "win_length": 9, "window": "hann"},
    "normalized": {"normalized": True},
    "two sides": {"onesided": False},
    "not centered": {"center": False},
    "constant": {"pad_mode": "constant"},
    "replicate": {"pad_mode": "replicate"},
    "circular": {"pad_mode": "circular"},
}


def _with_window(t: Any, options: dict[str, Any], n_fft: int, dtype: Any) -> dict[str, Any]:
    if options.get("window") != "hann":
        return options
    return options | {"window": t.hann_window(options.get("win_length", n_fft), dtype=dtype)}


def _stft(options: dict[str, Any], **more: Any) -> Callable[..., Any]:
    return lambda t, x: t.stft(x, 12, **_with_window(t, options, 12, t.float64), **more)


def _istft(options: dict[str, Any], **more: Any) -> Callable[..., Any]:
    def function(t: Any, x: Any) -> Any:
        given = _with_window(t, options, 12, t.float64)
        back = {key: value for key, value in given.items() if key != "pad_mode"}
        return t.istft(t.stft(x, 12, return_complex=True, **given), 12, **back, **more)

    return function


CASES = [
    *_transforms("fft ifft rfft irfft hfft ihfft", _REAL, _OPTIONS, _WIDE),
    *_transforms("fft ifft irfft hfft", _COMPLEX, _OPTIONS, COMPLEX),
    *_transforms("fft2 ifft2 rfft2 irfft2 hfft2 ihfft2", _CUBE, _MANY_OPTIONS, _WIDE),
    *_transforms("fftn ifftn rfftn irfftn hfftn ihfftn", _CUBE, _MANY_OPTIONS, _WIDE),
    *_transforms("fft2 ifft2 irfft2 hfft2 fftn ifftn irfftn hfftn", _COMPLEX_CUBE, _MANY_OPTIONS, COMPLEX),
    *_transforms("fftn ifftn rfftn irfftn", _REAL, ({"s": 3}, {"dim": 0}, {"s": (4,)}), ("float32",)),
    *_transforms("fft ifft rfft irfft", integers(6), ({}, {"n": 4}), ("float32",)),
    _case("a number", lambda t, x: [t.fft.fftn(x), t.fft.ifftn(x)], floats()),
    _case("no axes", lambda t, x: t.fft.fftn(x, dim=()), _REAL),
    _case("bools", lambda t: t.fft.rfft(t.tensor([True, False, True]))),
    _case("strided", lambda t, x: [t.fft.fft(x.T), t.fft.rfft(x[:, ::2]), t.fft.irfft(x.T)], _REAL),
    _case("flipped", lambda t, x: t.fft.fft(x.flip(0)), _REAL),
    _case("conjugates and parts", lambda t, z: [t.fft.fft(z.conj()), t.fft.rfft(z.imag), t.fft.ifft(z).real], _COMPLEX,
          floating="complex128"),
    _case("there and back", _roundtrips, _REAL),
    Case("spectral second order", _second_order, (floats(3, 4),), gradient=False, floating="float64", slack=1e3),
    Case("fftfreq and rfftfreq", _frequencies),
    _case("shifts", _shifts, _REAL),
    _case("shifts of integers", _shifts, integers(3, 4)),
    Case("fft into out", _into_out),
    Case("window functions", _window_functions, slack=4),
    Case("signal.windows", _signal_windows, slack=4),
    *(_case(f"stft {name}", _stft(o, return_complex=True), floats(2, 40)) for name, o in _STFT_OPTIONS.items()),
    *(
        _case(f"istft {name}", _istft(o), floats(2, 40))
        for name, o in _STFT_OPTIONS.items()
        if name != "odd window"
    ),
    _case("stft of a vector", _stft({}, return_complex=True), floats(30)),
    _case("stft as pairs", _stft({}, return_complex=False), floats(2, 30)),
    _case("stft of complex", _stft({}), complexes(2, 30), floating="complex128"),
    _case("stft with a complex window", lambda t, x, w: t.stft(x, 12, window=w), floats(30),
          complexes(12, dtype="complex128")),
    _case("stft as a method", lambda t, x: x.stft(8, return_complex=True).istft(8), floats(30)),
    _case("gradient of the window", lambda t, x, w: t.istft(t.stft(x, 8, window=w, return_complex=True), 8, window=w),
          floats(30), floats(8, low=0.5)),
    _case("istft length", _istft({}, length=30), floats(2, 40)),
    _case("istft longer", _istft({}, length=60), floats(2, 40)),
    _case("istft of complex", _istft({"onesided": False}, return_complex=True), floats(2, 40)),
]  # fmt: skip

_X = floats(4, 5, requires_grad=False)
_Z = complexes(4, 5, dtype="complex64", requires_grad=False)
_LINE = floats(2, 40, requires_grad=False)
_SPECTRUM = complexes(2, 7, 10, dtype="complex64", requires_grad=False)


def _fails(text: str, *inputs: Array) -> ErrorCase:
    """A call in terms of t, the inputs a, b, … and t.fft as f."""
    names = "abc"[: len(inputs)]

    def function(t: Any, *tensors: Any) -> Any:
        return eval(text, {"t": t, "f": t.fft, "W": t.signal.windows, **dict(zip(names, tensors, strict=True))})

    return ErrorCase(text, function, inputs)


ERRORS = [
    *(_fails(f"f.{name}(a, n=0)", _X) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
    *(_fails(f"f.{name}(a, dim=2)", _X) for name in ("fft", "rfft", "irfft")),
    *(_fails(f"f.{name}(a, norm='both')", _X) for name in ("fft", "rfft", "irfftn", "hfft", "ihfft2")),
    *(_fails(f"f.{name}(a)", _Z) for name in ("rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn")),
    *(_fails(f"f.{name}(t.tensor(1.0))") for name in ("fft", "rfft", "irfft", "rfftn", "irfftn", "fftshift")),
    *(_fails(f"f.{name}(t.ones(2, 0))") for name in ("fft", "rfft", "irfft", "fftn", "rfftn")),
    *(_fails(f"f.fft(t.ones(4, dtype=t.{dtype}))") for dtype in ("float16", "bfloat16")),
    _fails("f.fft(a, n=-1)", _X),
    _fails("f.fft(1.0)"),
    _fails("f.fft([1.0, 2.0])"),
    _fails("f.irfft(t.ones(1))"),
    _fails("f.fft2(a[0])", _X),
    _fails("f.fft2(a, s=(2,))", _X),
    _fails("f.fftn(a, s=(3,), dim=(0, 1))", _X),
    _fails("f.fftn(a, dim=(0, 0))", _X),
    _fails("f.fftn(a, dim=(0, 2))", _X),
    _fails("f.fftn(a, s=(2, 3, 4))", _X),
    _fails("f.fftn(a, s=(0, 2))", _X),
    _fails("f.rfftn(a, dim=())", _X),
    _fails("f.irfftn(a, dim=())", _X),
    _fails("f.fft(a, out=t.empty(0))", _X),
    _fails("f.fftfreq(-1)"),
    _fails("f.fftfreq(4, dtype=t.int64)"),
    _fails("f.fftfreq(4, dtype=t.complex64)"),
    _fails("f.fftshift(a, dim=2)", _X),
    _fails("t.stft(a, 16)", _LINE),
    _fails("t.stft(a, 0, return_complex=True)", _LINE),
    _fails("t.stft(a, 41, center=False, return_complex=True)", _LINE),
    _fails("t.stft(a, 16, 0, return_complex=True)", _LINE),
    _fails("t.stft(a, 16, win_length=17, return_complex=True)", _LINE),
    _fails("t.stft(a, 16, window=t.ones(10), return_complex=True)", _LINE),
    _fails("t.stft(a, 16, window=t.ones(1, 16), return_complex=True)", _LINE),
    _fails("t.stft(a[None], 16, return_complex=True)", _LINE),
    _fails("t.stft(a.int(), 16, return_complex=True)", _LINE),
    _fails("t.stft(a + 0j, 16, onesided=True, return_complex=True)", _LINE),
    _fails("t.stft(a, 16, pad_mode='bad', return_complex=True)", _LINE),
    _fails("t.stft(a[:, :5], 16, return_complex=True)", _LINE),
    _fails("t.istft(a.real, 12)", _SPECTRUM),
    _fails("t.istft(a[0, 0], 12)", _SPECTRUM),
    _fails("t.istft(a, 16)", _SPECTRUM),
    _fails("t.istft(a, 12, 0)", _SPECTRUM),
    _fails("t.istft(a, 12, 20)", _SPECTRUM),
    _fails("t.istft(a, 12, 3, 13)", _SPECTRUM),
    _fails("t.istft(a, 12, window=t.ones(10))", _SPECTRUM),
    _fails("t.istft(a, 12, window=t.zeros(12))", _SPECTRUM),
    _fails("t.istft(a, 12, return_complex=True)", _SPECTRUM),
    _fails("t.istft(a, 12, onesided=False)", _SPECTRUM),
    _fails("t.istft(a[:, :, :0], 12)", _SPECTRUM),
    _fails("t.istft(a, 12, window=t.ones(12) + 0j)", _SPECTRUM),
    _fails("t.hann_window(-1)"),
    _fails("t.hann_window(2.5)"),
    _fails("t.hann_window(4, dtype=t.int64)"),
    _fails("t.kaiser_window(-1)"),
    _fails("W.hann(-1)"),
    _fails("W.hann(4, dtype=t.int64)"),
    _fails("W.gaussian(4, std=0)"),
    _fails("W.exponential(4, tau=0)"),
    _fails("W.exponential(4, center=1.0)"),
    _fails("W.kaiser(4, beta=-1)"),
    _fails("W.general_cosine(4, a=[])"),
    _fails("W.general_cosine(4, a=2)"),
]
