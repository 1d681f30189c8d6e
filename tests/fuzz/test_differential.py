"""Differential fuzzing: one random program, four ways of running it, one answer.

A program is a list of small integers. Each names an operation and its operands among the tensors made so far, so
that hypothesis can shrink it; an operation that raises is skipped, and must be skipped in every way of running.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.ir.dtype import ALL_DTYPES
from lazygrad.runtime.realize import cache, unfused
from lazygrad.tensor import Tensor

Operation = Callable[[Tensor, Tensor, int], Tensor | None]

UNARY: list[Operation] = [
    lambda x, y, k: -x,
    lambda x, y, k: x.abs(),
    lambda x, y, k: lg.tanh(x),
    lambda x, y, k: lg.sigmoid(x),
    lambda x, y, k: x.relu(),
    lambda x, y, k: lg.exp(lg.clamp(x, -4, 4)),
    lambda x, y, k: lg.sqrt(x.abs()),
    lambda x, y, k: x * (k - 2.5),
    lambda x, y, k: x + k,
    lambda x, y, k: x**2,
    lambda x, y, k: x > k - 2,
    lambda x, y, k: x.to(ALL_DTYPES[k]),
]
BINARY: list[Operation] = [
    lambda x, y, k: x + y,
    lambda x, y, k: x - y,
    lambda x, y, k: x * y,
    lambda x, y, k: x / (y.abs() + 1),
    lambda x, y, k: lg.maximum(x, y),
    lambda x, y, k: lg.minimum(x, y),
    lambda x, y, k: lg.where(x > 0, x, y),
    lambda x, y, k: x == y,
    lambda x, y, k: x @ y,
    lambda x, y, k: lg.cat([x, y], k % max(x.dim(), 1)),
]
VIEWS: list[Operation] = [
    lambda x, y, k: x.transpose(0, -1),
    lambda x, y, k: x.flatten(),
    lambda x, y, k: x.reshape(-1, 2),
    lambda x, y, k: x[k % 3 :],
    lambda x, y, k: x[..., ::2],
    lambda x, y, k: x[k % 2],
    lambda x, y, k: x.unsqueeze(k % (x.dim() + 1)),
    lambda x, y, k: x.squeeze(),
    lambda x, y, k: x.flip(0),
    lambda x, y, k: x.unsqueeze(0).expand(2, *x.shape),
    lambda x, y, k: x.diagonal(),
]
REDUCTIONS: list[Operation] = [
    lambda x, y, k: x.sum(),
    lambda x, y, k: x.sum(k % x.dim()),
    lambda x, y, k: x.sum(k % x.dim(), keepdim=True),
    lambda x, y, k: x.float().mean(-1, keepdim=True),
    lambda x, y, k: x.amax(0),
    lambda x, y, k: x.max(-1).values,
    lambda x, y, k: lg.softmax(x.float(), -1),
    lambda x, y, k: x.cumsum(k % x.dim()),
    lambda x, y, k: x.argmax(-1),
    lambda x, y, k: x.sort(-1)[0],
    lambda x, y, k: x.float().var(-1, keepdim=True),
]


def _write(x: Tensor, update: Callable[[Tensor], object]) -> None:
    update(x)


IN_PLACE: list[Operation] = [
    lambda x, y, k: _write(x, lambda t: t.add_(k)),
    lambda x, y, k: _write(x, lambda t: t.mul_(y)),
    lambda x, y, k: _write(x, lambda t: t.copy_(y)),
    lambda x, y, k: _write(x, lambda t: t.__setitem__(0, k)),
    lambda x, y, k: _write(x, lambda t: t.__setitem__(t > k - 2, 1)),
    lambda x, y, k: _write(x, lambda t: t.__setitem__(..., t * 2)),
    lambda x, y, k: _write(x, lambda t: t.transpose(0, -1).add_(1)),
    lambda x, y, k: _write(x, lambda t: t[k % 2 :].fill_(k)),
    lambda x, y, k: _write(x, lambda t: t.clamp_(-3, 3)),
]
OPERATIONS = [*UNARY, *BINARY, *VIEWS, *REDUCTIONS, *IN_PLACE]
MAX_ELEMENTS = 2000
# Ways of running may round in a different order, by a few units in the last place of the dtype.
RELATIVE_TOLERANCE = {"float16": 2e-2, "bfloat16": 2e-2}

Program = list[tuple[int, int, int, int]]
programs = st.lists(
    st.tuples(
        st.integers(0, len(OPERATIONS) - 1), st.integers(0, 30), st.integers(0, 30), st.integers(0, 9)
    ),
    min_size=3,
    max_size=30,
)  # fmt: skip


def inputs() -> list[Tensor]:
    """Quarter-valued numbers: sums and products of few of them are exact, so comparisons do not flip."""
    rng = np.random.default_rng(0)
    return [
        lg.tensor(rng.integers(-8, 8, (3, 4)).astype(np.float32) / 4),
        lg.tensor(rng.integers(-8, 8, (4, 3)).astype(np.float32) / 4),
        lg.tensor(rng.integers(-8, 8, (4,)).astype(np.float64) / 4),
        lg.tensor(rng.integers(-5, 5, (3, 4))),
        lg.tensor(rng.integers(0, 2, (3, 1)).astype(bool)),
        lg.tensor(np.float32(0.75)),
    ]


def execute(program: Program, realize_each: bool) -> list[Tensor]:
    tensors = inputs()
    for operation, first, second, constant in program:
        x, y = tensors[first % len(tensors)], tensors[second % len(tensors)]
        try:
            result = OPERATIONS[operation](x, y, constant)
        except (RuntimeError, IndexError, TypeError, ZeroDivisionError):
            continue
        if result is not None and result.numel() <= MAX_ELEMENTS:
            tensors.append(result)
        if realize_each:
            for tensor in tensors:
                tensor.realize()
    return tensors


def values(tensors: list[Tensor]) -> list[np.ndarray]:
    return [np.array(tensor.detach().numpy()) for tensor in tensors]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs)
def test_four_ways_of_running_agree(program: Program) -> None:
    expected = values(execute(program, realize_each=True))
    ways = {"lazy, unfused": unfused, "lazy, fused": nullcontext}
    for way, context in ways.items():
        with context():
            _assert_same(values(execute(program, realize_each=False)), expected, way)
    misses = cache.misses
    _assert_same(values(execute(program, realize_each=False)), expected, "from the plan cache")
    assert cache.misses == misses, "the second run of a program must find its plans"


def _assert_same(actual: list[np.ndarray], expected: list[np.ndarray], way: str) -> None:
    assert len(actual) == len(expected), way
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        assert a.dtype == e.dtype and a.shape == e.shape, (way, i)
        relative = RELATIVE_TOLERANCE.get(a.dtype.name, 2e-5)
        message = f"{way}, tensor {i}"
        np.testing.assert_allclose(a.astype(float), e.astype(float), rtol=relative, atol=relative / 2, err_msg=message)
