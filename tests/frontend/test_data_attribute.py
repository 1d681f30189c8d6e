"""``.data`` and ``detach()``: aliases that are written to, and memory that is swapped, as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_close

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def average_written_through_data(t: Any) -> list[Any]:
    w, average, seen = t.nn.Parameter(t.ones(3)), t.zeros(3), []
    optimizer = t.optim.SGD([w], lr=0.1)
    for _ in range(3):
        h = w * 2
        average.data.mul_(0.9).add_(h.exp(), alpha=0.1)
        loss = (h - average).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += [loss.detach(), w.grad.clone()]
    return [*seen, average.requires_grad]


def mean_copied_into_data(t: Any) -> list[Any]:
    w, mean = t.nn.Parameter(t.ones(3)), t.zeros(3)
    for _ in range(2):
        y = w * t.arange(3.0)
        mean.data.copy_(y)
        w.grad = None
        (y * mean).sum().backward()
    return [w.grad, mean, mean.requires_grad]


def written_without_gradient_mode(t: Any) -> list[Any]:
    w, kept = t.nn.Parameter(t.ones(3)), t.zeros(3)
    with t.no_grad():
        kept.copy_(w)
        kept[0] = w[1] * 2
    return [kept, kept.requires_grad]


def detached_and_multiplied(t: Any) -> list[Any]:
    w, a = t.nn.Parameter(t.full((3,), 2.0)), t.ones(3)
    d = a.detach()
    d.mul_(w)
    d.add_(1)
    d.sum().backward()
    return [w.grad, a, a.requires_grad, d.requires_grad, d]


def parameter_updated_by_what_has_a_gradient(t: Any) -> list[Any]:
    p, average = t.nn.Parameter(t.ones(3)), t.zeros(3)
    for _ in range(4):
        p.grad = None
        (p * p * t.arange(3.0)).sum().backward()
        average.add_(p.grad.add(p, alpha=0.1) - average, alpha=0.5)  # an optimizer of before no_grad
        p.data.add_(average, alpha=-0.1)
    return [p, p.is_leaf, p.grad, average.requires_grad]


def swapped_and_restored(t: Any) -> list[Any]:
    p, shadow = t.nn.Parameter(t.ones(2)), t.zeros(2)
    backup = p.data
    p.data = shadow
    during = p.detach().clone()
    p.data = backup
    (p * 3).sum().backward()
    return [during, p, shadow, p.grad, p.is_leaf, p.requires_grad]


def shared_with_what_it_was_set_to(t: Any) -> list[Any]:
    p, b = t.nn.Parameter(t.ones(2)), t.zeros(2)
    before = p.detach()
    p.data = b
    with t.no_grad():
        p.add_(1)
    b.mul_(3)
    return [p, b, before, b.requires_grad]


def set_to_an_array_and_trained(t: Any) -> list[Any]:
    array, p = np.ones(2, np.float32), t.nn.Parameter(t.zeros(2))
    p.data = t.from_numpy(array)
    optimizer = t.optim.SGD([p], lr=0.5)
    (p * 2).sum().backward()
    optimizer.step()
    return [p, array]


def swapped_between_two(t: Any) -> list[Any]:
    p, q = t.nn.Parameter(t.ones(2)), t.nn.Parameter(t.zeros(2))
    kept = p.data.clone()
    p.data = q.data.clone()
    q.data = kept
    (p * 2 + q * 5).sum().backward()
    return [p, q, p.grad, q.grad]


def another_shape(t: Any) -> list[Any]:
    x, p = t.ones(2), t.nn.Parameter(t.ones(2))
    x.data = t.zeros(3, 2)
    p.data = t.zeros(4)
    return [x, p, p.requires_grad]


PROGRAMS = [
    average_written_through_data, mean_copied_into_data, written_without_gradient_mode, detached_and_multiplied,
    parameter_updated_by_what_has_a_gradient, swapped_and_restored, shared_with_what_it_was_set_to,
    set_to_an_array_and_trained, swapped_between_two,
    another_shape,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_aliases_without_gradient_are_those_of_torch(program: Callable[[Any], list[Any]]) -> None:
    assert_close(program(lg), program(torch), floor=0.0, numbers=1e-5)


# What is written, with a gradient, to aliases that `detach` cut off: a(n alias), b(ase), p(arameter), t(he framework).
WRITES: dict[str, str] = {
    "the whole": "a.add_(p); out += [a.view(12), a.t(), a[1], a.reshape(2, 6), a.expand(2, 3, 4), a.unsqueeze(0)]",
    "the whole, twice": "a.mul_(p).add_(p); out += [a.flatten(), a[:, 1:], *a.unbind(0), *a.chunk(2, 1)]",
    "a row": "a[0].add_(p[0]); out += [a, a[0], a[1]]",
    "a row by an index": "a[0] = p[0]; out += [a, a.view(12)]",
    "a view": "v = a.view(12); v += p.view(12); out += [a, v]",
    "a view of what was written": "a += p; v = a[1]; v *= 2; out += [a, v]",
    "what an older view sees": "v = a[1]; a += p; out += [v, a]",
    "what the base writes later": "a += p; b.data.add_(1); out += [a, a[0]]",
    "without gradient mode later": "a += p\nwith t.no_grad(): a.mul_(3)\nout += [a, a[1:]]",
    "after it was read": "a.sum().item(); a += p; a.sum().item(); out += [a.view(4, 3), a[2]]",
    "cut off again": "a += p; c = a.detach(); c *= p; out += [c[0], c]",
    "by chances": "s = (p.detach() > 0).float().detach(); s += p - p.detach(); out += [t.cat([s.reshape(12), s[0]])]",
}


@pytest.mark.parametrize("base", ["t.ones(3, 4)", "p * 2", "t.ones(3, 1, 4).squeeze(1)", "t.ones(5, 4)[1:4]", "p"])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_gradient_that_is_written_to_a_detached_tensor_reaches_its_views(write: str, base: str) -> None:
    def run(t: Any) -> list[Any]:
        p = (t.arange(12.0).reshape(3, 4) - 5).requires_grad_()
        names: dict[str, Any] = {"t": t, "p": p, "out": []}
        names["b"] = eval(base, names)
        names["a"] = names["b"].detach()
        if base == "p":
            names["a"] = names["a"].clone().detach()
        exec(write, names)
        out = names["out"]
        sum((each * (t.arange(each.numel()) + 1.0).reshape(each.shape)).sum() for each in out).backward()
        return [p.grad, names["b"].requires_grad, names["b"], [each.requires_grad for each in out], *out]

    assert_close(run(lg), run(torch), floor=0.0, numbers=1e-5)
