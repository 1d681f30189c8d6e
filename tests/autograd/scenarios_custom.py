"""Custom functions: dirty inputs, forward mode, `vmap` rules, and what they refuse."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tests.func.numbers import floats
from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

CASES: list[Case] = []
scenario = scenarios(CASES)


@scenario
def dirty_inputs(t: Any) -> list[Any]:
    class Doubled(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            a.mul_(2)
            ctx.mark_dirty(a)
            ctx.save_for_backward(b)
            return a

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, g * 0 + ctx.saved_tensors[0]

    class Forgotten(Doubled):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.mark_dirty(a)
            return a * 1

    x = floats(t, 3).requires_grad_()
    y = x * 1
    z = Doubled.apply(y, x)
    results = [z is y, z.requires_grad, z.detach().clone(), t.autograd.grad(z.sum(), x)]
    return [*results, raised(lambda: Doubled.apply(x, x)), raised(lambda: Forgotten.apply(x * 1, x))]


@scenario
def once_differentiable(t: Any) -> list[Any]:
    once = import_module(f"{t.__name__}.autograd.function").once_differentiable

    class Square(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        @once
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g * ctx.saved_tensors[0]

    x = floats(t, 3).requires_grad_()
    (g,) = t.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    return [g, raised(lambda: t.autograd.grad(g.sum(), x)), t.autograd.grad(Square.apply(x).sum(), x)]


@scenario
def arguments_and_gradients(t: Any) -> list[Any]:
    seen: list[Any] = []

    class Parts(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            other = a * 2
            ctx.mark_non_differentiable(other)
            ctx.set_materialize_grads(False)
            return a * 3, other, a.argmax(), 5, a * 4

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            seen.append([None if grad is None else grad.tolist() for grad in grads])
            seen.append(t.is_grad_enabled())
            return grads[0] * 3

    class Scaled(t.autograd.Function):
        @staticmethod
        def forward(a: Any, factor: float = 2.0) -> Any:
            return a * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            seen.append((len(inputs), ctx.needs_input_grad))
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.factor, None

    class Vjp(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a

        @staticmethod
        def vjp(ctx: Any, g: Any) -> Any:
            return g * 7

    x = floats(t, 3).requires_grad_()
    parts = Parts.apply(x)
    results = [
        [getattr(part, "requires_grad", part) for part in parts],
        t.autograd.grad(parts[0].sum(), x),
        t.autograd.grad(Scaled.apply(x).sum(), x),
        t.autograd.grad(Scaled.apply(x, factor=5.0).sum(), x),
        t.autograd.grad(Vjp.apply(x).sum(), x),
        Vjp.apply(x) is x,
        list(seen),  # transforms of torch set contexts up more often than ours
    ]
    refused = [
        raised(lambda: type("Empty", (t.autograd.Function,), {}).apply(x)),
        raised(lambda: t.func.grad(lambda a: Vjp.apply(a).sum())(x.detach())),
        raised(lambda: t.func.vmap(Scaled.apply)(x.detach())),
        raised(lambda: t.func.jvp(Scaled.apply, (x.detach(),), (x.detach(),))),
    ]
    return [*results, t.func.grad(lambda a: Scaled.apply(a).sum())(x.detach()), refused]


def _product(t: Any, rule: str) -> Any:
    """A product with a sum, as a custom function with one kind of vmap rule."""
    calls: list[Any] = []

    class Product(t.autograd.Function):
        generate_vmap_rule = rule == "generated"

        @staticmethod
        def forward(a: Any, b: Any) -> Any:
            return a * b, a + b

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            a, b = ctx.saved_tensors
            return g * b + h, g * a + h

        @staticmethod
        def jvp(ctx: Any, da: Any, db: Any) -> Any:
            a, b = ctx.saved_tensors
            return da * b + a * db, da + db

    if rule == "own":

        def own(info: Any, in_dims: Any, a: Any, b: Any) -> Any:
            calls.append((info.batch_size, info.randomness, in_dims, tuple(a.shape), tuple(b.shape)))
            a = a.movedim(in_dims[0], 0) if in_dims[0] is not None else a
            b = b.movedim(in_dims[1], 0) if in_dims[1] is not None else b
            return Product.apply(a, b), (0, 0)

        Product.vmap = staticmethod(own)
    return Product, calls


def _everything(t: Any, rule: str) -> list[Any]:
    product, calls = _product(t, rule)
    f, a, b = t.func, floats(t, 3, 2), floats(t, 3, 2, seed=1)

    def energy(x: Any, y: Any) -> Any:
        p, q = product.apply(x, y)
        return (p.sin() * q).sum()

    results = [
        f.vmap(product.apply)(a, b),
        f.vmap(product.apply, in_dims=(0, None))(a, b[0]),
        f.grad(energy, argnums=(0, 1))(a, b),
        f.vmap(f.grad(energy, argnums=(0, 1)))(a, b),
        f.vmap(f.grad(energy, argnums=(0, 1)), in_dims=(0, None))(a, b[0]),
        f.grad(lambda x, y: f.vmap(energy)(x, y).sum(), argnums=(0, 1))(a, b),
        f.grad(lambda x, y: f.vmap(energy, in_dims=(0, None))(x, y).sum(), argnums=(0, 1))(a, b[0]),
        f.jvp(energy, (a, b), (b, a)),
        f.jacrev(energy)(a[0], b[0]),
        f.vmap(f.vmap(lambda x, y: product.apply(x, y)[0]))(a, b),
    ]
    return [*results, sorted(map(str, calls[:2]))]


@scenario
def generated_vmap_rule(t: Any) -> list[Any]:
    return _everything(t, "generated")


@scenario
def own_vmap_rule(t: Any) -> list[Any]:
    return _everything(t, "own")


@scenario
def checked_gradients(t: Any) -> list[Any]:
    x, y = floats(t, 2, 2, low=0.1).requires_grad_(), floats(t, 2, seed=1).requires_grad_()
    gradcheck, gradgradcheck = t.autograd.gradcheck, t.autograd.gradgradcheck

    class Wrong(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

    def pair(a: Any, b: Any) -> Any:
        return (a * b).sin(), (a @ b).exp()

    return [
        gradcheck(pair, (x, y)),
        gradcheck(pair, (x, y), check_forward_ad=True, check_batched_grad=True),
        gradcheck(pair, (x.detach(), y)),
        gradcheck(lambda a: (a.sin(), a.argmax()), x),
        gradcheck(t.sin, t.ones(0, 3, dtype=t.float64, requires_grad=True)),
        gradgradcheck(pair, (x, y)),
        gradgradcheck(pair, (x, y), check_fwd_over_rev=True),
        gradcheck(Wrong.apply, x, raise_exception=False),
        raised(lambda: gradcheck(Wrong.apply, x)),
        raised(lambda: gradcheck(pair, (x.detach(), y.detach()))),
        raised(lambda: gradcheck(t.sin, x.detach().float().requires_grad_())),
    ]


@scenario
def arguments_passed_on(t: Any) -> list[Any]:
    class Scaled(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, view: Any) -> Any:
            return view(a)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return (g.t() if tuple(g.shape) == (3, 2) else g) * 10, None

    def seen(view: Any, leaf: bool = False) -> list[Any]:
        x = floats(t, 2, 3).requires_grad_()
        z = x if leaf else x * 2
        y = Scaled.apply(z, view)
        row = y[1]
        results = [y is z, y._is_view(), y.is_leaf, y.data_ptr() == z.data_ptr(), tuple(y.shape), y.stride()]
        results += [raised(lambda: y.mul_(2)), t.autograd.grad((y * y).sum() + row.sum(), x)]
        detached = y.detach()
        detached += 1
        with t.no_grad():
            row.zero_()
        return [*results, detached.requires_grad, y.detach().clone(), z.detach().clone(), y.requires_grad]

    def pair() -> list[Any]:
        class Both(t.autograd.Function):
            @staticmethod
            def forward(ctx: Any, a: Any, b: Any) -> Any:
                return a, b * 1

            @staticmethod
            def backward(ctx: Any, g: Any, h: Any) -> Any:
                return g * 2, h * 3

        a, b = floats(t, 3).requires_grad_(), floats(t, 3).requires_grad_()
        first, second = Both.apply(a, b)
        second += 1
        results = [first.data_ptr() == a.data_ptr(), second._is_view(), raised(lambda: first.mul_(2))]
        return [*results, t.autograd.grad((first * second).sum(), (a, b))]

    as_given, transposed = (lambda a: a), (lambda a: a.t())
    return [seen(as_given), seen(as_given, leaf=True), seen(transposed), seen(lambda a: a.view_as(a)), pair()]
