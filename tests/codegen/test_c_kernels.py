"""Kernels rendered as C compute what numpy computes in double precision, whichever loops were chosen for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.codegen import c_kernel, c_loops
from lazygrad.codegen.c_kernel import CKernel
from lazygrad.codegen.c_loops import Shape
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.realize import cache
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import running_c
from tests.runtime.toolchains import needs_compiler

pytestmark = needs_compiler

Array = np.ndarray
Axes = tuple[int, ...]
Case = tuple[str, tuple[int, ...], Axes]
Program = Callable[[Tensor, Axes], list[Tensor]]


def centred(x: Tensor, axes: Axes) -> Tensor:
    return x - x.mean(axes, keepdim=True)


def along(x: Tensor, axes: Axes) -> Tensor:
    """An input with one element per row: read at once, so that it has memory of its own."""
    return x.detach().amin(axes, keepdim=True).realize()


def sliced(y: Tensor, axes: Axes) -> list[Tensor]:
    """Slices of a pending value: those of a computed one are copied at once."""
    return [y, y[..., ::2].exp(), y[1:].sum(axes), y[..., :-1].flip(0).sum(axes), y[..., 1::3].sum(-1)]


PROGRAMS: dict[str, Program] = {
    "chain": lambda x, axes: [lg.exp(x * 0.3) - x],
    "sum with prologue and epilogue": lambda x, axes: [lg.sqrt((x * x + 1).sum(axes)) * 2],
    "extremes": lambda x, axes: [lg.amax(x, axes), lg.amin(x * 2, axes)],
    "three passes": lambda x, axes: [lg.softmax(x, axes[0]), centred(lg.exp(centred(x, axes)), axes)],
    "stored between passes": lambda x, axes: [
        x.sum(axes, keepdim=True) * 0.5,
        centred(x, axes),
        lg.amax(centred(x, axes), axes),
    ],
    "column sums of rows": lambda x, axes: [centred(x, (x.dim() - 1,)).sum(0), centred(x, (x.dim() - 1,))],
    "column sums over the given axes": lambda x, axes: [(x * 0.5).sum(axes), lg.tanh(x)],
    "an operand per row": lambda x, axes: [x * lg.exp(along(x, axes)) + 1, (x + lg.exp(along(x, axes))).sum(axes)],
    "two sums of one input": lambda x, axes: [x.sum(axes), (x * x).sum(axes), x.prod(axes[0])],
    "mixed dtypes": lambda x, axes: [
        (x > 0).sum(axes),
        (x > 0).all(axes[0]),
        (x > 1).any(axes[0]),
        lg.where(x > 0, x, 0).double().sum(axes),
    ],
    "transposed": lambda x, axes: [x.transpose(0, -1) * 2 + 1, x.transpose(0, -1).sum(axes)],
    "transposed beside straight": lambda x, axes: [
        (x.unsqueeze(0) + x.transpose(0, -1).flatten()[: x.shape[-1]]).squeeze(0).sum(axes)
    ],
    "flipped": lambda x, axes: [x.flip(axes) + x, (x.flip(axes) * x).sum(axes)],
    "sliced": lambda x, axes: sliced(x.tanh(), axes),
    "expanded": lambda x, axes: [
        (x.unsqueeze(-1).expand(*x.shape, 3) + lg.arange(3)).sum(axes),
        (x.unsqueeze(0).expand(5, *x.shape) * 0.5).sum(0),
    ],
    "windows": lambda x, axes: [
        x.unfold(axes[0], min(3, x.shape[axes[0]]), 1).sum(-1),
        x.unfold(-1, min(2, x.shape[-1]), 2).amax(axes),
    ],
}
# Few elements must do to reach loops that are meant for many.
SMALL = {
    (c_loops, "TILE"): 8,
    (c_kernel, "TILE"): 8,
    (c_kernel, "_LONG_ROW"): 16,
    (c_loops, "_STREAM_TILE"): 16,
    (c_loops, "_REUSED_ELEMENTS"): 256,
    (c_loops, "_FEW_UNITS"): 4,
    (c_loops, "_SHORT_ROW"): 4,
    (c_loops, "_CHUNK_WORK"): 50,
    (c_kernel, "SERIAL_WORK"): 10,
    (c_kernel, "_SHARE_WORK"): 10,
}


@contextmanager
def small_loops() -> Iterator[None]:
    """Plan anew, and choose every shape of loops for small arrays already."""
    cache.clear()
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), size in SMALL.items():
            patch.setattr(module, name, size)
        yield
    cache.clear()


def array(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def axis_subsets(rank: int) -> list[Axes]:
    return [axes for count in range(1, rank + 1) for axes in combinations(range(rank), count)]


def compute(chosen: list[Case], dtype: type) -> list[list[Array]]:
    """All results of some programs, from one plan: compiling ten kernels at once takes as long as two by themselves."""
    results = [PROGRAMS[name](lg.tensor(array(shape).astype(dtype)), axes) for name, shape, axes in chosen]
    lg.realize_all([result for case in results for result in case])
    return [[result.numpy() for result in case] for case in results]


def assert_c_computes(chosen: list[Case], threads: int) -> None:
    with backend("numpy"):
        expected = compute(chosen, np.float64)
    with running_c(threads=threads):
        actual = compute(chosen, np.float32)
    for case, a, e in zip(chosen, actual, expected, strict=True):
        for number, (got, wanted) in enumerate(zip(a, e, strict=True)):
            np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=1e-3, err_msg=f"{case}, result {number}")


def kernels() -> list[CKernel]:
    """Those of the last plan."""
    return list(lg.last_step().plan_object.c_source.kernels)


cases = st.lists(st.integers(1, 19), min_size=1, max_size=4).flatmap(
    lambda shape: st.tuples(
        st.sampled_from(sorted(PROGRAMS)), st.just(tuple(shape)), st.sampled_from(axis_subsets(len(shape)))
    )
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(cases, min_size=1, max_size=12), st.integers(1, 3))
def test_any_shape_and_axes(chosen: list[Case], threads: int) -> None:
    with small_loops():
        assert_c_computes(chosen, threads)
