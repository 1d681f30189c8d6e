"""Hooks on what recorded gradients are computed from, and on what is computed from them, as in PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.comparing import assert_close

# Which of two steps differentiate and which values have hooks: 1 and 2 for gradients that are recorded, a and b for
# hooks, v for a value that both steps read, r for hooks that read the gradient, t for hooks with hooks of their own.
CASES = ["12ab", "12abv", "12abp", "12a", "12av", "1a", "2a", "2ab", "12b", "12abr", "12abvr", "12abvt", "2abrt"]


def two_steps(t: Any, case: str) -> list[Any]:
    p0, seen = t.tensor([1.0, 2.0, 3.0], requires_grad=True), []

    def hook_by(factor: float) -> Any:
        def hook(gradient: Any) -> Any:
            if "r" in case:
                seen.append(gradient.tolist())
            else:
                seen.append(gradient)
            if "t" in case and gradient.requires_grad:
                gradient.register_hook(lambda second: second * 0.5)
            return gradient * factor

        return hook

    g1 = t.autograd.grad((p0**3).sum(), p0, create_graph=True)[0] if "1" in case else 3 * p0**2
    v1 = g1 * g1 * 0.01
    if "a" in case:
        v1.register_hook(hook_by(10))
    p1 = p0 - 0.1 * v1
    g2 = t.autograd.grad((p1**3).sum(), p1, create_graph=True)[0] if "2" in case else 3 * p1**2
    v2 = g2 * 2 + (v1 if "v" in case else 0)
    if "b" in case:
        v2.register_hook(hook_by(3))
    p2 = p1 * v2 if "p" in case else v2
    p2.sum().backward()
    return [p0.grad, *[each.detach() if t.is_tensor(each) else t.tensor(each) for each in seen]]


@pytest.mark.parametrize("case", CASES)
def test_hooks_on_the_way_of_gradients_of_gradients_run(case: str, torch: Any, candidate: Any) -> None:
    assert_close(two_steps(candidate, case), two_steps(torch, case), floor=1e-5, numbers=1e-4)


def differentiable_optimizer(t: Any, read: bool) -> list[Any]:
    """Adam's second moments, whose root has no gradient where they are zero: a hook keeps that out."""
    p0 = p = t.tensor([1.0, 2.0, 0.0], requires_grad=True)
    moments = t.zeros(3)
    for _ in range(3):
        gradient = t.autograd.grad((p**3).sum(), p, create_graph=True)[0]
        moments = moments * 0.9 + 0.1 * gradient * gradient
        is_zero = moments == 0

        def hook(arriving: Any, is_zero: Any = is_zero) -> Any:
            if read:
                arriving.tolist()
            return t.where(is_zero, t.zeros_like(arriving), arriving)

        moments.register_hook(hook)
        p = p - 0.1 * gradient / (moments.sqrt() + 1e-8)
    p.pow(2).sum().backward()
    return [p, p0.grad]


@pytest.mark.parametrize("read", [False, True])
def test_a_hook_keeps_out_what_a_differentiable_optimizer_cannot_use(read: bool, torch: Any, candidate: Any) -> None:
    ours, theirs = differentiable_optimizer(candidate, read), differentiable_optimizer(torch, read)
    assert_close(ours, theirs, floor=1e-5, numbers=1e-4)
