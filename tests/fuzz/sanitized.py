"""Runs random programs as C that was compiled with sanitizers, and compares them with numpy; for `test_sanitized`.

    LD_PRELOAD=libasan.so:libubsan.so CC="gcc -fsanitize=…" python -m tests.fuzz.sanitized EXTENTS COUNT SECONDS SEED

The programs of `forms` are run for the first EXTENTS extents, then COUNT random ones, and more until SECONDS have
passed. Every array has exactly the memory it needs.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from random import Random

import pytest

import lazygrad as lg
from lazygrad.codegen.kernel import Kernel
from lazygrad.passes.fusion_legality import Span
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.realize import unfused
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.c import kernel as c_kernel
from lazygrad.targets.c.code import CCode
from lazygrad.targets.c.loops import LoopNest, LoopShape
from lazygrad.targets.c.module import CSource
from tests.codegen.c_backend import running_c, small_loops
from tests.fuzz.comparing import assert_numpy_agrees, assert_same
from tests.fuzz.forms import EXTENTS, results
from tests.fuzz.programs import OPERATIONS, Program, execute, values
from tests.targets.c.sanitized import PLAN_FLAGS, prepare

# What a kernel may be made of; every one of these occurs.
FORMS: dict[str, Callable[[Kernel, LoopNest], bool]] = {
    "of one element": lambda kernel, nest: nest.vector is None,
    "elementwise": lambda kernel, nest: not any(map(kernel.is_reduction, kernel.values)),
    "rows": lambda kernel, nest: nest.shape is LoopShape.ROWS and _has(kernel, Span.ROW),
    "lanes": lambda kernel, nest: nest.shape is LoopShape.LANES,
    "short rows": lambda kernel, nest: nest.shape is LoopShape.SHORT,
    "split rows": lambda kernel, nest: nest.shape is LoopShape.SPLIT,
    "columns": lambda kernel, nest: _has(kernel, Span.COLUMN),
    "chunks": lambda kernel, nest: nest.chunks > 1,
    "tiles": lambda kernel, nest: bool(nest.tiles),
    "turned loads": lambda kernel, nest: bool(nest.staged),
    "masked loads": lambda kernel, nest: any(load.inside for load in kernel.loads),
}
WORDS = {"streams": "stream_bytes(", "fetches": "lg_prefetch(", "kept rows": " kept", "library calls": "lg_cumsum("}


def _has(kernel: Kernel, span: Span) -> bool:
    return any(kernel.is_reduction(value) and kernel.span_of(value) is span for value in kernel.values)


@contextmanager
def counting_forms() -> Iterator[Counter[str]]:
    """How many kernels of each form are rendered, and how many plans with each of the words are compiled."""
    counts: Counter[str] = Counter()
    plan_loops, compile_plan = c_kernel.plan_loops, CCode.__init__

    def planned(kernel: Kernel) -> LoopNest:
        nest = plan_loops(kernel)
        counts.update(form for form, occurs in FORMS.items() if occurs(kernel, nest))
        return nest

    def compiled(code: CCode, source: CSource, program: LoweredProgram) -> None:
        counts.update(["plans", *(form for form, word in WORDS.items() if word in source.text)])
        compile_plan(code, source, program)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c_kernel, "plan_loops", planned)
        patch.setattr(CCode, "__init__", compiled)
        yield counts


def program_of(random: Random) -> Program:
    return [
        (random.randrange(len(OPERATIONS)), random.randrange(31), random.randrange(31), random.randrange(10))
        for _ in range(random.randrange(12, 30))
    ]


def run_forms(extent: tuple[int, int]) -> None:
    """Every form of kernel, for inputs of an extent."""
    with running_c(threads=2, flags=PLAN_FLAGS):
        actual = results(extent)
    with backend("numpy"):
        assert_same(actual, results(extent), "C")


def run_random(number: int, seed: int) -> None:
    """A random program, the same on every machine."""
    program, extent = program_of(Random(f"{seed} {number}")), EXTENTS[number % len(EXTENTS)]
    with unfused() if number % 5 == 4 else nullcontext(), running_c(threads=2, flags=PLAN_FLAGS):
        tensors = execute(program, extent=extent)
        lg.realize_all(tensors)
    assert_numpy_agrees(program, values(tensors), extent)


def main(extents: int, count: int, seconds: float, seed: int) -> None:
    prepare()
    start, number = time.perf_counter(), 0
    with counting_forms() as forms:
        for extent in EXTENTS[:extents]:
            with small_loops():
                run_forms(extent)
        print(f"forms, {time.perf_counter() - start:.1f} s", flush=True)
        while number < count or time.perf_counter() - start < seconds:
            try:
                with small_loops() if number % 4 else nullcontext():
                    run_random(number, seed)
            except Exception:
                print(f"program {number} of seed {seed}", file=sys.stderr)
                raise
            number += 1
    print(f"{number} programs, {time.perf_counter() - start:.1f} s")
    for form, times in sorted(forms.items()):
        print(f"{form}: {times}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
