"""Autograd: backward, grad, leaves, accumulation, modes and higher derivatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised
from tests.oracle.recipes import DTYPES

CASES: list[Case] = []
scenario = scenarios(CASES)


def _leaf(t: Any, *values: float) -> Any:
    return t.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


@scenario
def backward_of_a_scalar(t: Any) -> list[Any]:
    x = _leaf(t)
    before = x.grad is None
    returned = (x**2).sum().backward()
    return [before, returned, x.grad, x.grad.requires_grad, x.grad.is_leaf]


@scenario
def backward_with_a_gradient(t: Any) -> list[Any]:
    x, y = _leaf(t), _leaf(t, 1.0)
    (x * x).backward(t.tensor([1.0, 0.5, -1.0]))
    (y * 3).backward(gradient=t.tensor([2.0]))
    return [x.grad, y.grad]


@scenario
def backward_refuses(t: Any) -> list[Any]:
    x = _leaf(t)
    attempts: list[Callable[[], Any]] = [
        lambda: (x * 2).backward(),
        lambda: x.detach().sum().backward(),
        lambda: t.ones(()).backward(),
        lambda: (x * 2).backward(t.ones(2)),
        lambda: (x * 2).backward(t.ones(3, 1)),
        lambda: (x * 2).sum().backward(t.ones(3)),
        lambda: t.autograd.grad((x * 2).sum(), t.ones(3)),
        lambda: t.autograd.grad(x * 2, x),
        lambda: t.autograd.grad(x.detach().sum(), x),
        lambda: t.autograd.grad((x * 2).sum(), _leaf(t)),
    ]
    return [[raised(attempt) for attempt in attempts], x.grad]


@scenario
def a_second_backward(t: Any) -> list[Any]:
    x = _leaf(t)
    loss = (x.exp() * x).sum()
    loss.backward()
    first = raised(lambda: loss.backward())
    kept = (x.exp() * x).sum()
    kept.backward(retain_graph=True)
    kept.backward()
    return [first, raised(kept.backward), x.grad]


@scenario
def a_second_backward_through_a_shared_part(t: Any) -> list[Any]:
    x = _leaf(t)
    shared = x.exp() * x
    shared.sum().backward()
    return [raised((shared * 2).sum().backward), raised(lambda: t.autograd.grad((shared * shared).sum(), x))]


@scenario
def gradients_accumulate(t: Any) -> list[Any]:
    x = _leaf(t)
    (x * 2).sum().backward()
    first = x.grad
    before = first.clone()
    (x**2).sum().backward()
    after = x.grad.clone()
    x.grad.zero_()
    (x * 3).sum().backward()
    zeroed = x.grad.clone()
    x.grad = None
    (x * 4).sum().backward()
    return [before, after, first is x.grad, zeroed, x.grad]


@scenario
def assigning_grad(t: Any) -> list[Any]:
    x = _leaf(t)
    x.grad = t.ones(3)
    (x * 2).sum().backward()
    attempts: list[Callable[[], Any]] = [
        lambda: setattr(x, "grad", t.ones(2)),
        lambda: setattr(x, "grad", t.ones(3, dtype=t.float64)),
        lambda: setattr(x, "grad", 1.0),
        lambda: setattr(x, "grad", None),
    ]
    return [x.grad.clone(), [raised(attempt) for attempt in attempts], x.grad]


@scenario
def grad_of_several(t: Any) -> list[Any]:
    x, y = _leaf(t), _leaf(t, 4.0, 5.0, 6.0)
    result = t.autograd.grad((x * y).sum(), [x, y])
    single = t.autograd.grad((x * y).sum(), x)
    outputs = t.autograd.grad([x * y, x.sum()], (x, y), grad_outputs=[t.ones(3), None])
    return [type(result).__name__, result, single, outputs, x.grad, y.grad]


@scenario
def grad_of_unused(t: Any) -> list[Any]:
    x, y = _leaf(t), _leaf(t)
    loss = (x * 2).sum()
    refused = raised(lambda: t.autograd.grad(loss, [x, y], retain_graph=True))
    allowed = t.autograd.grad(loss, [x, y], allow_unused=True, retain_graph=True)
    zeros = t.autograd.grad(loss, [x, y], materialize_grads=True)
    return [refused, allowed, zeros]


@scenario
def grad_of_an_intermediate(t: Any) -> list[Any]:
    x = _leaf(t)
    middle = x * 2
    loss = (middle**2).sum() + middle.sum()
    return [*t.autograd.grad(loss, [middle, x]), x.grad, middle.requires_grad]


@scenario
def grad_retains_only_when_told(t: Any) -> list[Any]:
    x = _leaf(t)
    loss = (x.exp() * x).sum()
    first = t.autograd.grad(loss, x, retain_graph=True)
    second = t.autograd.grad(loss, x)
    return [first, second, raised(lambda: t.autograd.grad(loss, x))]


@scenario
def create_graph(t: Any) -> list[Any]:
    x = _leaf(t)
    (first,) = t.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = t.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = t.autograd.grad(second.sum(), x)
    return [first, second, third, first.requires_grad, first.grad_fn is not None, third.requires_grad]


@scenario
def backward_with_create_graph(t: Any) -> list[Any]:
    x = _leaf(t)
    (x**3).sum().backward(create_graph=True)
    gradient = x.grad
    x.grad = None
    (gradient**2).sum().backward()
    return [gradient, x.grad, gradient.requires_grad]


@scenario
def a_gradient_penalty(t: Any) -> list[Any]:
    w = t.tensor([[0.5, -1.0], [2.0, 0.3]], requires_grad=True)
    x = t.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
    out = t.tanh(x @ w).sum()
    (gradient,) = t.autograd.grad(out, x, create_graph=True)
    penalty = ((gradient.norm(dim=1) - 1) ** 2).mean()
    (out + penalty).backward()
    return [penalty.detach(), w.grad, x.grad]


@scenario
def leaves_and_results(t: Any) -> list[Any]:
    plain, leaf = t.ones(2), _leaf(t)
    made = [
        plain,
        leaf,
        leaf * 2,
        plain * 2,
        leaf.detach(),
        leaf[0],
        leaf > 1,
        leaf.clone(),
        leaf.long(),
        leaf.view(-1),
    ]
    return [(x.is_leaf, x.requires_grad, x.grad_fn is None) for x in made]


@scenario
def names_of_grad_fn(t: Any) -> list[Any]:
    x = _leaf(t)
    made = [x + 1, x * 2, x - 1, x / 2, x.exp(), x.sum(), x.mean(), x.view(3, 1), -x, x**2, x @ x, x.relu(), x.clone()]
    return [y.grad_fn.name() for y in made]


@scenario
def retained_gradients(t: Any) -> list[Any]:
    x = _leaf(t)
    middle = x * 2
    middle.retain_grad()
    other = x * 3
    before = [middle.retains_grad, other.retains_grad, middle.grad]
    (middle**2 + other).sum().backward()
    return [before, middle.grad, x.grad, other.grad, raised(t.ones(2).retain_grad), raised(x.retain_grad)]


@scenario
def dtypes_that_require_grad(t: Any) -> list[Any]:
    outcomes: list[Any] = []
    for name in DTYPES:
        x = t.ones(2, dtype=getattr(t, name))
        outcomes.append((name, raised(x.requires_grad_), x.requires_grad))
        outcomes.append(raised(partial(t.ones, 2, dtype=getattr(t, name), requires_grad=True)))
    return outcomes


@scenario
def numpy_needs_detach(t: Any) -> list[Any]:
    x = _leaf(t)
    attempts: list[Callable[[], Any]] = [
        x.numpy,
        (x * 2).numpy,
        x.detach().numpy,
        x.tolist,
        x.sum().item,
        lambda: float(x.sum()),
    ]
    return [raised(attempt) for attempt in attempts]


@scenario
def gradients_keep_dtype_and_shape(t: Any) -> list[Any]:
    half = t.ones(2, dtype=t.float16, requires_grad=True)
    single = t.ones(2, 1, requires_grad=True)
    double = t.ones((), dtype=t.float64, requires_grad=True)
    ((half + single) * double).sum().backward()
    return [half.grad, single.grad, double.grad]


@scenario
def no_gradient_where_nothing_requires_it(t: Any) -> list[Any]:
    x, y = _leaf(t), t.ones(3)
    (x.detach() * y + x).sum().backward()
    return [x.grad, y.grad, (x.detach() * y).requires_grad]


@scenario
def detach_cuts(t: Any) -> list[Any]:
    x = _leaf(t)
    y = x * 2
    (y.detach() * x).sum().backward()
    return [x.grad, y.detach().is_leaf, y.detach().grad_fn]


@scenario
def reading_before_backward(t: Any) -> list[Any]:
    x = _leaf(t)
    y = x.exp()
    loss = (y * x).sum()
    seen = [loss.item(), y.tolist(), repr(y)[:6]]
    loss.backward()
    return [t.tensor(seen[0]), t.tensor(seen[1]), seen[2], x.grad]


@scenario
def reading_the_loss_between_backward_and_the_gradient(t: Any) -> list[Any]:
    """The values kept for the gradient are those of the views, not of what the views look at."""
    x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    turned = (x * x).t()
    flipped = x.exp().flip(0)
    loss = (turned[1] * turned[0]).sum() + (flipped * flipped[:, :1]).sum()
    loss.backward()
    return [t.tensor(loss.item()), x.grad]


@scenario
def two_losses_share_a_part(t: Any) -> list[Any]:
    x = _leaf(t)
    shared = x.tanh()
    first, second = shared.sum(), (shared**2).sum()
    first.backward(retain_graph=True)
    one = x.grad.clone()
    second.backward()
    return [one, x.grad]


@scenario
def a_deep_chain(t: Any) -> list[Any]:
    x = _leaf(t)
    y = x
    for _ in range(2000):
        y = y * 0.999 + 0.001
    y.sum().backward()
    return [y.detach(), x.grad]
