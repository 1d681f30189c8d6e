"""`vmap`: arguments, results, randomness, errors, nesting, and functions of `nn`."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

from .numbers import floats, integers

CASES: list[Case] = []
scenario = scenarios(CASES)
Pair = namedtuple("Pair", "first second")


@scenario
def in_dims_and_out_dims(t: Any) -> list[Any]:
    x, y, vmap = floats(t, 3, 4), floats(t, 4, 3, seed=1), t.func.vmap
    return [
        vmap(t.dot)(x, x),
        vmap(t.dot, in_dims=(0, 1))(x, y),
        vmap(t.mul, in_dims=(-1, None))(x, y[:, 0][:3]),
        vmap(lambda a: (a, a * 2), out_dims=(0, 1))(x),
        vmap(lambda a: [a, {"k": a.sum()}], out_dims=-1)(x),
        vmap(lambda a: (a, (a, a)), out_dims=(1, 0))(x),
        vmap(lambda a: t.ones(2), out_dims=None)(x),
        vmap(lambda a: t.ones(2))(x),
        vmap(lambda a, n: a * n, in_dims=(0, None))(x, 3),
        vmap(lambda a, k=1: a * k)(x, k=5),
        t.vmap(lambda a: a + 1)(x),
        vmap(lambda a: a, out_dims=(1,))(x),
    ]


@scenario
def containers(t: Any) -> list[Any]:
    x, y, vmap = floats(t, 3, 4), floats(t, 3, 4, seed=1), t.func.vmap
    return [
        vmap(lambda d: d["a"] * d["b"][0])({"a": x, "b": [y]}),
        vmap(lambda d: d["a"] * d["b"], in_dims=({"a": 0, "b": None},))({"a": x, "b": y[0]}),
        vmap(lambda p: Pair(p.second, p.first), in_dims=(Pair(0, 0),))(Pair(x, y)),
        list(vmap(lambda d: OrderedDict(z=d["a"], y=d["a"] * 2))(OrderedDict(a=x)).items()),
        vmap(lambda ab, c: (ab[0] * c, ab[1]), in_dims=((0, 1), None))((x, y.T), y[0]),
    ]


@scenario
def chunks(t: Any) -> list[Any]:
    x, vmap = floats(t, 7, 3), t.func.vmap
    return [
        vmap(lambda a: a.cumsum(0), chunk_size=2)(x),
        vmap(lambda a: (a.sum(), a), chunk_size=3, out_dims=(0, 1))(x),
        vmap(lambda a: a, chunk_size=100)(x),
        vmap(lambda a, b: a * b, in_dims=(0, None), chunk_size=1)(x, x[0]),
    ]


@scenario
def refusals(t: Any) -> list[Any]:
    x, vmap = floats(t, 3), t.func.vmap
    attempts = [
        lambda: vmap(lambda: 1)(),
        lambda: vmap(lambda a: 1)(x),
        lambda: vmap(lambda a: None)(x),
        lambda: vmap(t.add)(x, x[:2]),
        lambda: vmap(t.add, in_dims=None)(x, x),
        lambda: vmap(t.add, in_dims=(0,))(x, x),
        lambda: vmap(t.add, in_dims="a")(x, x),
        lambda: vmap(t.add, in_dims=(None, None))(x, x),
        lambda: vmap(t.sum, in_dims=3)(x),
        lambda: vmap(lambda a, b: a, in_dims=(0, 0))(x, 2),
        lambda: vmap(t.sum)(t.tensor(1.0)),
        lambda: vmap(lambda a: a, out_dims=4)(x),
        lambda: vmap(lambda a: (a, a), out_dims=(0, 0, 0))(x),
        lambda: vmap(lambda a: a, out_dims=None)(x),
        lambda: vmap(lambda a: a, out_dims=1.5)(x),
        lambda: vmap(lambda a: a, chunk_size=0),
        lambda: vmap(lambda a: a, randomness="a"),
        lambda: vmap(lambda a: a.item())(x),
        lambda: vmap(lambda a: a if a > 0 else -a)(x),
        lambda: vmap(lambda a: a.nonzero())(x.reshape(1, 3)),
        lambda: vmap(lambda a: a + t.rand(()))(x),
        lambda: vmap(lambda a: t.nn.functional.dropout(a, 0.5))(x),
        lambda: vmap(lambda a: a.requires_grad_())(x),
        lambda: vmap(lambda a: t.tensor(a.numpy()))(x),
    ]
    return [raised(attempt) for attempt in attempts]


@scenario
def writes(t: Any) -> list[Any]:
    vmap, captured, x, y = t.func.vmap, t.zeros(3), floats(t, 2, 3, dtype="float32"), t.ones(2, 3)

    def own(a: Any) -> Any:
        b = a * 1
        b.add_(a)
        b[0] = 7.0
        return b

    def shared(a: Any) -> Any:
        captured.add_(1)
        return a * captured

    def given(a: Any) -> Any:
        a.mul_(2)
        return a + 1

    results = [vmap(own)(x), vmap(shared)(x), captured, vmap(given)(y), y]
    z = t.ones(3, 2)
    vmap(given, in_dims=1)(z)
    return [*results, z, raised(lambda: vmap(lambda a: captured.add_(a))(x))]


@scenario
def randomness(t: Any) -> list[Any]:
    x, vmap, functional = t.ones(4, 100), t.func.vmap, t.nn.functional

    def draw(mode: str) -> list[Any]:
        t.manual_seed(3)
        drawn = vmap(lambda a: a * t.randn(100), randomness=mode)(x)
        dropped = vmap(lambda a: functional.dropout(a, 0.5), randomness=mode)(x)
        order = vmap(lambda a: t.randperm(100), randomness=mode)(x)
        return [len({tuple(row.tolist()) for row in rows}) for rows in (drawn, dropped, order)]

    t.manual_seed(0)
    numbers = vmap(lambda a: a + t.randn(100), randomness="different")(x)
    t.manual_seed(0)
    same = vmap(lambda a: a + t.rand(100), randomness="same")(x)
    nested = vmap(vmap(lambda a: functional.dropout(a, 0.5), randomness="different"), randomness="different")(
        t.ones(3, 4, 50)
    )
    rows = {tuple(row.tolist()) for row in nested.reshape(12, 50)}
    return [draw("different"), draw("same"), numbers, same, nested.shape, len(rows)]


@scenario
def nesting(t: Any) -> list[Any]:
    x, y, f = floats(t, 3, 4), floats(t, 5, 4, seed=1), t.func
    return [
        f.vmap(lambda a: f.vmap(lambda b: t.dot(a, b))(y))(x),
        f.vmap(f.vmap(lambda a, b: a * b, in_dims=(0, None)), in_dims=(None, 0))(x, y),
        f.vmap(f.vmap(lambda a: a.sin(), in_dims=0), in_dims=1, out_dims=1)(x),
        f.vmap(lambda a: f.vmap(lambda b: b)(y))(x),
        f.grad(lambda a: f.vmap(lambda b: (b * b.sum()).sin().sum())(a).prod())(x),
        f.vmap(f.grad(lambda a: f.vmap(lambda b: (b * a.sum()).sin())(y).sum()))(x),
    ]


@scenario
def gradients_flow_through(t: Any) -> list[Any]:
    x = floats(t, 3, 4).requires_grad_()
    weight = floats(t, 4, seed=2).requires_grad_()
    out = t.func.vmap(lambda a: t.tanh(a * weight).sum())(x)
    grads = t.autograd.grad(out.prod(), [x, weight])
    plain = t.func.vmap(lambda a: a.detach())(x)
    with t.no_grad():
        quiet = t.func.vmap(lambda a: a * weight)(x)
    return [out, *grads, plain, quiet]


@scenario
def functions_of_nn(t: Any) -> list[Any]:
    vmap, n = t.func.vmap, t.nn.functional
    x, image = floats(t, 3, 5, 8), floats(t, 3, 2, 4, 6, 6)
    weight, weights = floats(t, 6, 8, seed=1), floats(t, 3, 6, 8, seed=2)
    kernel, kernels = floats(t, 8, 2, 3, 3, seed=3), floats(t, 3, 8, 2, 3, 3, seed=4)
    target, gain = integers(t, 3, 5, high=8), floats(t, 3, 8, seed=5)
    table, index = floats(t, 7, 4, seed=6), integers(t, 3, 5, high=7)
    q = floats(t, 3, 2, 5, 8, seed=7)
    return [
        vmap(lambda a: n.linear(a, weight))(x),
        vmap(lambda a, w: n.linear(a, w, w[:, 0]))(x, weights),
        vmap(lambda w: n.linear(x[0, 0], w))(weights),
        vmap(lambda a: n.conv2d(a, kernel, groups=2, padding=1))(image),
        vmap(lambda a, k: n.conv2d(a, k, k[:, 0, 0, 0], groups=2, stride=2))(image, kernels),
        vmap(lambda k: n.conv2d(image[0], k, groups=2))(kernels),
        vmap(lambda a, k: n.conv_transpose2d(a, k[:4], padding=1))(image, kernels),
        vmap(lambda a: n.max_pool2d(a, 2))(image),
        vmap(lambda a: n.avg_pool2d(a, 3, stride=2))(image),
        vmap(lambda a, g: n.layer_norm(a, (8,), g))(x, gain),
        vmap(lambda a: n.group_norm(a, 2))(image),
        vmap(lambda a: n.batch_norm(a, None, None, training=True))(image),
        vmap(n.cross_entropy)(x, target),
        vmap(lambda a, b: n.cross_entropy(a, b, label_smoothing=0.1, reduction="none"))(x, target),
        vmap(lambda a, b, w: n.cross_entropy(a, b, w.abs()))(x, target, gain),
        vmap(lambda a: n.scaled_dot_product_attention(a, a, a, is_causal=True))(q),
        vmap(lambda a, k: n.scaled_dot_product_attention(a, k, k), in_dims=(0, None))(q, q[0]),
        vmap(lambda i: n.embedding(i, table))(index),
        vmap(lambda i, w: n.embedding(i, w), in_dims=(0, None))(index, table),
        vmap(lambda a: n.softmax(a, -1))(x),
        vmap(lambda a: n.pad(a, (1, 2), value=3.0))(x),
        vmap(lambda a: n.normalize(a, dim=-1))(x),
        vmap(lambda a: n.one_hot(a, 8))(target),
    ]


@scenario
def factorizations_and_transforms(t: Any) -> list[Any]:
    vmap, la = t.func.vmap, t.linalg
    matrix, right = floats(t, 3, 4, 4, seed=2), floats(t, 3, 4, 2, seed=3)
    symmetric = matrix @ matrix.mT + 4 * t.eye(4, dtype=t.float64)
    factors, pivots = la.ldl_factor(symmetric)
    return [
        vmap(t.geqrf)(matrix),
        vmap(la.ldl_factor)(symmetric),
        vmap(la.ldl_solve)(factors, pivots, right),
        vmap(la.solve)(matrix, right),
        vmap(la.solve, in_dims=(0, None))(matrix, right[0]),
        vmap(lambda b: la.solve_triangular(matrix[0].triu(), b, upper=True))(right),
        vmap(la.cholesky)(symmetric),
        vmap(la.eigvalsh)(symmetric),
        vmap(la.svdvals)(matrix),
        vmap(la.det)(matrix),
        vmap(la.inv)(matrix),
        vmap(la.matrix_exp)(matrix),
        vmap(lambda a: t.fft.fft(a, dim=0).abs())(matrix),
        vmap(lambda a: t.fft.irfft(t.fft.rfft(a)))(matrix),
        vmap(t.func.grad(lambda a: la.slogdet(a)[1]))(symmetric),
        t.func.jvp(la.matrix_exp, (matrix,), (symmetric,)),
        t.func.jvp(lambda a: t.logcumsumexp(a, 1), (matrix,), (symmetric,)),
        t.func.jacfwd(la.inv)(symmetric[0]),
        t.func.hessian(la.det)(symmetric[0]),
    ]


@scenario
def complex_numbers(t: Any) -> list[Any]:
    f, x, y = t.func, floats(t, 3, 4), floats(t, 3, 4, seed=1)
    z = t.complex(x, y)
    return [
        f.vmap(lambda a: (a * a.conj()).real.sum())(z),
        f.vmap(lambda a, b: t.complex(a, b).exp())(x, y),
        f.grad(lambda a: (a.abs() ** 2).sum())(z),
        f.vmap(f.grad(lambda a: (a * a).real.sum()))(z),
        f.jvp(lambda a: a * a, (z,), (z.conj(),)),
        f.jvp(lambda a: a.abs(), (z,), (z.conj(),)),
        f.vjp(lambda a: a * a, z)[1](z),
    ]


@scenario
def functions_of_tensors(t: Any) -> list[Any]:
    vmap, x, y = t.func.vmap, floats(t, 3, 4, 5), floats(t, 3, 5, seed=1)
    index = integers(t, 3, 4, high=5)
    matrix = floats(t, 3, 4, 4, seed=2)
    return [
        vmap(lambda a: a.sort(-1))(x),
        vmap(lambda a: a.topk(2))(x),
        vmap(lambda a: a.max(0))(x),
        vmap(lambda a, b: t.einsum("ij,j->i", a, b))(x, y),
        vmap(t.mv)(x, y),
        vmap(lambda a, i: a.gather(1, i.unsqueeze(1)))(x, index),
        vmap(lambda a, i: a[0].index_select(0, i))(x, index),
        vmap(lambda a, i: a[:, i])(x, index),
        vmap(lambda a, i: a[0].scatter_add(0, i, a[1][:4]))(x, index),
        vmap(lambda a, i: t.where(a > 0, a, i.unsqueeze(1) * 1.0))(x, index),
        vmap(lambda a: t.cat([a, a * 2], 1))(x),
        vmap(lambda a: t.stack([a, a], -1))(x),
        vmap(lambda a: a.flip(0).roll(1, 1).T)(x),
        vmap(lambda a: a.unfold(1, 2, 2))(x),
        vmap(lambda a: t.diagonal(a).sum())(x),
        vmap(lambda a: a.tril())(matrix),
        vmap(lambda a: a @ a.T)(x),
        vmap(lambda a: a.cumprod(0))(x),
        vmap(lambda a: a.var(0) + a.std(0) + a.logsumexp(0))(x),
        vmap(lambda a: a.prod(0).expand(2, 5))(x),
        vmap(lambda a: a.float())(x),
        vmap(lambda a: a.reshape(-1).masked_fill(a.reshape(-1) > 0, 0.0))(x),
        vmap(lambda a: a.any())(x > 1),
    ]


@scenario
def an_index_for_every_example(t: Any) -> list[Any]:
    x, place, vmap = floats(t, 3, 4), t.tensor([0, 2, -1]), t.func.vmap

    def with_element(a: Any, i: Any, value: Any) -> Any:
        copy = a.clone()
        copy[i] = value
        return copy

    return [
        vmap(lambda a, i: a[i])(x, place),
        vmap(lambda a, i: a[i], in_dims=(None, 0))(x, place),
        vmap(lambda a, i: a[..., i], in_dims=(None, 0))(x, place),
        vmap(lambda a, i: a[i, 1:3], in_dims=(None, 0))(x, place),
        vmap(lambda a, i: a[None, i, i.int()], in_dims=(None, 0))(x, place),
        vmap(lambda a: a[a.argmax()])(x),
        vmap(lambda a, i: with_element(a, i, a[0] + 1))(x, place),
        vmap(vmap(lambda a, i: a[i], in_dims=(0, None)), in_dims=(None, 0))(x, place),
        t.func.grad(lambda b: vmap(lambda a, i: a[i])(b, place).square().sum())(x),
    ]
