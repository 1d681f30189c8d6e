"""`autograd.functional` and `autograd.forward_ad`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tests.func.numbers import floats
from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

CASES: list[Case] = []
scenario = scenarios(CASES)


def _functional(t: Any) -> Any:
    return import_module(f"{t.__name__}.autograd.functional")


@scenario
def jacobian_and_hessian(t: Any) -> list[Any]:
    f, x, y = _functional(t), floats(t, 3), floats(t, 2, 3, seed=1)
    leaf = floats(t, 3).requires_grad_()

    def pair(a: Any, b: Any) -> Any:
        return a * b, (a.sin() + b).sum()

    third = f.hessian(lambda a: (a**3).sum(), leaf, create_graph=True)
    return [
        f.jacobian(lambda a: a**3, x),
        f.jacobian(pair, (x, y)),
        f.jacobian(lambda a: a**3, x, vectorize=True, strategy="forward-mode"),
        f.jacobian(lambda a: a.detach().sum(), x),
        f.jacobian(lambda a: a**3, leaf, create_graph=True),
        f.hessian(lambda a: (a.sin() * a.roll(1, 0)).sum(), x),
        f.hessian(lambda a, b: (a * b).exp().sum(), (x, y)),
        third, t.autograd.grad(third.sum(), leaf),
        raised(lambda: f.jacobian(lambda a: a.detach().sum(), x, strict=True)),
        raised(lambda: f.jacobian(lambda a: 1, x)),
        raised(lambda: f.jacobian(lambda a: a, [x])),
        raised(lambda: f.jacobian(lambda a: a, x, strategy="forward-mode")),
        raised(lambda: f.jacobian(lambda a: a, x, strict=True, vectorize=True)),
        raised(lambda: f.hessian(lambda a: a, x)),
    ]  # fmt: skip


@scenario
def products(t: Any) -> list[Any]:
    f, x, y = _functional(t), floats(t, 3), floats(t, 2, 3, seed=1)
    leaf = floats(t, 3).requires_grad_()

    def pair(a: Any, b: Any) -> Any:
        return a * b, (a.sin() + b).sum()

    def energy(a: Any) -> Any:
        return (a.sin() * a.roll(1, 0)).sum()

    results: list[Any] = [
        f.vjp(pair, (x, y), (y, t.tensor(2.0, dtype=t.float64))),
        f.vjp(energy, x),
        f.jvp(pair, (x, y), (x.sin(), y)),
        f.jvp(lambda a: a.detach() * 2, x, x),
        f.vhp(energy, x, x.cos()),
        f.hvp(energy, x, x.cos()),
        f.hvp(lambda a, b: (a * b).prod(), (x, x + 1), (x, x)),
        f.jvp(lambda a: a**3, leaf, x, create_graph=True),
        f.vhp(energy, leaf, x, create_graph=True),
    ]
    for name in ("vjp", "jvp", "vhp", "hvp"):
        function = getattr(f, name)
        results += [
            raised(lambda function=function: function(lambda a: a * 2, x)),
            raised(lambda function=function: function(energy, x, y)),
            raised(lambda function=function: function(energy, (x,), (x, x))),
            raised(lambda function=function: function(lambda a: 1, x)),
            raised(lambda function=function: function(energy, [x], x)),
            raised(lambda function=function: function(lambda a: a.detach().sum(), x, strict=True)),
        ]
    return results


@scenario
def dual_tensors(t: Any) -> list[Any]:
    fw, x = import_module(f"{t.__name__}.autograd.forward_ad"), floats(t, 3)
    results: list[Any] = [raised(lambda: fw.make_dual(x, x)), fw.unpack_dual(x).tangent]
    with fw.dual_level():
        dual = fw.make_dual(x, x.sin())
        product = (dual * dual).exp()
        total = float(product.sum().item())
        results += [dual.requires_grad, total == total, fw.unpack_dual(product), fw.unpack_dual(x * 2).tangent]
        results += [fw.unpack_dual(fw.unpack_dual(product).primal * 2).tangent, fw.unpack_dual(dual[1:].sum())]
        results += [
            raised(fw.enter_dual_level),
            raised(lambda: fw.make_dual(t.arange(3), x)),
            raised(lambda: fw.make_dual(x, x[:2])),
        ]
        written = x * 1
        written[0] = dual[1] * 3
        results.append(fw.unpack_dual(written).tangent)
    return [*results, fw.unpack_dual(product).tangent, raised(fw.exit_dual_level)]
