"""Tangents of forward mode go through in-place writes: random programs, against finite differences in float64.

``LAZYGRAD_FUZZ_PROGRAMS`` says how many programs are compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.autograd import forward_ad
from lazygrad.tensor import Tensor
from tests.selection import share

PROGRAMS = int(os.environ.get("LAZYGRAD_FUZZ_PROGRAMS", "0"))
_STEP = 1e-6

Write = Callable[[Tensor, Tensor, int], object]


def _assign_row(a: Tensor, b: Tensor, k: int) -> None:
    a[k % 3] = b[0]


def _assign_column(a: Tensor, b: Tensor, k: int) -> None:
    a[:, k % 4] = b[:, 0] * 2


def _assign_where_positive(a: Tensor, b: Tensor, k: int) -> None:
    a[b > 0] = 0.25


def _write_through_turned_view(a: Tensor, b: Tensor, k: int) -> None:
    a.t()[0].add_(b[:, 0].sum())


WRITES: tuple[Write, ...] = (
    lambda a, b, k: a.add_(b),
    lambda a, b, k: a.mul_(b),
    lambda a, b, k: a.copy_(b),
    lambda a, b, k: a[1:].mul_(b[1:] + 1),
    lambda a, b, k: a[k % 3].copy_(b[1]),
    lambda a, b, k: a.zero_(),
    lambda a, b, k: a.fill_(0.5 * k),
    lambda a, b, k: a.fill_(b[0, 1]),
    lambda a, b, k: a.sin_(),
    lambda a, b, k: a.masked_fill_(b > 0.3, 0.1 * k),
    lambda a, b, k: a.index_add_(0, lg.tensor([0, 2]), b[:2]),
    lambda a, b, k: a.clamp_(-1.5, 1.5),
    _assign_row,
    _assign_column,
    _assign_where_positive,
    _write_through_turned_view,
)


def function(seed: str) -> Callable[[Tensor], Tensor]:
    """A function of a 3×4 tensor to one number that writes to values which depend on it, and to others."""
    random = Random(seed)
    steps = [(random.randrange(len(WRITES) + 2), *random.choices(range(8), k=3)) for _ in range(random.randint(2, 8))]
    constant = np.random.default_rng(int(seed.split()[-1])).normal(size=(3, 4))

    def follow(x: Tensor) -> Tensor:
        values = [x * 1.0, lg.tensor(constant), x.sin(), lg.zeros(3, 4, dtype=lg.float64)]
        for number, i, j, k in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            if number == len(WRITES):
                values.append(a * b + k)
            elif number > len(WRITES):
                values.append(a.tanh())
            else:
                WRITES[number](a, b, k)
        return sum(((value * value).sum() * (n + 1) for n, value in enumerate(values)), values[-1].sum())

    return follow


def _dual(f: Callable[[Tensor], Tensor], x: Tensor, along: Tensor) -> float:
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual(f(forward_ad.make_dual(x, along))).tangent
        return 0.0 if tangent is None else float(tangent.item())


@pytest.mark.deeper
def test_tangents_are_finite_differences() -> None:
    for number in range(PROGRAMS or share(60)):
        f = function(f"writes {number}")
        x, along = (lg.tensor(array) for array in np.random.default_rng(1000 + number).normal(size=(2, 3, 4)))
        wanted = ((f(x + along * _STEP) - f(x - along * _STEP)) / (2 * _STEP)).item()
        gradient = lg.func.grad(f)
        found = {
            "jvp": lg.func.jvp(f, (x,), (along,))[1].item(),
            "dual numbers": _dual(f, x, along),
            "jacfwd": (lg.func.jacfwd(f)(x) * along).sum().item(),
            "grad": (gradient(x) * along).sum().item(),
        }
        for way, value in found.items():
            assert value == pytest.approx(wanted, rel=1e-4, abs=1e-4), (number, way)
        slope = ((gradient(x + along * _STEP) - gradient(x - along * _STEP)) / (2 * _STEP)).numpy()
        product = lg.func.jvp(gradient, (x,), (along,))[1].numpy()
        np.testing.assert_allclose(product, slope, rtol=1e-4, atol=1e-3, err_msg=f"{number}")
        hessian = lg.func.hessian(f)(x)
        np.testing.assert_allclose((hessian * along).sum((2, 3)).numpy(), slope, rtol=1e-4, atol=1e-3)
