"""Paddings are masked loads: one kernel with what computes around them, equal numbers on both backends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir import build
from lazygrad.ir.dtype import ALL_DTYPES, DType, word32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives.reduction import reduce_sum
from lazygrad.nn import functional as F
from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.plan import Plan
from lazygrad.tensor import Tensor
from tests.codegen.c_backend import QUICKLY, running_c, small_loops
from tests.passes.programs import calls, calls_with_gradients, constant, leaf, realized
from tests.runtime.toolchains import needs_compiler

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def kernel_of(root: Node) -> str:
    """The text of the only kernel of a program."""
    plan = Plan(Graph([root]))
    (lowered,) = plan.kernels
    return str(lowered.kernel)


def padded(x: Node, before: tuple[int, ...], after: tuple[int, ...]) -> Node:
    return ix.pad(x, constant(0.5), before=before, after=after)


def test_the_kernel_form_has_a_range_and_a_number() -> None:
    text = kernel_of(-padded(leaf((3, 4)), (0, 1), (0, 2)))
    assert "v0: f32 = load strides=(4, 1) offset=-1 inside=[(0, 3), (1, 5)] else 0.5" in text
    assert "v1: f32 = neg(v0)" in text


def test_padded_leading_axes_merge_with_whole_ones() -> None:
    assert "axes [20]" in (text := kernel_of(-padded(leaf((3, 4)), (1, 0), (1, 0))))
    assert "inside=[(4, 16)]" in text


def test_two_paddings_of_one_value_are_two_loads() -> None:
    x = leaf((3, 4))
    text = kernel_of(padded(x, (1, 0), (0, 0)) - padded(x, (0, 0), (1, 0)))
    assert text.count("load") == 2 and "inside=[(4, 16)]" in text and "inside=[(0, 12)]" in text


COUNTS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, int]]] = {
    "alone": (lambda x: F.pad(x, (1, 2)), (1, 0)),
    "with what follows": (lambda x: lg.exp(F.pad(x, (1, 2)) * 2), (1, 0)),
    "with what comes before": (lambda x: F.pad(lg.exp(x), (1, 2)), (2, 0)),
    "shifted": (lambda x: F.pad(x, (1, -1)) + x, (1, 0)),
    "below a transpose": (lambda x: F.pad(x, (1, 2)).T * 2, (1, 0)),
    "in a row kernel": (lambda x: lg.softmax(F.pad(x, (1, 2)), -1), (1, 0)),
    "read by a product": (lambda x: F.pad(x, (1, 2)) @ realized(131, 5), (1, 1)),
    "in a local response": (lambda x: F.local_response_norm(x.reshape(1, 64, 8, 16), 3), (4, 0)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_paddings_fuse(name: str) -> None:
    function, expected = COUNTS[name]
    assert calls(function(realized(64, 128))) == expected


GRADIENTS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, int]]] = {
    "differences": (lambda x: x[1:] - x[:-1], (2, 0)),  # the negative gradient, and both where they belong
    "second differences": (lambda x: x[2:] - 2 * x[1:-1] + x[:-2], (2, 0)),
    "a slice": (lambda x: x[3:].tanh(), (1, 0)),  # the gradient of tanh shares a kernel with tanh
    "the total of a slice": (lambda x: x[3:].sum(), (2, 0)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_of_slices_fuse(name: str) -> None:
    function, expected = GRADIENTS[name]
    x = realized(64, 128, requires_grad=True)
    forward = calls(function(realized(64, 128)))
    both = calls_with_gradients(function(x), [x])
    assert (both[0] - forward[0], both[1]) == expected


X = np.random.default_rng(0).integers(-4, 5, (33, 70))
# The same words for both libraries: a tensor, and the module with ``pad``.
PROGRAMS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "both axes": lambda x, F: [F.pad(x, (3, 1, 2, 5), value=1) + 1],
    "stored and read": lambda x, F: [F.pad(x, (3, 1), value=2), F.pad(x, (3, 1), value=2) * 3],
    "rows": lambda x, F: [F.pad(x, (3, 1)).sum(1), F.pad(x, (0, 0, 2, 0)).sum(1), F.pad(x, (2, -1)).amax(1)],
    "columns": lambda x, F: [F.pad(x, (3, 1)).sum(0), F.pad(x, (0, 0, 2, 0)).amax(0)],
    "turned": lambda x, F: [F.pad(x.T, (3, 1, 2, 5)) * 2, F.pad(x, (3, 1)).T + F.pad(x, (1, 3)).T],
    "reversed": lambda x, F: [F.pad(x.flip(0), (3, 1)) * 2, F.pad(x, (3, 1)).flip(1) + 1],
    "broadcast": lambda x, F: [F.pad(x[:, :1].contiguous(), (0, 0, 1, 1)) + F.pad(x, (0, 0, 2, 0))],
    "three axes": lambda x, F: [F.pad(x.reshape(3, 11, 70), (1, 1, 2, 2, 1, 0)) * 3],
    "expanded": lambda x, F: [F.pad(x[:1].expand(5, 70), (1, 2, 3, 4), value=1) * 2],
}


ORDERED = {"rows", "columns"}  # complex numbers have no maximum


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize(
    "way", ["numpy", pytest.param("c", marks=needs_compiler), pytest.param("small loops", marks=needs_compiler)]
)
def test_both_backends_pad_every_dtype(dtype: DType, way: str) -> None:
    """Small integers, so that sums are exact; one plan for all programs."""
    programs = {name: program for name, program in PROGRAMS.items() if not (dtype.is_complex and name in ORDERED)}
    x, other = lg.tensor(X).to(dtype), torch.tensor(X).to(getattr(torch, dtype.name))
    other = other.long() if dtype is word32 else other  # torch cannot compute with them
    loops = small_loops() if way == "small loops" else nullcontext()
    with loops, backend("numpy") if way == "numpy" else running_c(threads=2, flags=QUICKLY):
        results = [(name, result) for name, program in programs.items() for result in program(x, F)]
        lg.realize_all([result for _, result in results])
    expected = [result for program in programs.values() for result in program(other, torch.nn.functional)]
    for (name, found), wanted in zip(results, expected, strict=True):
        wide = torch.complex128 if dtype.is_complex else torch.float64
        found_wide = found.to(lg.complex128 if dtype.is_complex else lg.float64)
        np.testing.assert_array_equal(found_wide.numpy(), wanted.to(wide).numpy(), err_msg=name)


def test_a_number_in_memory_surrounds() -> None:
    text = kernel_of(-ix.pad(leaf((2, 3)), leaf((), slot=1), before=(0, 1), after=(1, 0)))
    assert "inside=[(0, 2), (1, 4)] else v1" in text


def test_a_padded_number_is_one_element_of_memory() -> None:
    ones = build.filled((64, 128), 1, leaf((1,)))
    total = reduce_sum(padded(ones, (1, 0), (0, 0)) * leaf((65, 128)), axes=(1,))
    plan = Plan(Graph([total]))
    assert plan.memory.arena_bytes <= 64 and plan.kernel_calls == 2
