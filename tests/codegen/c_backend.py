"""Running plans as compiled C, and as nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from lazygrad.runtime import c_code
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.c_build import build
from lazygrad.runtime.numpy_code import NumpyCode
from lazygrad.runtime.threads import get_num_threads, set_num_threads

# `omp simd` loops become vector code at this level too, in half the time.
QUICKLY = ("-O1",)


@contextmanager
def running_c(*, threads: int | None = None, flags: tuple[str, ...] = ()) -> Iterator[None]:
    """What this thread realizes waits for the compiler and runs as C; a plan that would run on numpy fails instead.

    Args:
        threads: how many a plan may use; default as many as before.
        flags: for the compiler, after the ones plans are compiled with.
    """
    before = get_num_threads()
    set_num_threads(threads or before)
    try:
        with pytest.MonkeyPatch.context() as patch, backend("c"):
            patch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "1")
            patch.setattr(c_code, "build", partial(build, extra_flags=flags))
            patch.setattr(NumpyCode, "run", _refuse)
            yield
    finally:
        set_num_threads(before)


def _refuse(*arguments: object) -> None:
    raise AssertionError("a plan ran on numpy: it could not be compiled, or its C code refused an operand")
