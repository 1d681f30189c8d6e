"""Kernels rendered as C compute what numpy computes in double precision, whichever loops were chosen for them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.nn import functional as F
from lazygrad.runtime.backend_choice import backend
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import QUICKLY, running_c, small_loops
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


def scaled_softmax(x: Tensor, axes: Axes) -> list[Tensor]:
    """Every pass over a row reads an operand that the whole row shares."""
    return [lg.softmax(x * along(x, (x.dim() - 1,)), -1), centred(x * along(x, axes), axes)]


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
    "rows and columns": lambda x, axes: [x.sum(axes), x.sum(), lg.softmax(x, -1), x.amax(0), x.amin(axes[0])],
    "an operand per row": lambda x, axes: [x * lg.exp(along(x, axes)) + 1, (x + lg.exp(along(x, axes))).sum(axes)],
    "an operand per row in several passes": scaled_softmax,
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
    "padded": lambda x, axes: [
        F.pad(x, (2, 1), value=0.5) * 2,
        F.pad(x.transpose(0, -1), (1, 2)).exp().sum(axes),
        lg.softmax(F.pad(x, (*(0, 0) * (x.dim() - 1), 1, 1)), axes[0]),
    ],
    "windows": lambda x, axes: [
        x.unfold(axes[0], min(3, x.shape[axes[0]]), 1).sum(-1),
        x.unfold(-1, min(2, x.shape[-1]), 2).amax(axes),
    ],
}


def array(shape: tuple[int, ...], seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def axis_subsets(rank: int) -> list[Axes]:
    return [axes for count in range(1, rank + 1) for axes in combinations(range(rank), count)]


def compute(chosen: list[Case], dtype: type) -> list[list[Array]]:
    """All results of some programs, from one plan: compiling ten kernels at once takes as long as two by themselves."""
    results = [PROGRAMS[name](lg.tensor(array(shape).astype(dtype)), axes) for name, shape, axes in chosen]
    lg.realize_all([result for case in results for result in case])
    return [[result.numpy() for result in case] for case in results]


def assert_c_computes(chosen: list[Case], threads: int, flags: tuple[str, ...] = ()) -> None:
    with backend("numpy"):
        expected = compute(chosen, np.float64)
    with running_c(threads=threads, flags=flags):
        actual = compute(chosen, np.float32)
    for case, a, e in zip(chosen, actual, expected, strict=True):
        for number, (got, wanted) in enumerate(zip(a, e, strict=True)):
            np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=1e-3, err_msg=f"{case}, result {number}")


cases = st.lists(st.integers(1, 19), min_size=1, max_size=4).flatmap(
    lambda shape: st.tuples(
        st.sampled_from(sorted(PROGRAMS)), st.just(tuple(shape)), st.sampled_from(axis_subsets(len(shape)))
    )
)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(cases, min_size=1, max_size=12), st.integers(1, 3))
@example([("rows and columns", (3, 40), (0,))], 2)
@example([("an operand per row in several passes", (3, 40), (1,))], 2)
def test_any_shape_and_axes(chosen: list[Case], threads: int) -> None:
    with small_loops():
        assert_c_computes(chosen, threads, QUICKLY)


@pytest.mark.parametrize("shape", [(257, 1023), (3, 129, 683), (140001,), (2, 70001), (70001, 2)], ids=str)
def test_loops_as_they_are_with_odd_remainders(shape: tuple[int, ...]) -> None:
    some = [name for number, name in enumerate(sorted(PROGRAMS)) if number % 2 == len(shape) % 2]
    subsets = axis_subsets(len(shape))
    assert_c_computes([(name, shape, subsets[i % len(subsets)]) for i, name in enumerate(some)], 2)


def linear_layers(x: Tensor, image: Tensor) -> list[Tensor]:
    weights = lg.tensor(array((300, 500), 1))
    return [x @ weights, lg.softmax(x @ weights, -1), F.layer_norm(x, (300,)).sum(0)]


def convolutions(x: Tensor, image: Tensor) -> list[Tensor]:
    filters = lg.tensor(array((8, 3, 3, 3), 2), requires_grad=True)
    y = F.max_pool2d(F.conv2d(image, filters, padding=1).relu(), 2)
    (gradient,) = lg.autograd.grad(y.sum(), filters)
    return [y, gradient]


def reductions(x: Tensor, image: Tensor) -> list[Tensor]:
    return [image.sum(), image.sum((0, 2, 3)), image.mean((2, 3)), x.sum(0), x.std(1), lg.logsumexp(x.flatten(), 0)]


def rearrangements(x: Tensor, image: Tensor) -> list[Tensor]:
    rows = lg.arange(x.shape[0]) // 3
    return [x.sort(1)[0], x.cumsum(0), lg.zeros(400, 300).index_add(0, rows, x), x.argmax(1), lg.cat([x, -x], 1)]


@pytest.mark.parametrize("program", [linear_layers, convolutions, reductions, rearrangements])
def test_bits_do_not_depend_on_threads_nor_on_the_run(program: Callable[[Tensor, Tensor], list[Tensor]]) -> None:
    x, image = lg.tensor(array((400, 300))), lg.tensor(array((8, 3, 70, 70)))
    first: list[Array] | None = None
    for threads in (1, 2, 3, 2, 1, 3):
        with running_c(threads=threads):
            results = program(x, image)
            lg.realize_all(results)
        found = [np.array(result.detach().numpy()) for result in results]
        for number, (a, e) in enumerate(zip(found, first or found, strict=True)):
            assert a.tobytes() == e.tobytes(), f"result {number} with {threads} threads"
        first = first or found


def test_dropout_draws_the_same_numbers_with_any_number_of_threads() -> None:
    x, drawn = lg.ones(300, 400).realize(), []
    for threads in (1, 2, 3):
        lg.manual_seed(5)
        with running_c(threads=threads):
            drawn.append(F.dropout(x, 0.5).numpy().tobytes())
    assert len(set(drawn)) == 1


def test_an_operand_expanded_along_one_of_two_axes_that_become_one() -> None:
    x = lg.tensor(np.arange(3, dtype=np.float32).reshape(3, 1))
    for choice in (backend("numpy"), running_c()):
        with choice:
            inner = x.unsqueeze(0).expand(2, 3, 1).unsqueeze(0)
            outer = inner.expand(2, 2, 3, 1)
            np.testing.assert_array_equal(lg.minimum(inner, outer).numpy().ravel(), np.tile([0, 1, 2], 4))
