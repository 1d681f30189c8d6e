"""Complex functions and Fourier transforms under `vmap`, `grad`, `jvp` and `vjp`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case

from .numbers import floats

_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "product with the conjugate": lambda t, z: t.exp(z) * z.conj(),
    "real part": lambda t, z: z.real * 2,
    "imaginary part": lambda t, z: z.imag,
    "magnitude": lambda t, z: z.abs(),
    "pairs": lambda t, z: t.view_as_real(z),
    "pairs and back": lambda t, z: t.view_as_complex(t.view_as_real(z) * 2),
    "made of parts": lambda t, z: t.complex(z.real, z.imag * 2),
    "matrix product": lambda t, z: z @ z.mH,
    "fft": lambda t, z: t.fft.fft(z, dim=0),
    "fftn": lambda t, z: t.fft.fftn(z),
    "rfft": lambda t, z: t.fft.rfft(z.real, n=5),
    "irfft": lambda t, z: t.fft.irfft(z, n=5),
    "stft": lambda t, z: t.stft(z.real.flatten(), 4, return_complex=True),
}


def _transformed(function: Callable[[Any, Any], Any]) -> Callable[[Any], list[Any]]:
    def scenario(t: Any) -> list[Any]:
        f = t.func
        z = t.complex(floats(t, 2, 3, 4), floats(t, 2, 3, 4, seed=1))
        direction = t.complex(floats(t, 2, 3, 4, seed=2), floats(t, 2, 3, 4, seed=3))

        def of(x: Any) -> Any:
            return function(t, x)

        value, pull = f.vjp(of, z[0])
        return [
            f.vmap(of)(z),
            f.jvp(of, (z[0],), (direction[0],)),
            pull(value * 2),
            f.vmap(f.grad(lambda x: (of(x).abs() ** 2).sum()))(z),
        ]

    return scenario


CASES = [Case(f"complex {name}", _transformed(function), slack=16) for name, function in _FUNCTIONS.items()]
