"""Library calls that a compiled library takes over from numpy, while the program that makes them is not compiled yet.

A program's own code may be seconds away when the library is there already, which serves all programs. Whoever runs one
says whether the library may be used; by default it is not, so what shows what numpy computes shows that.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

TAKEN_OVER = frozenset(
    [
        *("conv", "conv_input_grad", "conv_weight_grad", "recur", "recur_gradients", "attend", "attend_gradients"),
        *("put", "scatter"),
    ]
)
"""Names of ops; matrix products are not among them, since numpy has BLAS."""

_LEAST_ELEMENTS = 1 << 12  # of all operands; to describe them in C takes as long as numpy needs for fewer
_SECONDS_OF_LOADING = 0.025  # until numpy's calls have taken as long, nobody looks for the library

CompiledCall = Callable[[np.ndarray, Sequence[Any], Mapping[str, Any]], bool]
"""Called with the result's array, the operands, arrays or numbers of its dtype, and the op's attributes; False if it
has not computed the result."""


class _Thread(threading.local):
    may_be_used = False


class _Library:
    find: Callable[[str], CompiledCall | None] | None = None
    seconds_without = 0.0


_thread = _Thread()


def provide_compiled_calls(find: Callable[[str], CompiledCall | None]) -> None:
    """Say what finds a compiled call by an op's name: None while there is no library. It does not build one."""
    _Library.find = find


class compiled_calls_may_be_used:
    """Within this context, calls of numpy that this thread makes may be taken over."""

    def __enter__(self) -> None:
        self._before, _thread.may_be_used = _thread.may_be_used, True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _thread.may_be_used = self._before


def taken_over(name: str, function: Callable[..., None]) -> Callable[..., None]:
    """``function(out, *operands, **attributes)``, which computes an op in numpy, or its compiled call in its place."""
    if name not in TAKEN_OVER:
        return function

    def call(out: np.ndarray, *operands: Any, **attributes: Any) -> None:
        if not _thread.may_be_used or out.size + sum([*map(np.size, operands)]) < _LEAST_ELEMENTS:
            function(out, *operands, **attributes)
            return
        compiled = _compiled_call(name)
        if compiled is None or not compiled(out, operands, attributes):
            start = time.perf_counter()
            function(out, *operands, **attributes)
            _Library.seconds_without += time.perf_counter() - start

    return call


def _compiled_call(name: str) -> CompiledCall | None:
    if _Library.find is None or _Library.seconds_without < _SECONDS_OF_LOADING:
        return None
    return _Library.find(name)
