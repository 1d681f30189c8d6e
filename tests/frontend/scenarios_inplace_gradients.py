"""Gradients through in-place writes: to results, to their views, and to constant bases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised
from tests.oracle.recipes import exactly

from .scenarios_inplace import UPDATES

CASES: list[Case] = []
scenario = scenarios(CASES)

# torch has no derivative for it.
_WITHOUT_GRADIENT = ("//=",)


def _gradient_case(name: str, update: Callable[[Any, Any], Any]) -> Case:
    def function(t: Any, x: Any) -> list[Any]:
        result = x * 2
        row = x.new_zeros(2, 3)
        row[1] = x * 3
        update(t, result)
        update(t, row[1])
        return [result, row]

    return Case(f"gradient through {name}", function, (exactly([-1.5, 0.25, 2.0]),))


CASES += [_gradient_case(name, update) for name, update in UPDATES.items() if name not in _WITHOUT_GRADIENT]


@scenario
def a_parameter_step_by_hand(t: Any) -> list[Any]:
    w = t.tensor([1.0, -2.0], requires_grad=True)
    losses = []
    for _ in range(4):
        loss = ((w * t.tensor([3.0, 1.0]) - 1) ** 2).sum()
        losses.append(loss.item())
        w.grad = None
        loss.backward()
        with t.no_grad():
            w -= 0.05 * w.grad
    return [t.tensor(losses), w.detach()]


@scenario
def gradient_through_writes_to_views(t: Any) -> list[Any]:
    x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * x
    y[0] *= 3
    y.t()[1].mul_(y[:, 0].clone())
    y.view(-1)[2] = x[0, 0] * 10
    y.sum().backward()
    return [y.detach(), x.grad, y.is_leaf, y.grad_fn is not None]


@scenario
def gradient_through_a_constant_base(t: Any) -> list[Any]:
    x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = t.zeros(2, 3)
    before = base.requires_grad
    row = base[1]
    row.copy_(x)
    row *= x
    after = [base.requires_grad, row.requires_grad, base.is_leaf, row.grad_fn is not None]
    (base**2).sum().backward()
    return [before, after, base.detach(), x.grad]


@scenario
def gradient_of_overwritten_values(t: Any) -> list[Any]:
    x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x.exp() * 1
    y[0] = 5.0
    y[1:].zero_()
    y.sum().backward()
    first = x.grad.clone()
    z = x * 2
    z[t.tensor([0, 2])] += x[:2] ** 2
    z[z > 4] = 0.0
    return [first, *t.autograd.grad(z.sum(), x), z.detach()]


@scenario
def a_leaf_becomes_a_result(t: Any) -> list[Any]:
    x = t.ones(2, requires_grad=True)
    y = t.zeros(2)
    facts = [y.is_leaf, y.requires_grad]
    y.add_(x)
    return [*facts, y.is_leaf, y.requires_grad, raised(lambda: y.requires_grad_(False))]


@scenario
def an_operand_changed_before_backward(t: Any) -> list[Any]:
    """Addition saves nothing, so that overwriting its operand is harmless."""
    x = t.tensor([1.0, 2.0], requires_grad=True)
    constant = t.tensor([3.0, 4.0])
    y = (x * 2).sum() + (x + constant).sum()
    constant.mul_(10)
    y.backward()
    return [x.grad, constant]
