"""Custom autograd.Function classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

CASES: list[Case] = []
scenario = scenarios(CASES)


def _leaf(t: Any, *values: float) -> Any:
    return t.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


def _scaled_square(t: Any) -> Any:
    """x² · factor with a gradient that is scaled by 10, to tell it from the true one."""

    class ScaledSquare(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.save_for_backward(x)
            ctx.factor = factor
            return x * x * factor

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gradient * 2 * x * ctx.factor * 10, None

    return ScaledSquare


@scenario
def custom_function(t: Any) -> list[Any]:
    x = _leaf(t)
    y = _scaled_square(t).apply(x, 0.5)
    facts = [y.detach(), y.requires_grad, y.is_leaf, y.grad_fn.name()]
    y.sum().backward()
    return [*facts, x.grad, _scaled_square(t).apply(x.detach(), 2.0).requires_grad]


@scenario
def custom_function_differentiated_twice(t: Any) -> list[Any]:
    x = _leaf(t)
    y = _scaled_square(t).apply(x, 0.5)
    (first,) = t.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = t.autograd.grad((first**2).sum(), x)
    return [first, second]


@scenario
def custom_function_with_needs_input_grad(t: Any) -> list[Any]:
    seen: list[Any] = []

    class Product(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            seen.append(tuple(ctx.needs_input_grad))
            x, y = ctx.saved_tensors
            return gradient * y if ctx.needs_input_grad[0] else None, gradient * x if ctx.needs_input_grad[1] else None

    x, y = _leaf(t), t.tensor([4.0, 5.0, 6.0])
    Product.apply(x, y).sum().backward()
    Product.apply(y, x).sum().backward()
    return [seen, x.grad, y.grad]


@scenario
def custom_function_with_two_outputs(t: Any) -> list[Any]:
    class SumAndDifference(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y, x - y

        @staticmethod
        def backward(ctx: Any, of_sum: Any, of_difference: Any) -> Any:
            return of_sum + of_difference, of_sum - of_difference

    x, y = _leaf(t), _leaf(t, 4.0, 5.0, 6.0)
    total, difference = SumAndDifference.apply(x, y)
    (total * difference).sum().backward()
    both = [x.grad.clone(), y.grad.clone()]
    SumAndDifference.apply(x, y)[0].sum().backward()
    return [total.detach(), difference.detach(), both, x.grad, y.grad]


@scenario
def custom_function_with_setup_context(t: Any) -> list[Any]:
    class Cube(t.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 3 * ctx.saved_tensors[0] ** 2

    x = _leaf(t)
    Cube.apply(x).sum().backward()
    return [x.grad]


@scenario
def a_straight_through_estimator(t: Any) -> list[Any]:
    class Round(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.round()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    x = _leaf(t, 0.2, 0.7, 1.6)
    (Round.apply(x * 2) * t.tensor([1.0, 2.0, 3.0])).sum().backward()
    return [x.grad]


def _broken_function(t: Any, backward: Callable[..., Any]) -> Any:
    class Broken(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    Broken.backward = staticmethod(backward)
    return Broken


@scenario
def custom_functions_that_are_wrong(t: Any) -> list[Any]:
    x = _leaf(t)
    outcomes = []
    backwards: list[Callable[..., Any]] = [
        lambda ctx, gradient: (gradient, gradient),
        lambda ctx, gradient: gradient[:2],
        lambda ctx, gradient: "text",
        lambda ctx, gradient: None,
        lambda ctx, gradient: 1 / 0,
    ]
    for backward in backwards:
        outcomes.append(raised(_broken_function(t, backward).apply(x).sum().backward))
    return [outcomes, raised(_scaled_square(t)), x.grad]


@scenario
def mark_non_differentiable(t: Any) -> list[Any]:
    class WithMask(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            mask = (x > 1).to(x.dtype)
            ctx.mark_non_differentiable(mask)
            ctx.save_for_backward(mask)
            return x * mask, mask

        @staticmethod
        def backward(ctx: Any, gradient: Any, _of_mask: Any) -> Any:
            return gradient * ctx.saved_tensors[0]

    x = _leaf(t)
    y, mask = WithMask.apply(x)
    y.sum().backward()
    return [y.requires_grad, mask.requires_grad, x.grad]
