"""First, second and third derivatives of the smooth functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case

_SMOOTH: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda t, x: x.exp(),
    "log": lambda t, x: x.log(),
    "sin": lambda t, x: x.sin(),
    "tanh": lambda t, x: x.tanh(),
    "sigmoid": lambda t, x: x.sigmoid(),
    "sqrt": lambda t, x: x.sqrt(),
    "rsqrt": lambda t, x: x.rsqrt(),
    "reciprocal": lambda t, x: x.reciprocal(),
    "pow": lambda t, x: x**3.5,
    "erf": lambda t, x: x.erf(),
    "softmax": lambda t, x: t.softmax(x, 0) * x,
    "log_softmax": lambda t, x: t.log_softmax(x, 0) * x,
    "logsumexp": lambda t, x: x.logsumexp(0),
    "gelu": lambda t, x: t.nn.functional.gelu(x),
    "gelu tanh": lambda t, x: t.nn.functional.gelu(x, approximate="tanh"),
    "silu": lambda t, x: t.nn.functional.silu(x),
    "softplus": lambda t, x: t.nn.functional.softplus(x),
    "matmul": lambda t, x: x.outer(x) @ x,
    "prod": lambda t, x: x.prod(),
    "cumsum": lambda t, x: x.cumsum(0) ** 2,
    "var": lambda t, x: x.var() ** 2,
    "norm": lambda t, x: x.norm(),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (3,)) ** 2 * x,
    "index": lambda t, x: x[[0, 0, 2]] ** 3,
    "where": lambda t, x: t.where(x > 1, x**3, x**4),
    "cross_entropy": lambda t, x: t.nn.functional.cross_entropy(x[None] ** 2, t.tensor([1])),
    "conv1d": lambda t, x: t.nn.functional.conv1d(x.view(1, 1, 3) ** 2, x[:2].view(1, 1, 2)) ** 2,
    "max": lambda t, x: x.max() ** 3,
    "in place": lambda t, x: (x * 1).mul_(x).add_(x**3),
}


# The third derivative of torch's layer_norm differs from that of the same formula written out.
_ORDERS = {"layer_norm": 2}


def _derivatives_case(name: str, function: Callable[[Any, Any], Any]) -> Case:
    def derivatives(t: Any) -> list[Any]:
        x = t.tensor([0.5, 1.25, 2.0], dtype=t.float64, requires_grad=True)
        weight = t.tensor([1.0, -0.5, 2.0], dtype=t.float64)
        current, results = function(t, x), []
        for _ in range(_ORDERS.get(name, 3)):
            (current,) = t.autograd.grad((current * current.detach().cos()).sum(), x, create_graph=True)
            results.append(current.detach())  # whether a constant derivative still requires grad is not compared
            current = current * weight
        return results

    return Case(f"derivatives of {name}", derivatives, gradient=False, slack=100.0)


def _acosh_on_both_sides_of_its_cut(t: Any) -> list[Any]:
    z = t.tensor([complex(-2, 0.0), complex(-2, -0.0)], dtype=t.complex128, requires_grad=True)
    return list(t.autograd.grad(t.acosh(z).real.sum(), z))


CASES = [
    *[_derivatives_case(name, function) for name, function in _SMOOTH.items()],
    Case("derivative of acosh on both sides of its cut", _acosh_on_both_sides_of_its_cut, gradient=False),
]
