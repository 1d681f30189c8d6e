"""Gradient modes, backward, hooks, custom functions, and the transformations of `func`."""

from __future__ import annotations

from typing import Any

from tests.oracle.comparing import raised

from .scenarios import covers


@covers(
    "no_grad enable_grad set_grad_enabled is_grad_enabled inference_mode is_inference_mode_enabled autograd.no_grad "
    "autograd.enable_grad autograd.set_grad_enabled autograd.inference_mode"
)
def modes(t: Any) -> Any:
    x = t.ones(2, requires_grad=True)
    with t.no_grad():
        off = t.is_grad_enabled(), (x * 2).requires_grad
        with t.enable_grad():
            on = (x * 2).requires_grad
    with t.set_grad_enabled(False):
        set_off = (x * 2).requires_grad
    with t.inference_mode():
        inference = (x * 2).requires_grad, t.is_inference_mode_enabled()
    decorated = t.no_grad()(lambda v: v * 3)(x).requires_grad
    with t.autograd.no_grad(), t.autograd.enable_grad(), t.autograd.set_grad_enabled(False):
        other = t.is_grad_enabled()
    with t.autograd.inference_mode():
        return off, on, set_off, inference, decorated, other, t.is_grad_enabled()


@covers(
    "Tensor.backward Tensor.grad Tensor.requires_grad Tensor.requires_grad_ Tensor.is_leaf Tensor.grad_fn "
    "Tensor.retain_grad Tensor.retains_grad autograd.backward autograd.grad"
)
def backward(t: Any) -> Any:
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.retain_grad()
    z = (y * 3).sum()
    z.backward(retain_graph=True)
    z.backward()
    again = raised(z.backward)
    first = x.grad.clone()
    x.grad = None
    t.autograd.backward([(x * x).sum(), x.sum()])
    w = t.ones(2).requires_grad_()
    second = t.autograd.grad((w**3).sum(), w, create_graph=True)[0]
    return (
        first,
        x.grad,
        y.grad,
        y.retains_grad,
        x.retains_grad,
        x.is_leaf,
        y.is_leaf,
        x.grad_fn is None,
        y.grad_fn.name(),
        len(z.grad_fn.next_functions),
        again,
        second,
        t.autograd.grad(second.sum(), w),
        raised(lambda: t.ones(2).sum().backward()),
        raised(lambda: (x * 2).backward()),
    )


@covers("Tensor.register_hook Tensor.register_post_accumulate_grad_hook")
def hooks(t: Any) -> Any:
    x = t.ones(2, requires_grad=True)
    seen = []
    handle = x.register_hook(lambda g: g * 2)
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    (x * 3).sum().backward()
    handle.remove()
    (x * 3).sum().backward()
    return x.grad, seen


@covers("autograd.Function")
def custom(t: Any) -> Any:
    class Cube(t.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, scale: float) -> Any:
            ctx.save_for_backward(x)
            ctx.scale = scale
            return x**3 * scale

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return (g * 3 * x**2 * ctx.scale if ctx.needs_input_grad[0] else None), None

    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(x, 2.0)
    y.sum().backward()
    return y, x.grad, type(y.grad_fn).__name__


@covers("autograd.gradcheck autograd.gradgradcheck")
def numerical_checks(t: Any) -> Any:
    class Wrong(t.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    x = t.tensor([0.3, -0.7], dtype=t.float64, requires_grad=True)
    return (
        t.autograd.gradcheck(lambda v: (v**3).sin(), (x,)),
        t.autograd.gradgradcheck(lambda v: v**3, (x,)),
        t.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False),
        raised(lambda: t.autograd.gradcheck(Wrong.apply, (x,))),
    )


@covers("autograd.detect_anomaly autograd.set_detect_anomaly")
def anomalies(t: Any) -> Any:
    def backward() -> None:
        x = t.zeros(1, requires_grad=True)
        (t.sqrt(x) * 0).sum().backward()

    with t.autograd.detect_anomaly():
        strict = raised(backward)
    with t.autograd.set_detect_anomaly(False):
        return strict, raised(backward)


@covers("autograd.set_multithreading_enabled")
def multithreading(t: Any) -> Any:
    with t.autograd.set_multithreading_enabled(False):
        x = t.ones(2, requires_grad=True)
        (x * 2).sum().backward()
    return x.grad


@covers(
    "autograd.functional.jacobian autograd.functional.hessian autograd.functional.vjp autograd.functional.jvp "
    "autograd.functional.hvp autograd.functional.vhp"
)
def functional(t: Any) -> Any:
    f = t.autograd.functional
    x, v = t.tensor([1.0, 2.0]), t.tensor([0.5, -1.0])

    def scalar(a: Any) -> Any:
        return (a**3).sum() * a[0]

    return (
        f.jacobian(lambda a: a * a.sum(), x),
        f.hessian(scalar, x),
        f.vjp(lambda a: a**2, x, v),
        f.jvp(lambda a: a**2, x, v),
        f.hvp(scalar, x, v),
        f.vhp(scalar, x, v),
        f.jacobian(lambda a, b: (a * b, a.sum()), (x, v)),
    )


@covers(
    "func.grad func.grad_and_value func.vjp func.jvp func.jacrev func.jacfwd func.hessian func.vmap vmap func.linearize"
)
def transformations(t: Any) -> Any:
    f = t.func
    x, v = t.tensor([1.0, 2.0]), t.tensor([0.5, -1.0])
    batch = t.arange(6.0).reshape(3, 2)

    def scalar(a: Any) -> Any:
        return (a**3).sum()

    value, pull = f.vjp(lambda a: a.sin(), x)
    linear_value, push = f.linearize(lambda a: a * a, x)
    return (
        f.grad(scalar)(x),
        f.grad_and_value(scalar)(x),
        value,
        pull(v),
        f.jvp(lambda a: a * a, (x,), (v,)),
        f.jacrev(lambda a: a * a.sum())(x),
        f.jacfwd(lambda a: a * a.sum())(x),
        f.hessian(scalar)(x),
        f.vmap(f.grad(scalar))(batch),
        t.vmap(lambda a, b: a @ b, in_dims=(0, None))(batch, x),
        f.vmap(lambda a: a * 2, in_dims=1, out_dims=1)(batch),
        linear_value,
        push(v),
    )


@covers("func.functional_call func.stack_module_state func.replace_all_batch_norm_modules_")
def modules_as_functions(t: Any) -> Any:
    models = []
    for scale in (1.0, 2.0):
        model = t.nn.Linear(2, 1)
        with t.no_grad():
            model.weight.fill_(scale)
            model.bias.fill_(0.5)
        models.append(model)
    x = t.ones(3, 2)
    replaced = t.func.functional_call(models[0], {"weight": t.full((1, 2), 7.0)}, (x,))
    parameters, buffers = t.func.stack_module_state(models)
    several = t.func.vmap(lambda p, b: t.func.functional_call(models[0], (p, b), (x,)))(parameters, buffers)
    net = t.nn.Sequential(t.nn.BatchNorm1d(2))
    t.func.replace_all_batch_norm_modules_(net)
    return replaced, several, net[0].running_mean is None
