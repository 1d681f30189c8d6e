"""A program on the emulated device and on numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import lazygrad as lg
from tests.cuda_emulator.driver import Order
from tests.targets.cuda.emulating import emulating

Program = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A program of tensors, what it gets, and how close results must be."""

    program: Program
    inputs: tuple[np.ndarray, ...]
    tolerance: float = 1e-5


def values(program: Program, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of a program as arrays."""
    made = program(*map(lg.tensor, inputs))
    results = made if isinstance(made, tuple | list) else [made]
    return [(x.float() if x.dtype is lg.bfloat16 else x).numpy().copy() for x in results]


def gradients(program: Program) -> Program:
    """The program that gives the results of ``program``, and its gradients in all floats."""

    def run(*inputs: Any) -> list[Any]:
        leaves = [x.detach().requires_grad_(x.is_floating_point()) for x in inputs]
        result = program(*leaves)
        loss = (result * result.detach().tanh()).sum()  # cos has a slow path, for which compilers set registers aside
        return [result.detach(), *lg.autograd.grad(loss, [leaf for leaf in leaves if leaf.requires_grad])]

    return run


def check(case: Case, order: Order) -> None:
    """Raises AssertionError where the emulated device has other results than numpy."""
    with lg.backend("numpy"):
        expected = values(case.program, case.inputs)
    with emulating(order) as target:
        found = values(case.program, case.inputs)
    counts = target.driver.counts
    assert counts.launches or counts.products or counts.copies or counts.library_calls
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=case.tolerance, atol=case.tolerance)
