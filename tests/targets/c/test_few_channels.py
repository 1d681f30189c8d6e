"""Convolutions of groups with one or a few channels in the C library, against torch."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.numpy_inputs import random_array
from tests.runtime.test_numpy_calls_conv import Convolution, convolution

from .library import OK, OTHER_MACHINES, drive, drive_epilogue, load_library, needs_compiler
from .test_contraction import check_all, numbers

pytestmark = needs_compiler

THREADS = (1, 2, 3)

# Planes as networks have them, and those at the edges of vectors, of blocks of rows, and of the slab.
DEPTHWISE = {
    "one element": convolution((2, 5, 1, 1), (5, 1, 1, 1), groups=5, padding=1),
    "narrower than a vector": convolution((3, 9, 7, 7), (9, 1, 3, 3), padding=1, groups=9),
    "one column": convolution((2, 4, 11, 1), (4, 1, 3, 1), groups=4),
    "one row": convolution((2, 4, 1, 29), (4, 1, 1, 3), groups=4),
    "a vector": convolution((2, 4, 8, 8), (4, 1, 3, 3), padding=1, groups=4),
    "14, 5x5": convolution((2, 6, 14, 14), (6, 1, 5, 5), padding=2, groups=6),
    "7x7": convolution((1, 5, 28, 28), (5, 1, 7, 7), padding=3, groups=5),
    "56": convolution((2, 3, 56, 56), (3, 1, 3, 3), padding=1, groups=3),
    "several slabs": convolution((2, 3, 112, 113), (3, 1, 3, 3), padding=1, groups=3),
    "strided, several slabs": convolution((1, 3, 112, 113), (3, 1, 3, 3), stride=2, padding=1, groups=3),
    "stride 2": convolution((2, 4, 28, 27), (4, 1, 3, 3), stride=2, padding=1, groups=4),
    "stride 3, 5x5": convolution((2, 4, 29, 30), (4, 1, 5, 5), stride=3, padding=2, groups=4),
    "stride beyond the kernel": convolution((2, 4, 23, 19), (4, 1, 2, 2), stride=4, padding=1, groups=4),
    "dilated": convolution((2, 4, 20, 21), (4, 1, 3, 3), padding=2, dilation=2, groups=4),
    "dilated and strided": convolution((2, 4, 30, 31), (4, 1, 3, 3), stride=2, padding=3, dilation=3, groups=4),
    "two each": convolution((2, 4, 19, 18), (8, 1, 3, 3), stride=2, padding=1, groups=4),
    "two to one": convolution((2, 8, 19, 18), (4, 2, 3, 3), padding=1, groups=4),
    "four to two": convolution((2, 8, 9, 10), (4, 4, 3, 3), padding=1, groups=2),
    "cropping": convolution((2, 4, 15, 16), (4, 1, 3, 3), padding=((-1, 2), (0, -3)), groups=4),
    "wide padding": convolution((2, 4, 3, 3), (4, 1, 2, 2), padding=9, groups=4),
    "1d": convolution((3, 6, 61), (6, 1, 9), padding=4, groups=6),
    "1d, several slabs": convolution((2, 2, 9000), (2, 1, 31), stride=2, padding=15, groups=2),
    "3d": convolution((2, 3, 7, 9, 11), (3, 1, 3, 3, 3), padding=1, groups=3),
    "4d": convolution((1, 2, 3, 4, 5, 9), (2, 1, 2, 3, 1, 3), padding=1, groups=2),
    "many taps": convolution((1, 2, 40, 40), (2, 1, 31, 31), padding=15, groups=2),
}


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("c", DEPTHWISE.values(), ids=DEPTHWISE)
def test_agrees_with_numpy(c: Convolution, threads: int) -> None:
    check_all(c, np.float32, threads)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "int64", "uint8"])
@pytest.mark.parametrize("name", ["narrower than a vector", "several slabs", "stride 2", "two each", "1d", "3d"])
def test_dtypes(name: str, dtype: str) -> None:
    check_all(DEPTHWISE[name], np.dtype(dtype), threads=2)


def torch_results(c: Convolution, torch: Any) -> list[np.ndarray]:
    """Output and both gradients of random operands, in f64."""
    x, weight = (torch.from_numpy(random_array(shape, np.float64, i)) for i, shape in enumerate((c.x, c.weight)))
    g = torch.from_numpy(random_array(c.out, np.float64, 2))
    (x, weight) = (x.requires_grad_(), weight.requires_grad_())
    margins = [side for pair in reversed(c.padding) for side in pair]
    function = getattr(torch.nn.functional, f"conv{len(c.stride)}d")
    y = function(torch.nn.functional.pad(x, margins), weight, None, c.stride, 0, c.dilation, c.groups)
    return [y.detach().numpy(), *(part.numpy() for part in torch.autograd.grad(y, (x, weight), g))]


@st.composite
def convolutions(draw: Any) -> Convolution:
    """Of one or two axes, whose windows fit."""
    rank, groups = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    ins, outs = draw(st.sampled_from([(1, 1), (1, 2), (2, 1), (4, 2), (3, 1)]))

    def numbers(least: int, most: int) -> tuple[int, ...]:
        return tuple(draw(st.lists(st.integers(least, most), min_size=rank, max_size=rank)))

    kernel, stride, dilation = numbers(1, 5), numbers(1, 3), numbers(1, 3)
    padding = tuple(zip(numbers(0, 3), numbers(0, 3), strict=True))
    size = tuple(max(n, (k - 1) * d + 1) for n, k, d in zip(numbers(1, 40), kernel, dilation, strict=True))
    x, weight = (draw(st.integers(1, 3)), groups * ins, *size), (groups * outs, ins, *kernel)
    return Convolution(x, weight, stride, padding, dilation, groups)


@settings(deadline=None, max_examples=80)
@given(c=convolutions(), threads=st.sampled_from(THREADS))
def test_agrees_with_torch(torch: Any, c: Convolution, threads: int) -> None:
    x, weight, g = (random_array(shape, np.float64, i) for i, shape in enumerate((c.x, c.weight, c.out)))
    calls = {"conv": (c.out, x, weight), "conv_input_grad": (c.x, g, weight), "conv_weight_grad": (c.weight, g, x)}
    for (name, (shape, *inputs)), expected in zip(calls.items(), torch_results(c, torch), strict=True):
        out = np.ones(shape)
        assert drive(name, out, *inputs, attributes=numbers(c), threads=threads) == OK
        np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("c", DEPTHWISE.values(), ids=DEPTHWISE)
@pytest.mark.parametrize("axes", [1, 2], ids=["images", "channels"])
def test_epilogue_sees_every_part_once(c: Convolution, axes: int, threads: int) -> None:
    x, weight = random_array(c.x, seed=1), random_array(c.weight, seed=2)
    out, units = np.ones(c.out, np.float32), prod(c.out[:axes])
    observed = drive_epilogue("conv", out, x, weight, units=units, attributes=numbers(c), threads=threads)
    np.testing.assert_array_equal(observed.visits, 1)
    np.testing.assert_array_equal(observed.seen, out)


@pytest.mark.parametrize("name", ["narrower than a vector", "14, 5x5", "stride 2", "dilated", "1d", "3d"])
@pytest.mark.parametrize("call", ["conv", "conv_input_grad", "conv_weight_grad"])
def test_results_do_not_depend_on_threads(call: str, name: str) -> None:
    c = DEPTHWISE[name]
    shapes = {"conv": (c.out, c.x, c.weight), "conv_input_grad": (c.x, c.out, c.weight),
              "conv_weight_grad": (c.weight, c.out, c.x)}[call]  # fmt: skip
    inputs = [random_array(shape, np.float32, seed) for seed, shape in enumerate(shapes[1:])]
    results = []
    for threads in THREADS:
        results.append(np.ones(shapes[0], np.float32))
        assert drive(call, results[-1], *inputs, attributes=numbers(c), threads=threads) == OK
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


@pytest.mark.parametrize("flags", OTHER_MACHINES)
def test_on_other_machines(flags: tuple[str, ...]) -> None:
    library = load_library(flags)
    for c in DEPTHWISE.values():
        x, weight = random_array(c.x, seed=1), random_array(c.weight, seed=2)
        expected, out = np.ones(c.out, np.float32), np.ones(c.out, np.float32)
        assert drive("conv", expected, x, weight, attributes=numbers(c)) == OK
        assert drive("conv", out, x, weight, attributes=numbers(c), library=library) == OK
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
