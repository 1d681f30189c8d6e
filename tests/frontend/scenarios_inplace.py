"""In-place writes: every kind of method and operator, versions, dtypes and shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

CASES: list[Case] = []
scenario = scenarios(CASES)

# Each is applied to the whole of a tensor, and to a view of one.
UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add_": lambda t, x: x.add_(1),
    "add_ alpha": lambda t, x: x.add_(t.ones(3), alpha=0.5),
    "sub_": lambda t, x: x.sub_(2.5),
    "mul_": lambda t, x: x.mul_(3),
    "div_": lambda t, x: x.div_(4),
    "div_ floor": lambda t, x: x.div_(0.7, rounding_mode="floor"),
    "pow_": lambda t, x: x.pow_(2),
    "neg_": lambda t, x: x.neg_(),
    "abs_": lambda t, x: x.abs_(),
    "exp_": lambda t, x: x.exp_(),
    "sqrt_": lambda t, x: x.abs_().sqrt_(),
    "tanh_": lambda t, x: x.tanh_(),
    "sigmoid_": lambda t, x: x.sigmoid_(),
    "relu_": lambda t, x: x.relu_(),
    "round_": lambda t, x: x.round_(),
    "clamp_": lambda t, x: x.clamp_(-0.5, 0.5),
    "zero_": lambda t, x: x.zero_(),
    "fill_": lambda t, x: x.fill_(2.5),
    "fill_ tensor": lambda t, x: x.fill_(t.tensor(3)),
    "copy_": lambda t, x: x.copy_(t.arange(3)),
    "lerp_": lambda t, x: x.lerp_(t.ones(3), 0.25),
    "addcmul_": lambda t, x: x.addcmul_(t.ones(3), t.arange(3.0), value=2),
    "addcdiv_": lambda t, x: x.addcdiv_(t.ones(3), t.arange(1.0, 4.0)),
    "masked_fill_": lambda t, x: x.masked_fill_(t.tensor([True, False, True]), 9),
    "index_fill_": lambda t, x: x.index_fill_(-1, t.tensor([1]), 9),
    "cumsum_": lambda t, x: x.cumsum_(-1),
    "+=": lambda t, x: x.__iadd__(1),
    "-=": lambda t, x: x.__isub__(t.ones(3)),
    "*=": lambda t, x: x.__imul__(2),
    "/=": lambda t, x: x.__itruediv__(2),
    "//=": lambda t, x: x.__ifloordiv__(0.3),
    "%=": lambda t, x: x.__imod__(0.7),
    "**=": lambda t, x: x.__ipow__(2),
    "[...] =": lambda t, x: x.__setitem__(..., 5),
    "[0] =": lambda t, x: x.__setitem__(0, 5),
    "[:2] =": lambda t, x: x.__setitem__(slice(0, 2), t.tensor([5.0, 6.0])),
    "[mask] =": lambda t, x: x.__setitem__(x > 0, -1),
    "[index] =": lambda t, x: x.__setitem__(t.tensor([2, 0]), t.tensor([7.0, 8.0])),
    "[index] +=": lambda t, x: x.__setitem__(t.tensor([2, 0]), x[t.tensor([2, 0])] + 1),
}


def _update_case(name: str, update: Callable[[Any, Any], Any]) -> Case:
    """The update on a tensor and on a strided view: values, versions and the object returned."""

    def function(t: Any) -> list[Any]:
        whole = t.tensor([-1.5, 0.25, 2.0])
        base = t.tensor([[-1.5, 3.0], [0.25, 4.0], [2.0, 5.0]])
        column = base[:, 0]
        returned = [update(t, whole), update(t, column)]
        versions = [whole._version, base._version, column._version]
        same = [result is None or result is target for result, target in zip(returned, (whole, column), strict=True)]
        return [whole, base, column, versions, same]

    return Case(f"in place: {name}", function, gradient=False)


CASES += [_update_case(name, update) for name, update in UPDATES.items()]


@scenario
def operators_keep_the_object(t: Any) -> list[Any]:
    x = t.ones(3)
    y = x
    y += 1
    y *= 3
    y -= t.ones(3)
    y /= 2
    y **= 2
    mask = t.tensor([True, False])
    other = mask
    other &= t.tensor([True, True])
    other |= t.tensor([False, False])
    other ^= t.tensor([True, True])
    return [x, y is x, mask, other is mask, x._version, mask._version]


@scenario
def triangles_in_place(t: Any) -> list[Any]:
    x = t.ones(3, 3)
    return [x.tril_(), x.t().triu_(1), x, x._version]


@scenario
def versions_count_writes(t: Any) -> list[Any]:
    x = t.zeros(4)
    seen = [x._version]
    for update in (
        lambda: x.add_(1),
        lambda: x[0].mul_(2),
        lambda: x.__setitem__(1, 5),
        lambda: x + 1,
        lambda: x.zero_(),
    ):
        update()
        seen.append(x._version)
    return [*seen, x.view(2, 2)._version, x.clone()._version, x.detach()._version]


@scenario
def out_of_place_functions_do_not_count(t: Any) -> list[Any]:
    x = t.rand(4)
    before = x._version
    t.exp(x), x.sum(), x.sort(), x[x > 0.5], x.clone().add_(1)
    return [x._version - before]


@scenario
def results_must_fit_the_dtype(t: Any) -> list[Any]:
    integer, byte, flag, single = t.ones(2, dtype=t.int64), t.ones(2, dtype=t.uint8), t.tensor([True]), t.ones(2)
    attempts: list[Callable[[], Any]] = [
        lambda: integer.add_(1.5),
        lambda: integer.add_(t.ones(2)),
        lambda: integer.div_(2),
        lambda: integer.exp_(),
        lambda: integer.__itruediv__(2),
        lambda: flag.add_(1),
        lambda: byte.add_(t.ones(2, dtype=t.int64)),
        lambda: single.add_(t.ones(2, dtype=t.float64)),
        lambda: integer.mul_(True),
        lambda: integer.__iadd__(2),
        lambda: flag.copy_(t.tensor([5.5])),
        lambda: integer.copy_(t.tensor([1.9, 2.9])),
        lambda: integer.fill_(3.7),
    ]
    return [[raised(attempt) for attempt in attempts], integer, byte, flag, single]


@scenario
def shapes_must_stay(t: Any) -> list[Any]:
    x = t.ones(3)
    attempts: list[Callable[[], Any]] = [
        lambda: x.add_(t.ones(2, 3)),
        lambda: x.add_(t.ones(4)),
        lambda: x.copy_(t.ones(2)),
        lambda: x.__setitem__(slice(0, 2), t.ones(3)),
        lambda: x.__setitem__(0, t.ones(2)),
        lambda: x.mul_(t.ones(1)),
        lambda: x.copy_(t.ones(1)),
    ]
    return [[raised(attempt) for attempt in attempts], x]


@scenario
def expanded_views_refuse_writes(t: Any) -> list[Any]:
    x = t.ones(3, 1)
    wide = x.expand(3, 4)
    attempts: list[Callable[[], Any]] = [
        lambda: wide.add_(1),
        lambda: wide.mul_(t.ones(3, 4)),
        lambda: wide[0].add_(1),
        lambda: wide[:, :1].add_(1),
        lambda: wide[:, 0].add_(1),
        lambda: wide.clone().add_(1),
    ]
    return [[raised(attempt) for attempt in attempts], x]


@scenario
def leaves_that_require_grad_refuse_writes(t: Any) -> list[Any]:
    x = t.ones(3, requires_grad=True)
    attempts: list[Callable[[], Any]] = [
        lambda: x.add_(1),
        lambda: x.__iadd__(1),
        lambda: x.__setitem__(0, 1),
        lambda: x[0].mul_(2),
        lambda: x.view(3, 1).zero_(),
        lambda: x.copy_(t.zeros(3)),
        lambda: x.detach().add_(1),
        lambda: x.data.add_(1),
    ]
    outcome = [raised(attempt) for attempt in attempts]
    with t.no_grad():
        x.mul_(2)
        x[0] = 9
        x.view(3, 1)[1] = 4
    return [outcome, x.detach().clone(), x.is_leaf, x.requires_grad, x.grad_fn is None, x._version]


@scenario
def fills_and_random_fills(t: Any) -> list[Any]:
    x = t.empty(50)
    x.uniform_(2, 3)
    uniform = [bool((x >= 2).all()), bool((x < 3).all()), x._version]
    x.normal_(5.0, 0.001)
    normal = [bool(((x - 5).abs() < 0.1).all()), x._version]
    x.bernoulli_(0.5)
    return [uniform, normal, bool(((x == 0) | (x == 1)).all()), x.fill_(1).sum()]


@scenario
def requires_grad_in_place(t: Any) -> list[Any]:
    x = t.ones(2)
    same = x.requires_grad_() is x
    facts = [same, x.requires_grad, x.is_leaf]
    x.requires_grad_(False)
    x.requires_grad = True
    y = x * 2
    detached = y.detach_() is y
    return [*facts, x.requires_grad, detached, y.requires_grad, y.grad_fn is None, y.is_leaf]


@scenario
def shape_changes_in_place(t: Any) -> list[Any]:
    x = t.arange(6.0).reshape(1, 2, 3).clone()
    pointer = x.data_ptr()
    x.squeeze_(0).t_().unsqueeze_(-1).transpose_(0, 1)
    return [x, x.stride(), x.data_ptr() == pointer, x._version]
