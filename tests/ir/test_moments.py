"""Mean and variance of rows that do not stay in a cache: one reading of memory, and no digit lost."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.composites.moments import moments, moments_in_parts
from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import Graph
from tests.passes.programs import fused, leaf

torch = pytest.importorskip("torch", reason="torch is the oracle of variances, and is not installed")

# Shapes and axes whose rows are cut, and along what: memory, columns, two axes, an axis between others.
CUT = [
    ((300_000,), (0,)),
    ((3, 200_000), (1,)),
    ((1024, 600), (0,)),
    ((600, 8, 784), (0, 2)),
    ((2, 3000, 100), (1,)),
    ((60, 1, 4096), (0, 1, 2)),
]
WHOLE = [((64, 1024), (1,)), ((100, 7), (0,)), ((262_147,), (0,)), ((0, 3), (0,)), ((5,), ()), ((), ())]


def block_sizes(shape: tuple[int, ...], axes: tuple[int, ...]) -> list[int]:
    """How many elements the sums over the input itself add up, of all sums in the graph."""
    graph = Graph(moments_in_parts(leaf(shape), axes))
    sums = [node for node in graph.nodes if node.op.name == "reduce_sum"]
    return sorted(math.prod(node.inputs[0].shape) // max(math.prod(node.shape), 1) for node in sums)


@pytest.mark.parametrize(("shape", "axes"), CUT)
def test_large_rows_are_cut_into_blocks(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    row = math.prod(shape[axis] for axis in axes)
    sizes = block_sizes(shape, axes)
    assert len(sizes) == 6  # of values, squares and what rounding left, within the blocks and between them
    between, within = sizes[0], sizes[-1]
    assert {between, within} == set(sizes) and between * within == row


@pytest.mark.parametrize(("shape", "axes"), WHOLE)
def test_other_rows_are_not_cut(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    assert len(block_sizes(shape, axes)) in (0, 2)


@pytest.mark.parametrize(("shape", "axes"), CUT)
def test_one_kernel_reads_the_input(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    x = leaf(shape)
    program = fused(*moments_in_parts(x, axes))
    assert [x in group.reads for group in program.groups] == [True, False]


@pytest.mark.parametrize(("shape", "axes"), CUT)
def test_one_pass_takes_the_moments_of_float32(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    program = fused(*moments(leaf(shape), axes))
    reading = [group for group in program.groups if math.prod(group.domain.shape) == math.prod(shape)]
    assert len(reading) == 1


@pytest.mark.parametrize("center", [0.0, 1000.0])
@pytest.mark.parametrize(("shape", "axes"), CUT)
def test_values_and_gradients_are_torchs(shape: tuple[int, ...], axes: tuple[int, ...], center: float) -> None:
    array = np.random.default_rng(3).normal(center, 1.0, shape)
    results = []
    for library in (lg, torch):
        x = library.tensor(array, requires_grad=True)
        spread, average = library.var_mean(x, axes)
        (spread.sum() + (average * average).sum()).backward()
        results.append([tensor.detach().numpy() for tensor in (spread, average, x.grad)])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("center", [0.0, 100.0, 1e4])
@pytest.mark.parametrize(("shape", "axes"), CUT)
def test_no_less_accurate_than_numpys(shape: tuple[int, ...], axes: tuple[int, ...], center: float) -> None:
    array = np.random.default_rng(5).normal(center, 1.0, shape).astype(np.float32)
    expected = array.astype(np.float64).var(axes, ddof=1)
    error = np.abs(lg.tensor(array).var(axes).numpy() - expected).max()
    numpys = np.abs(array.var(axes, ddof=1) - expected).max()
    assert error <= max(numpys, 4 * np.finfo(np.float32).eps)  # how many lanes add up is the machine's choice
    assert lg.tensor(array).var(axes).dtype is float32


@pytest.mark.parametrize("value", [0.1, 1e-3, -0.7, 10000.1, 7e7, 1e19])
@pytest.mark.parametrize(("shape", "axes"), CUT)
def test_equal_values_do_not_vary(shape: tuple[int, ...], axes: tuple[int, ...], value: float) -> None:
    """The difference that rounding leaves is never negative, whose root would be NaN."""
    spread = lg.full(shape, value).std(axes).numpy()
    assert (spread >= 0).all() and (spread <= 1e-6 * abs(value)).all()
    x = lg.full(shape, value, requires_grad=True)
    x.std(axes).sum().backward()
    assert x.grad is not None and np.isfinite(x.grad.numpy()).all()


def test_layers_normalize_large_rows() -> None:
    array = np.random.default_rng(6).normal(2.0, 3.0, (3, 16, 128, 128))
    results = []
    for library in (lg, torch):
        x = library.tensor(array, requires_grad=True)
        functional = library.nn.functional
        outputs = [
            functional.layer_norm(x, array.shape[1:]),
            functional.group_norm(x, 2),
            functional.batch_norm(x, None, None, training=True),
        ]
        sum((output * output * output).sum() for output in outputs).backward()
        results.append([tensor.detach().numpy() for tensor in (*outputs, x.grad)])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10)
