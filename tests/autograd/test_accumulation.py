"""What `backward` adds to a ``.grad`` that is there already: recorded directly where it is plain, else as by ``+``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def earlier_gradient(lib: Any, w: Any) -> None:
    (w * w).sum().backward()


def view_of_the_users(lib: Any, w: Any) -> None:
    w.grad = lib.arange(12.0).reshape(3, 4).T[1:]  # 3 × 3, strided


def memory_of_the_users(lib: Any, w: Any) -> None:
    array = np.arange(9, dtype=np.float32).reshape(3, 3)
    w.grad = lib.from_numpy(array)
    w.memory = array


def differentiable(lib: Any, w: Any) -> None:
    (w**3).sum().backward(create_graph=True)


def of_another_tensor(lib: Any, w: Any) -> None:
    earlier_gradient(lib, w)
    w.other = w.detach().clone().requires_grad_()
    w.other.grad = w.grad


def subclass(lib: Any, w: Any) -> None:
    w.grad = lib.nn.Parameter(lib.ones(3, 3), requires_grad=False)


def weighed_in_another_dtype(lib: Any, w: Any) -> None:
    (w.double() * 2).sum().backward()


BEFORE = [
    earlier_gradient,
    view_of_the_users,
    pytest.param(memory_of_the_users, marks=pytest.mark.host_memory("numpy sees the memory")),
    differentiable,
    of_another_tensor,
    subclass,
    weighed_in_another_dtype,
]


def outcome(lib: Any, before: Callable[[Any, Any], None]) -> list[Any]:
    w = (lib.arange(9.0).reshape(3, 3) + 1).requires_grad_()
    before(lib, w)
    held = w.grad
    alias = held.detach()
    for _ in range(2):
        (w.exp() * 0.01).sum().backward()
    seen = [w.grad.detach().numpy().copy(), alias.numpy().copy(), w.grad is held, w.grad.requires_grad, type(w.grad)]
    seen += [w.memory.copy()] if hasattr(w, "memory") else []
    seen += [w.other.grad.detach().numpy().copy()] if hasattr(w, "other") else []
    return seen


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("before", BEFORE, ids=lambda before: before.__name__)
def test_a_gradient_that_is_there_is_added_to_as_in_pytorch(before: Callable[[Any, Any], None]) -> None:
    for ours, theirs in zip(outcome(lg, before), outcome(torch, before), strict=True):
        if isinstance(theirs, np.ndarray):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        elif isinstance(theirs, bool):
            assert ours is theirs
        else:
            assert ours.__name__ == theirs.__name__


def test_hooks_of_the_step_that_accumulates_see_it_before_and_after() -> None:
    seen: list[Any] = []
    w = lg.ones(2, requires_grad=True)
    step = (w * 1).grad_fn.next_functions[0][0]
    step.register_prehook(lambda gradients: (gradients[0] * 3,))
    step.register_hook(lambda _, gradients: seen.append(w.grad.tolist()))
    for _ in range(2):
        (w * 2).sum().backward()
    assert seen == [[6.0, 6.0], [12.0, 12.0]]
