"""Comparing the C library's calls with their numpy counterparts: any layout, any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import CDLL
from itertools import chain
from typing import Any

import numpy as np

from lazygrad.host.calls import calls
from tests.runtime.numpy_inputs import LAYOUTS, assert_close

from .library import OK, REFUSED, drive, load_library

Attributes = dict[str, Any]
Extent = tuple[int, ...]

REDUCE = ("set", "sum", "prod", "amax", "amin")
CELLS = ("lstm", "gru", "tanh", "relu")
MASKING = ("", "added", "shown", "hidden")
THREADS = (1, 2, 3)
FEWER_THREADS = (1, 3)
SERIAL_ELEMENTS = 1 << 14  # of arrays.h


def _convolution(a: Attributes) -> list[int]:
    return [len(a["stride"]), *a["stride"], *chain(*zip(*a["padding"], strict=True)), *a["dilation"], a["groups"]]


# The attributes of each op as C gets them.
FLATTEN: dict[str, Callable[[Attributes], list[int]]] = {
    "matmul": lambda a: [],
    "attend": lambda a: [a["is_causal"], MASKING.index(a["masking"]), a["nothing_is_zero"]],
    "attend_gradients": lambda a: [a["is_causal"], MASKING.index(a["masking"]), a["nothing_is_zero"]],
    "recur": lambda a: [CELLS.index(a["cell"]), a["is_reversed"]],
    "recur_gradients": lambda a: [CELLS.index(a["cell"]), a["is_reversed"]],
    "ctc": lambda a: [a["blank"]],
    "ctc_gradients": lambda a: [a["blank"]],
    "conv": _convolution,
    "conv_input_grad": _convolution,
    "conv_weight_grad": _convolution,
    "take": lambda a: [],
    "put": lambda a: [a["accumulate"]],
    "gather": lambda a: [a["axis"], a["wraps"]],
    "scatter": lambda a: [a["axis"], REDUCE.index(a["reduce"])],
    "concat": lambda a: [a["axis"]],
    "roll": lambda a: [a["axis"], a["backward"]],
    "update_view": lambda a: [len(a["shape"]), *a["shape"], *a["strides"], a["offset"]],
    "read_view": lambda a: [len(a["shape"]), *a["shape"], *a["strides"], a["offset"]],
    "iota": lambda a: [],
    "reinterpret": lambda a: [],
    "philox": lambda a: [],
    "pool_argmax": lambda a: [
        len(a["size"]), *a["size"], *a["stride"], *chain(*zip(*a["padding"], strict=True)), *a["dilation"]
    ],
    "windows_adjoint": lambda a: [len(a["size"]), *a["size"], *a["stride"], *a["dilation"]],
    "argmax": lambda a: [a["axis"]],
    "argmin": lambda a: [a["axis"]],
    "argsort": lambda a: [a["axis"], a["descending"]],
    "cumsum": lambda a: [a["axis"]],
    "cumprod": lambda a: [a["axis"]],
    "cummax_index": lambda a: [a["axis"]],
}  # fmt: skip


def every_call_on_all_threads() -> CDLL:
    """The library without the rule that small calls run on one thread."""
    return load_library(("-DSERIAL_ELEMENTS=0", "-O1"))


def flattened(name: str, attrs: Attributes) -> list[int]:
    """The attributes of a call as it takes them."""
    return [int(number) for number in FLATTEN[name](attrs)]


def _bits(array: np.ndarray) -> bytes:
    """The bytes of an array; which NaN a sum of NaNs is may depend on the processor's instructions."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array).astype(array.dtype)
    return array.tobytes()


def check(
    name: str,
    shape: Extent,
    dtype: Any,
    /,
    *inputs: np.ndarray,
    in_place: bool = False,
    slack: float = 2.0,
    **attrs: Any,
) -> None:
    """Compare C with numpy: as plans run it, and on all threads whatever the size."""
    expected = np.ones(shape, dtype)
    inputs = tuple(map(np.asarray, inputs))
    with np.errstate(all="ignore"):
        calls[name](expected, *inputs, **attrs)
    numbers = flattened(name, attrs)
    first: np.ndarray | None = None
    is_serial = expected.size + sum(x.size for x in inputs) < SERIAL_ELEMENTS
    for library, teams in (
        (load_library(), (2,) if is_serial else THREADS),
        (every_call_on_all_threads(), FEWER_THREADS),
    ):
        for threads in teams:
            out = inputs[0].copy() if in_place else np.ones(shape, dtype)
            arguments = (out, *inputs[1:]) if in_place else inputs
            outcome = drive(name, out, *arguments, attributes=numbers, threads=threads, library=library)
            assert outcome == OK
            first = out if first is None else first
            assert _bits(out) == _bits(first), "the number of threads changes the result"
    assert first is not None
    assert_close(first, expected, slack)


def refused(name: str, out: np.ndarray, *inputs: np.ndarray, **attrs: Any) -> bool:
    """Whether every number of threads refuses the inputs; ``out`` must not change when it is the first input."""
    before = out.copy()
    outcomes = set()
    numbers = flattened(name, attrs)
    for library in (load_library(), every_call_on_all_threads()):
        for threads in THREADS:
            outcomes.add(drive(name, out, *inputs, attributes=numbers, threads=threads, library=library))
            if inputs and inputs[0] is out:
                np.testing.assert_array_equal(out, before)
    assert len(outcomes) == 1
    return outcomes == {REFUSED}


def indices_into(size: int, shape: Extent, seed: int = 0) -> np.ndarray:
    """Positive and negative indices, with many duplicates."""
    return np.asarray(np.random.default_rng(seed).integers(-size, size, shape))


def places_in(size: int, shape: Extent) -> np.ndarray:
    """Indices that count from the front, with many duplicates."""
    return indices_into(size, shape) % max(size, 1)


def special(x: np.ndarray) -> np.ndarray:
    """``x`` with NaNs, infinities and zeros of both signs here and there, if it is of a float dtype."""
    if x.dtype.kind in "fV" and x.size:
        random = np.random.default_rng(9)
        chosen = random.random(x.shape) < 0.3
        x[chosen] = random.choice(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]), int(chosen.sum())).astype(x.dtype)
    return x


def repeated(x: np.ndarray, axis: int) -> np.ndarray:
    """One slice of ``x`` in place of all along an axis, with stride 0."""
    return np.broadcast_to(np.take(x, [0], axis), x.shape) if x.shape[axis] else x


def arrangements(x: np.ndarray) -> Iterator[np.ndarray]:
    """``x`` in every layout; then other values with stride 0 along the last axis."""
    for arrange in LAYOUTS.values():
        yield arrange(x)
    if x.ndim:
        yield repeated(x, x.ndim - 1)
