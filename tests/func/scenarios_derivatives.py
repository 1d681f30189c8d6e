"""`grad`, `vjp`, `jvp`, Jacobians and Hessians, what surrounds them and what they refuse."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

from .numbers import floats

CASES: list[Case] = []
scenario = scenarios(CASES)


@scenario
def grad_forms(t: Any) -> list[Any]:
    f, x, y = t.func, floats(t, 3), floats(t, 3, seed=1)
    return [
        f.grad(lambda a: (a**3).sum())(x),
        f.grad(lambda a, b: (a * b).sum(), argnums=1)(x, y),
        f.grad(lambda a, b: (a * b).sum(), argnums=-2)(x, y),
        f.grad(lambda a, b: (a * b).sin().sum(), argnums=(1, 0))(x, y),
        f.grad(lambda a, b: (a["p"] * b[0]).sum(), argnums=(0, 1))({"p": x}, [y]),
        f.grad(lambda a: a[0].sum())([x, y]),
        f.grad(lambda a, k=1: (a * k).sum())(x, k=2),
        f.grad(lambda a: (a.sum(), {"aux": a * 2}), has_aux=True)(x),
        f.grad_and_value(lambda a: (a * a).sum())(x),
        f.grad_and_value(lambda a: (a.sum(), a * 2), has_aux=True)(x),
        f.grad(lambda a: y.sum())(x),
        f.grad(f.grad(lambda a: a**4))(t.tensor(2.0)),
        f.grad(lambda a: a.detach().sum() + a.sum())(x),
    ]


@scenario
def grad_refuses(t: Any) -> list[Any]:
    f, x, captured = t.func, floats(t, 3), t.ones(3)
    attempts = [
        lambda: f.grad(lambda a: a)(x),
        lambda: f.grad(lambda a: 1.0)(x),
        lambda: f.grad(lambda a: (a * 1j).sum())(x),
        lambda: f.vjp(lambda a: (a, a.long()), x),
        lambda: f.jacrev(lambda a: a * a)(x * 1j),
        lambda: f.jacfwd(lambda a: a * a)(x * 1j),
        lambda: f.jacrev(lambda a: a * 1j)(x),
        lambda: f.jacfwd(lambda a: a * 1j)(x),
        lambda: f.hessian(lambda a: a.abs().sum())(x * 1j),
        lambda: f.grad(lambda a: a.sum())(t.arange(3)),
        lambda: f.grad(lambda a: a.sum(), argnums=3)(x),
        lambda: f.grad(lambda a: a.sum(), argnums="a")(x),
        lambda: f.grad(lambda a, b: a.sum(), argnums=(0, 0))(x, x),
        lambda: f.grad(lambda a: a.sum(), argnums=())(x),
        lambda: f.grad(lambda a: a * 1.0)(2.0),
        lambda: f.grad(lambda a: a.sum(), has_aux=True)(x),
        lambda: f.grad(lambda a: a.mul_(2).sum())(x),
        lambda: f.grad(lambda a: (captured.mul_(2) * a).sum())(x),
        lambda: f.grad(lambda a: a.requires_grad_().sum())(x),
        lambda: f.grad(lambda a: a.sum().backward())(x),
    ]
    return [raised(attempt) for attempt in attempts]


@scenario
def the_world_around(t: Any) -> list[Any]:
    f, x = t.func, floats(t, 3)
    leaf = floats(t, 3, seed=1).requires_grad_()

    def square(a: Any) -> Any:
        return (a * a * leaf).sum()

    outer = f.grad(square)(x)
    (second,) = t.autograd.grad(outer.sum(), leaf)
    through = f.grad(lambda a: (a**3).sum())(leaf)
    (third,) = t.autograd.grad(through.sum(), leaf)
    with t.no_grad():
        quiet = f.grad(lambda a: (a * a).sum())(leaf)
    inside = f.grad(lambda a: (a * t.no_grad()(lambda: a * 2)()).sum())(x)
    seen: list[Any] = []
    f.grad(lambda a: (seen.append((a.requires_grad, a.is_leaf)), a.sum())[1])(x)
    value = f.grad_and_value(lambda a: (a * a).sum())(x)[1]
    nested = f.grad(lambda a: a * f.grad(lambda b: a * b)(t.tensor(1.0)))(t.tensor(3.0))
    return [outer, second, through, third, quiet, inside, seen, value.requires_grad, nested, x.requires_grad]


@scenario
def vjp_forms(t: Any) -> list[Any]:
    f, x, y = t.func, floats(t, 3), floats(t, 3, seed=1)
    out, pull = f.vjp(lambda a, b: (a * b, {"s": a.sum()}), x, y)
    cotangents = (y, {"s": t.tensor(2.0, dtype=t.float64)})
    single, pull_one = f.vjp(t.sin, x)
    value, pull_aux, aux = f.vjp(lambda a: (a * a, a + 1), x, has_aux=True)
    refused = [
        raised(lambda: pull(x)),
        raised(lambda: pull_one(x[:2])),
        raised(lambda: pull_one(None)),
        raised(lambda: f.vjp(lambda a: 1, x)),
        raised(lambda: f.vjp(lambda a: a, 1)),
    ]
    return [out, pull(cotangents), pull(cotangents), single, pull_one(y), value, pull_aux(y), aux, refused,
            f.vjp(lambda a: t.ones(3), x)[1](t.ones(3)), f.vmap(pull_one)(t.eye(3, dtype=t.float64))]  # fmt: skip


@scenario
def jvp_forms(t: Any) -> list[Any]:
    f, x, y = t.func, floats(t, 3), floats(t, 3, seed=1)
    refused = [
        raised(lambda: f.jvp(t.sin, x, x)),
        raised(lambda: f.jvp(t.sin, (x,), x)),
        raised(lambda: f.jvp(t.sin, (x,), (x[:2],))),
        raised(lambda: f.jvp(t.sin, (), ())),
        raised(lambda: f.jvp(lambda a: 1, (x,), (x,))),
        raised(lambda: f.jvp(lambda a: t.ones(2), (x,), (x,), strict=True)),
        raised(lambda: f.jvp(t.sin, (t.arange(3),), (x,))),
    ]
    output, push = f.linearize(lambda a, b: (a * b).sin(), x, y)
    return [
        f.jvp(t.sin, (x,), (y,)),
        f.jvp(lambda a, b: {"m": a @ b, "s": a.softmax(0)}, (x, y), (y, x)),
        f.jvp(lambda a: (a * a, a + 1), (x,), (y,), has_aux=True),
        f.jvp(lambda a: t.ones(2), (x,), (y,)),
        f.jvp(lambda a: f.jvp(t.exp, (a,), (y,))[1], (x,), (y,)),
        f.jvp(lambda d: d["k"].cumsum(0).prod(), ({"k": x},), ({"k": y},)),
        refused, output, push(y, x), push(x, x), raised(lambda: push(x)),
    ]  # fmt: skip


def _model(t: Any, a: Any) -> Any:
    return t.stack([t.tanh(a).prod(), (a * a.roll(1, 0)).sum().exp().log1p()])


@scenario
def jacobians(t: Any) -> list[Any]:
    f, x, y = t.func, floats(t, 3), floats(t, 2, 3, seed=1)

    def pair(a: Any, b: Any) -> Any:
        return {"p": b * a, "q": [a.sin().sum()]}

    return [
        f.jacrev(lambda a: _model(t, a))(x),
        f.jacfwd(lambda a: _model(t, a))(x),
        f.jacrev(pair, argnums=(0, 1))(x, y),
        f.jacfwd(pair, argnums=(0, 1))(x, y),
        f.jacrev(pair, argnums=1)(x, y),
        f.jacrev(lambda a: (a * a, a.sum()), has_aux=True)(x),
        f.jacfwd(lambda a: (a * a, a.sum()), has_aux=True)(x),
        f.jacrev(lambda a: a**2, chunk_size=2)(x),
        f.jacrev(lambda d: d["k"] ** 2)({"k": x}),
        f.jacfwd(lambda a: a * t.ones(3, dtype=t.float64))(x),
        [raised(lambda: f.jacrev(t.sin, chunk_size=0)), raised(lambda: f.jacrev(lambda a: a * 1.0)(t.arange(3))),
         raised(lambda: f.jacfwd(lambda a: a * 1.0)(t.arange(3))), raised(lambda: f.jacfwd(lambda a: 1.0)(x)),
         raised(lambda: f.jacfwd(lambda a: a * t.rand(3))(x))],
    ]  # fmt: skip


@scenario
def hessians(t: Any) -> list[Any]:
    f, x, y = t.func, floats(t, 3), floats(t, 3, seed=1)

    def energy(a: Any, b: Any = 1.0) -> Any:
        return (t.tanh(a * b).sum() * (a * a).mean()).exp()

    return [
        f.hessian(energy)(x),
        f.hessian(energy, argnums=(0, 1))(x, y),
        f.jacrev(f.jacrev(energy))(x),
        f.jacrev(f.jacfwd(energy))(x),
        f.jacfwd(f.jacfwd(energy))(x),
        f.vmap(f.hessian(energy))(t.stack([x, y])),
        f.jvp(f.grad(energy), (x,), (y,))[1],
        f.grad(lambda a: f.jvp(energy, (a,), (y,))[1])(x),
        f.jacfwd(f.hessian(energy))(x),
        f.vmap(f.vmap(f.grad(lambda a: a.sin())))(t.stack([x, y])),
    ]


@scenario
def derivatives_of_nn(t: Any) -> list[Any]:
    f, n = t.func, t.nn.functional
    x, v = floats(t, 2, 4, 6, 6), floats(t, 2, 4, 6, 6, seed=1)
    kernel, dkernel = floats(t, 4, 2, 3, 3, seed=2), floats(t, 4, 2, 3, 3, seed=3)
    rows, target = floats(t, 3, 5, seed=4), t.tensor([1, 0, 4])
    return [
        f.jvp(lambda a, k: n.conv2d(a, k, groups=2, padding=1), (x, kernel), (v, dkernel)),
        f.jvp(lambda a: n.max_pool2d(a, 2), (x,), (v,)),
        f.jvp(lambda a: n.layer_norm(a, (6,)), (x,), (v,)),
        f.jvp(lambda a: n.gelu(a) + n.silu(a) + n.relu(a), (x,), (v,)),
        f.jvp(lambda a: n.cross_entropy(a, target), (rows,), (rows.sin(),)),
        f.jacrev(lambda a: n.cross_entropy(a, target, reduction="none"))(rows),
        f.vmap(f.jacfwd(lambda a: n.softmax(a, 0)))(rows),
        f.hessian(lambda a: n.cross_entropy(a, target))(rows),
        f.vmap(f.grad(lambda a, k: n.conv2d(a, k, groups=2).square().sum(), argnums=1), in_dims=(0, None))(x, kernel),
    ]
