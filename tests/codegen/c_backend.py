"""Running plans as compiled C, and as nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from lazygrad.host.threads import get_num_threads, set_num_threads
from lazygrad.runtime import plan as plan_module
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.realize import cache
from lazygrad.targets.c import code as c_code
from lazygrad.targets.c.build import build
from lazygrad.targets.numpy.code import NumpyCode

# `omp simd` loops become vector code at this level too, in half the time.
QUICKLY = ("-O1",)


# Few elements must do to reach loops that are meant for many.
_SMALL = {
    "TILE": 8,
    "_LONG_ROW": 16,
    "PREFETCH_BLOCK": 4,
    "_FURTHER_ON": 64,
    "_STREAM": 64,
    "_STREAMED": 256,
    "_STREAM_TILE": 16,
    "_REUSED_ELEMENTS": 256,
    "_FEW_UNITS": 4,
    "_SHORT_ROW": 4,
    "_CHUNK_WORK": 50,
    "SERIAL_WORK": 10,
    "_SHARE_WORK": 10,
    "SERIAL_ELEMENTS": 10,
    "_SERIAL_PRODUCTS": 10,
}


@contextmanager
def small_loops() -> Iterator[None]:
    """Plan anew; small arrays already get every shape of loops, and are shared among threads."""
    modules = [module for name, module in sys.modules.items() if name.startswith("lazygrad.targets.c.")]
    cache.clear()
    with pytest.MonkeyPatch.context() as patch:
        for name, size in _SMALL.items():
            holders = [module for module in modules if hasattr(module, name)]
            assert holders, f"no module of the C target has {name} any more"
            for module in holders:
                patch.setattr(module, name, size)
        yield
    cache.clear()


@contextmanager
def running_c(*, threads: int | None = None, flags: tuple[str, ...] = ()) -> Iterator[None]:
    """What this thread realizes waits for the compiler and runs as C; a plan that would run on numpy fails instead.

    Args:
        threads: how many a plan may use; default as many as before.
        flags: for the compiler, after the ones plans are compiled with.
    """
    failures: list[str] = []

    def refuse(*arguments: object) -> None:
        raise AssertionError(f"a plan ran on numpy: {failures or 'its C code refused an operand'}")

    def with_flags(source: str, name: str, extra: Sequence[str], meanwhile: Callable[[], object]) -> Path:
        return build(source, name, (*flags, *extra), meanwhile)

    before = get_num_threads()
    set_num_threads(threads or before)
    try:
        with pytest.MonkeyPatch.context() as patch, backend("c"):
            patch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "1")
            patch.setattr(c_code, "build", with_flags)
            patch.setattr(plan_module, "warn_once", lambda key, reason: failures.append(reason))
            patch.setattr(NumpyCode, "run", refuse)
            yield
    finally:
        set_num_threads(before)
