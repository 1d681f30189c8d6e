"""The routines that CUDA's libraries compute through cupy, by the name of the primitive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazygrad.ir.errors import LinAlgError
from lazygrad.targets.cuda.cupy_routines.bindings import Bindings
from lazygrad.targets.cuda.cupy_routines.eigenvalues import eig, eigh, eigvals, eigvalsh, svd, svdvals
from lazygrad.targets.cuda.cupy_routines.factorizations import cholesky, geqrf, ldl, lu, qr
from lazygrad.targets.cuda.cupy_routines.made import Made
from lazygrad.targets.cuda.cupy_routines.sorting import argsort
from lazygrad.targets.cuda.cupy_routines.systems import lstsq, matrix_exp, triangular_solve
from lazygrad.targets.cuda.cupy_routines.transforms import fft_c2c, fft_c2r, fft_r2c
from lazygrad.targets.cuda.driver import LibraryCall

_ITERATIONS: tuple[Callable[..., Made], ...] = (svd, svdvals, eigh, eigvalsh, eig, eigvals)
_IMPLEMENTATIONS: tuple[Callable[..., Made], ...] = (
    *(fft_c2c, fft_r2c, fft_c2r, cholesky, lu, ldl, qr, geqrf, triangular_solve, lstsq, matrix_exp, argsort),
    *_ITERATIONS,
)
ROUTINES: dict[str, Callable[..., Made]] = {routine.__name__: routine for routine in _IMPLEMENTATIONS}


def compute(lib: Bindings, call: LibraryCall, operands: Sequence[Any], results: Sequence[Any], word: Any) -> None:
    """Compute a call on arrays of the device.

    Args:
        lib: cupy.
        call: what is computed.
        operands, results: arrays that lie over the call's memory.
        word: an i32 that becomes 1 where an operand is refused; None for a call that refuses none.

    Raises:
        LinAlgError: an iteration does not converge, and there is no ``word``.
    """
    if not any(result.size for result in results):
        return
    routine = ROUTINES[call.routine]
    try:
        with lib.errstate(linalg="raise" if routine in _ITERATIONS else "ignore"):
            made = routine(lib, *operands, **dict(call.options))
    except np.linalg.LinAlgError as error:
        if word is None:
            raise LinAlgError(f"linalg.{call.routine}: The algorithm failed to converge ({error})") from None
        word[...] = 1
        return
    for target, value in zip(results, made.results, strict=True):
        target[...] = value.reshape(target.shape)
    if word is not None:
        word[...] = made.refused
