"""Drives every call of the C library, compiled with sanitizers, with degenerate operands; for `test_degenerate`.

    LD_PRELOAD=libasan.so:libubsan.so python -m tests.targets.c.sanitized_calls COUNT SECONDS SEED [NAME…]

COUNT calls of each name are drawn, and more until SECONDS have passed, and compared with numpy. Every array lies at the
end of the memory it has.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Sequence
from random import Random

import numpy as np

from lazygrad.host.calls import calls
from tests.runtime.numpy_inputs import assert_close

from .calls import flattened
from .degenerate_calls import DRAWS, Call
from .library import OK, REFUSED, drive, load_library

FLAGS = (
    "-DSERIAL_ELEMENTS=0", "-DSERIAL_OPERATIONS=0", "-g", "-O0",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
)  # fmt: skip
THREADS = (1, 3)


def without_memory(x: np.ndarray) -> np.ndarray:
    """An empty array right behind a piece of memory: numpy would give it room for an element."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    address = libc.malloc(16) + 16
    return np.ndarray(x.shape, x.dtype, (ctypes.c_uint8 * 0).from_address(address))


def compare(call: Call) -> None:
    """One call on one thread and on several, against numpy."""
    inputs = tuple([without_memory(x) if x.size == 0 else x for x in call.inputs])
    expected = np.ones(call.shape, call.dtype)
    outcome = OK
    try:
        with np.errstate(all="ignore"):
            calls[call.name](expected, *call.inputs, **call.attrs)
    except (IndexError, RuntimeError):
        outcome = REFUSED
    for threads in THREADS:
        out = np.ones(call.shape, call.dtype) if not call.in_place else inputs[0].copy()
        out = without_memory(out) if out.size == 0 else out
        operands = (out, *inputs[1:]) if call.in_place else inputs
        numbers = flattened(call.name, call.attrs)
        assert drive(call.name, out, *operands, attributes=numbers, threads=threads, library=library()) == outcome
        if outcome == OK and call.defined:
            assert_close(out, expected, call.slack)


def library() -> ctypes.CDLL:
    return load_library(FLAGS)


def main(count: int, seconds: float, seed: int, names: Sequence[str]) -> None:
    start, number = time.perf_counter(), 0
    while number < count or time.perf_counter() - start < seconds:
        for name in names:
            call = DRAWS[name](Random(f"{seed} {number}"))
            try:
                compare(call)
            except Exception:
                print(f"{name}, number {number} of seed {seed}: {call}", file=sys.stderr)
                raise
        number += 1
    print(f"{number} calls of each of {', '.join(names)}, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] or list(DRAWS))
