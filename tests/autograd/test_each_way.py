"""Programs about gradients have PyTorch's in each way of running them: met first, met again, by its tape, planned.

`tests.fuzz.autograd_programs` draws others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad
from tests.ways import in_each_way

Program = Callable[[Any, Any], list[Any]]
Checkpoint = Callable[..., Any]


def weights(lib: Any) -> list[Any]:
    values = [[-1.188, 0.698], [-0.308, -0.034], [-1.197, -0.954]]
    return [lib.tensor(value, dtype=lib.float64).requires_grad_() for value in values]


def seen(tensor: Any) -> Any:
    return None if tensor is None else tensor.detach().tolist()


def checkpoint_of_a_leaf(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    a, w, _ = weights(lib)
    checkpoint(lambda z: z * w, a, use_reentrant=False).sum().backward()
    return [a.grad, w.grad]


def reentrant_checkpoint_of_a_leaf(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    a, w, _ = weights(lib)
    checkpoint(lambda z: z * w, a, use_reentrant=True).sum().backward()
    return [a.grad, w.grad]


def one_weight_in_checkpoints_one_after_another(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    a, w, _ = weights(lib)
    for _ in range(4):
        a = checkpoint(lambda z: (z * w).tanh(), a, use_reentrant=False)
    a.sum().backward()
    return [w.grad]


def one_weight_in_checkpoints_apart(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    a, w, c = weights(lib)
    first, second = (checkpoint(lambda z: z * w, x, use_reentrant=False) for x in (a, c))
    (first.exp() + second).sum().backward()
    return [a.grad, w.grad, c.grad]


def a_part_of_a_checkpoint_without_its_arguments(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    """The sum of ``c`` lies inside the checkpoint, and in the gradient of ``b``, which is read first."""
    a, b, c = weights(lib)
    loss = (checkpoint(lambda x: lib.where(x > 0, x, 0.2 * x * a) * c.sum(), a, use_reentrant=False) * b).sum()
    _, of_c, of_a = lib.autograd.grad(loss, [b, c, a], retain_graph=True)
    a.register_hook(lambda gradient: None)
    loss.backward(create_graph=True)
    return [of_a, loss, a.grad, b.grad, of_c]


def a_second_derivative_that_does_not_depend_on_what_starts_a_checkpoint(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    a, b, c = weights(lib)
    loss = (checkpoint(lambda x: (x * b).exp().sign() + a, a, use_reentrant=False) * c).sum()
    found = lib.autograd.grad(loss, [c, b], create_graph=True)
    penalty = found[0].square().sum() + found[1].square().sum()
    return [*found, *lib.autograd.grad(penalty, [a, b, c], allow_unused=True)]


def slices_of_a_leaf_below_a_gradient_that_was_read(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    a, b, c = weights(lib)
    loss = (checkpoint(lambda x: lib.cat([(x + a)[1:], a[:1]]), c, use_reentrant=False) * b).sum()
    penalty = lib.autograd.grad(loss, [a], create_graph=True)[0].square().sum()
    read = penalty.detach().tolist()
    return [lib.tensor(read), *lib.autograd.grad(penalty, [b])]


def a_function_beside_the_same_operations(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    """It saves one tensor, closes over the other, and asks for gradients of its own."""

    class Own(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.w = w
            ctx.save_for_backward(x)
            return lib.tanh(x * w)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            with lib.enable_grad():
                y = x.detach().requires_grad_()
                z = lib.tanh(y * ctx.w)
            return lib.autograd.grad(z, (y, ctx.w), g)

    x, w, _ = weights(lib)
    own = lib.autograd.grad(Own.apply(x, w).square().sum(), (x, w))
    plain = lib.autograd.grad(lib.tanh(x * w).square().sum(), (x, w))
    return [one - other for one, other in zip(own, plain, strict=True)]


def a_function_that_differentiates_inside_under_a_second_derivative(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    class Recomputing(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x, w)
            return (x * w).sin() + w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            with lib.enable_grad():
                again = [each.detach().requires_grad_() for each in ctx.saved_tensors]
                lib.autograd.backward((again[0] * again[1]).sin() + again[1], g)
            return again[0].grad, again[1].grad

    _, b, c = weights(lib)
    loss = (Recomputing.apply(c * lib.tensor([0.3, 0.5], dtype=lib.float64), b) * b).mean()
    found = lib.autograd.grad(loss, [b, c], create_graph=True)
    first = found[0].square().sum()
    read = first.detach().tolist()
    penalty = first + found[1].square().sum() * 2
    penalty.backward(retain_graph=True)
    return [lib.tensor(read), b.grad, c.grad, penalty]


def a_function_that_reads_its_gradient_under_a_second_derivative(lib: Any, checkpoint: Checkpoint) -> list[Any]:
    class Reading(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x)
            return x.exp() * 0.3 + w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            scale = 2.0 if float(g.abs().sum()) > 1 else 1.0
            return g * ctx.saved_tensors[0].exp() * scale, g

    a, b, c = weights(lib)
    loss = (Reading.apply(a * b, c) * c.sin()).sum()
    found = lib.autograd.grad(loss, [a, c], create_graph=True)
    penalty = found[0].square().sum() + found[1].square().sum()
    return [*found, *lib.autograd.grad(penalty, [a, b, c])]


PROGRAMS: list[Program] = [
    checkpoint_of_a_leaf,
    reentrant_checkpoint_of_a_leaf,
    one_weight_in_checkpoints_one_after_another,
    one_weight_in_checkpoints_apart,
    a_part_of_a_checkpoint_without_its_arguments,
    a_second_derivative_that_does_not_depend_on_what_starts_a_checkpoint,
    slices_of_a_leaf_below_a_gradient_that_was_read,
    a_function_beside_the_same_operations,
    a_function_that_differentiates_inside_under_a_second_derivative,
    a_function_that_reads_its_gradient_under_a_second_derivative,
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_gradients_are_pytorchs_in_each_way(torch: Any, program: Program) -> None:
    def run(lib: Any) -> list[Any]:
        checkpoint = importlib.import_module(f"{lib.__name__}.utils.checkpoint").checkpoint
        return [seen(tensor) for tensor in program(lib, checkpoint)]

    want = run(torch)
    for way, have in in_each_way(lambda: run(lazygrad)):
        assert len(have) == len(want)
        for position, (ours, theirs) in enumerate(zip(have, want, strict=True)):
            assert (ours is None) == (theirs is None), f"{way}: {position}"
            if ours is not None:
                np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12, err_msg=f"{way}: {position}")
