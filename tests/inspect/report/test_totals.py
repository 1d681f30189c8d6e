"""What a report counts is what happens: its source is run with counters in the places of kernels and calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.inspect.report.model import Program

from .programs import MODELS

_CALLS = "lazygrad.host.calls"
_DTYPES = {"f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}


def array_of(program: Program, node: int) -> np.ndarray:
    match = re.fullmatch(r"(\w+)\[([\d,]*)\]", program.primitive[node].type)
    assert match is not None
    shape = tuple(int(size) for size in match[2].split(",") if size)
    return np.zeros(shape, _DTYPES[match[1]])


class Counter:
    """Runs the numpy source of a program, and counts calls and the bytes of the arrays that they are given."""

    def __init__(self, program: Program) -> None:
        self.program, self.calls, self.bytes = program, 0, 0
        (source,) = (source for source in program.sources if source.target == "numpy")
        names: dict[str, Any] = {}
        exec(source.text, names)
        by_slot = sorted(program.buffers, key=lambda buffer: buffer.slot)
        inputs, outputs, arena = (
            [array_of(program, buffer.node) for buffer in by_slot if buffer.place == place]
            for place in ("input", "output", "arena")
        )
        run = names["run"]
        own = {name for name, value in names.items() if getattr(value, "__globals__", None) is names}
        library = {name for name, value in names.items() if str(getattr(value, "__module__", "")).startswith(_CALLS)}
        for name in (own | library).intersection(run.__code__.co_names):
            names[name] = self._counting(names[name])
        with np.errstate(all="ignore"):
            run(inputs, outputs, arena, [0.5] * 64)

    def _counting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            arrays = [array for array in args if isinstance(array, np.ndarray)]
            self.bytes += sum({id(owner): owner.nbytes for owner in map(_owner, arrays)}.values())
            return function(*args, **kwargs)

        return counted


def _owner(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


@pytest.mark.parametrize("name", ["regression", "classifier", "convolution"])
def test_calls_and_bytes_are_those_that_happen(name: str) -> None:
    (program,) = lg.explain(MODELS[name]()).programs
    counter = Counter(program)
    totals = program.totals
    assert counter.calls == totals.kernels + totals.library_calls == len(program.steps)
    assert counter.bytes == totals.bytes_moved == sum(step.bytes for step in program.steps)


@pytest.mark.parametrize("name", MODELS)
def test_memory_is_that_of_the_arrays(name: str) -> None:
    (program,) = lg.explain(MODELS[name]()).programs
    held = {place: [b for b in program.buffers if b.place == place] for place in ("input", "output", "arena")}
    for buffers in held.values():
        assert [array_of(program, b.node).nbytes for b in buffers] == [b.bytes for b in buffers]
    extent = max((b.offset + b.bytes for b in held["arena"]), default=0)
    assert extent <= program.totals.arena_bytes < extent + 64 or not held["arena"]
    outside = sum(b.bytes for b in (*held["input"], *held["output"]))
    assert program.totals.peak_bytes == outside + program.totals.arena_bytes
    for step in range(len(program.steps)):
        alive = sorted([b for b in held["arena"] if b.first <= step <= b.last], key=lambda b: (b.offset, b.bytes))
        for low, high in pairwise(alive):
            overwrites = step in (low.first, high.first)  # it may take the place of what the step reads
            assert low.offset + low.bytes <= high.offset or overwrites
