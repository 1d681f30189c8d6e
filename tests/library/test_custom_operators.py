"""`torch.library`: operators that programs define."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, List, Optional, Tuple  # noqa: UP035, programs write these

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import error_class


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def _annotated(function: Callable[..., Any], **hints: Any) -> Callable[..., Any]:
    function.__annotations__ = hints
    return function


def _scaled(t: Any, name: str) -> Any:
    return t.library.custom_op(
        f"lgtests::{name}",
        _annotated(lambda x, y=2.0: t.sin(x) * y, x=t.Tensor, y=float, **{"return": t.Tensor}),
        mutates_args=(),
    )


def _gradients(t: Any) -> Any:
    operator = _scaled(t, "gradients")

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0], output)
        ctx.factor, ctx.kinds = inputs[1], [type(inputs), len(inputs)]

    seen = []

    def backward(ctx: Any, grad: Any) -> Any:
        seen.append((ctx.kinds, ctx.needs_input_grad))
        return grad * t.cos(ctx.saved_tensors[0]) * ctx.factor, None

    operator.register_autograd(backward, setup_context=setup)
    x = t.tensor([1.0, 2.0], requires_grad=True)
    out = operator(x, y=3.0)
    out.sum().backward()
    named = t.ops.lgtests.gradients
    with t.no_grad():
        silent = operator(x).requires_grad
    return (
        out.tolist(), x.grad.tolist(), seen, silent, operator(x.detach()).requires_grad, named(x, 4.0).tolist(),
        named.default(x).tolist(), repr(operator),
    )  # fmt: skip


def _without_a_gradient(t: Any) -> Any:
    x = t.ones(2, requires_grad=True)
    out = _scaled(t, "without")(x)
    return out.requires_grad, out.sum().backward()


def _two_outputs(t: Any) -> Any:
    function = _annotated(lambda x, w: (x * w, x + w), x=t.Tensor, w=t.Tensor, **{"return": Tuple[t.Tensor, t.Tensor]})  # noqa: UP006
    operator = t.library.custom_op("lgtests::two", function, mutates_args=())
    t.library.register_autograd(
        "lgtests::two",
        lambda ctx, a, b: (a * ctx.saved_tensors[1] + b, a * ctx.saved_tensors[0] + b),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    x, w = t.tensor([2.0], requires_grad=True), t.tensor([3.0], requires_grad=True)
    first, second = operator(x, w)
    (first * 5 + second).sum().backward()
    return type(operator(x, w)), first.tolist(), second.tolist(), x.grad.tolist(), w.grad.tolist()


def _named_arguments(t: Any) -> Any:
    def function(x: Any, *, y: Any) -> Any:
        return x * y

    operator = t.library.custom_op(
        "lgtests::named", _annotated(function, x=t.Tensor, y=int, **{"return": t.Tensor}), mutates_args=()
    )

    def setup(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
        ctx.y = keyword_only_inputs["y"]

    operator.register_autograd(lambda ctx, grad: grad * ctx.y, setup_context=setup)
    x = t.ones(1, requires_grad=True)
    operator(x, y=4).sum().backward()
    return x.grad.tolist()


def _writing(t: Any) -> Any:
    operator = t.library.custom_op(
        "lgtests::writing", _annotated(lambda x: x.add_(1) and None, x=t.Tensor, **{"return": None}), mutates_args={"x"}
    )
    x = t.ones(1)
    return operator(x), x.tolist(), operator.register_autograd(lambda ctx, grad: grad)


def _devices(t: Any) -> Any:
    operator = _scaled(t, "devices")
    operator.register_fake(lambda x, y=2.0: x.new_empty(7))
    before = operator(t.zeros(2, device="meta")).shape

    @operator.register_kernel("cpu")
    def _(x: Any, y: Any = 2.0) -> Any:
        return t.zeros_like(x)

    return tuple(before), operator(t.ones(2)).tolist()


def _defined(t: Any) -> Any:
    t.library.define("lgtests::defined", "(Tensor x, int n=2) -> Tensor")

    @t.library.impl("lgtests::defined", "default")
    def _(x: Any, n: int = 2) -> Any:
        return x * n

    pieces = t.library.Library("lgtests_pieces", "DEF")
    name = pieces.define("bar(Tensor x, *, float scale=0.5) -> Tensor")
    pieces.impl("bar", lambda x, *, scale=0.5: x * scale, "CPU")
    outs = t.ops.lgtests.defined(t.ones(2)), t.ops.lgtests.defined(t.ones(2), 5), t.ops.lgtests_pieces.bar(t.ones(1))
    return name, [out.tolist() for out in outs]


def _made(t: Any, **hints: Any) -> Any:
    return t.library.custom_op("lgtests::made", _annotated(lambda x: x, **hints), mutates_args=())


def _same(t: Any) -> Any:
    return _made(t, x=t.Tensor, **{"return": t.Tensor})(t.ones(1))


def _number(t: Any) -> Any:
    function = _annotated(lambda x: 3, x=t.Tensor, **{"return": t.Tensor})
    return t.library.custom_op("lgtests::number", function, mutates_args=())(t.ones(1))


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    function.__name__: function
    for function in (_gradients, _two_outputs, _named_arguments, _devices, _defined)
}  # fmt: skip
ERRORS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no gradient": (_without_a_gradient, "Trying to backward through lgtests.without.default but no autograd formula"),
    "a gradient of what writes": (_writing, "Cannot register autograd formula for non-functional operator"),
    "an argument is returned": (_same, "must not also be an input to this custom operator and"),
    "a number": (_number, "Unable to cast 3 to Tensor"),
    "too many": (lambda t: _scaled(t, "many")(t.ones(1), 1.0, 2), "expected at most 2 argument(s) but received 3"),
    "too few": (lambda t: _scaled(t, "few")(y=1.0), "lgtests::few() is missing value for argument 'x'. Declaration: "),
    "a text": (
        lambda t: _scaled(t, "text")("a"),
        "Expected a value of type 'Tensor' for argument 'x' but instead found type 'str'",
    ),
    "no annotation": (lambda t: _made(t), "Parameter x must have a type annotation. Got func with signature (x)"),
    "no returned type": (lambda t: _made(t, x=t.Tensor), "No return type annotation was provided"),
    "an unknown operator": (lambda t: t.library.register_fake("lgtests::none", len), "lgtests::none does not exist"),
    "an unknown name": (lambda t: _scaled(t, "a") and t.ops.lgtests.nope, "object has no attribute 'nope'"),
    "a fake": (
        lambda t: _scaled(t, "fake")(t.ones(1, device="meta")),
        "There was no fake impl registered for <CustomOpDef(lgtests::fake)>",
    ),
    "a kind": (lambda t: t.library.Library("lgtests", "FOO"), "Unsupported kind"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_torchs(torch: ModuleType, name: str) -> None:
    def plain(value: Any) -> Any:
        """Tuples and lists as lists, numbers of six figures."""
        if isinstance(value, (list, tuple)):
            return [plain(each) for each in value]
        return float(f"{value:.6g}") if isinstance(value, float) else value

    assert plain(PROGRAMS[name](lg)) == plain(PROGRAMS[name](torch))


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_torchs(torch: ModuleType, name: str) -> None:
    program, phrase = ERRORS[name]
    classes = []
    for t in (torch, lg):
        with pytest.raises(Exception, match=re.escape(phrase)) as caught:
            program(t)
        classes.append(error_class(caught.value))
    assert classes[0] == classes[1]


def test_schemas_are_torchs(torch: ModuleType) -> None:
    def schemas(t: Any) -> list[str]:
        def first(x, n, s, d, o=None, f=1.5, b=True, w="a", v=None):  # type: ignore[no-untyped-def]
            """Annotated below."""

        _annotated(first, x=t.Tensor, n=int, s=Sequence[int], d=t.dtype, o=Optional[t.Tensor],  # noqa: UP045
                   f=float, b=bool, w=str, v=t.device | None, **{"return": List[t.Tensor]})  # noqa: UP006 # fmt: skip

        def second(x, *, out):  # type: ignore[no-untyped-def]
            """Annotated below."""

        _annotated(second, x=list[t.Tensor], out=t.Tensor, **{"return": None})
        infer = t.library.infer_schema
        return [infer(first, mutates_args=()), infer(second, mutates_args={"out"}),
                infer(first, mutates_args={"x"}, op_name="f")]  # fmt: skip

    assert schemas(lg) == schemas(torch)


def test_lists_of_tensors_have_lists_of_gradients() -> None:
    def product(xs: list[lg.Tensor], n: int = 1) -> list[lg.Tensor]:
        return [xs[0] * xs[1] * n, xs[0] + 1]

    operator = lg.library.custom_op("lgtests::product", product, mutates_args=())

    def backward(ctx: Any, grads: list[lg.Tensor]) -> Any:
        first, second = ctx.saved_tensors
        assert ctx.needs_input_grad == ([True, True], False)
        return [grads[0] * second + grads[1], grads[0] * first], None

    operator.register_autograd(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs[0]))
    a, b = lg.tensor([2.0], requires_grad=True), lg.tensor([3.0], requires_grad=True)
    out = operator([a, b])
    (out[0] + out[1]).sum().backward()
    assert a.grad.tolist() == [4.0] and b.grad.tolist() == [2.0]
    operator.register_autograd(lambda ctx, grads: [grads[0]])
    with pytest.raises(RuntimeError, match="of the same structure as the inputs"):
        operator([a, b])[0].sum().backward()


def test_functions_of_arrays_and_transforms() -> None:
    """A kernel may compute by numpy; one that records is seen by transforms."""

    def numpy_sin(x: lg.Tensor) -> lg.Tensor:
        return lg.from_numpy(np.sin(x.detach().numpy()))

    def square(x: lg.Tensor) -> lg.Tensor:
        return x * x

    operator = lg.library.custom_op("lgtests::numpy_sin", numpy_sin, mutates_args=())
    operator.register_autograd(
        lambda ctx, grad: grad * ctx.saved_tensors[0].cos(),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    assert lg.autograd.gradcheck(operator, lg.rand(3, dtype=lg.float64, requires_grad=True))
    squared = lg.library.custom_op("lgtests::square", square, mutates_args=())
    squared.register_autograd(
        lambda ctx, grad: grad * 3 * ctx.saved_tensors[0],
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    x = lg.tensor([1.0, 2.0])
    assert lg.vmap(squared)(x).tolist() == [1, 4]
    assert lg.func.grad(lambda x: squared(x).sum())(x).tolist() == [3, 6]
    step = lg.compile(lambda x: squared(x) + 1)
    assert [step(x).tolist() for _ in range(3)] == [[2, 5]] * 3


def test_what_is_left_out() -> None:
    operator = _scaled(lg, "left_out")
    with pytest.raises(NotImplementedError, match=r"library\.triton_op: lazygrad generates its kernels itself"):
        lg.library.triton_op("a::b")
    with pytest.raises(NotImplementedError, match="register_vmap: vmap records the function"):
        operator.register_vmap(len)
    with pytest.raises(NotImplementedError, match="could be replaced"):
        lg.library.Library("aten", "IMPL")
    with pytest.raises(ValueError, match="namespace::name"):
        lg.library.custom_op("name", len, mutates_args=(), schema="() -> ()")
    with pytest.raises(RuntimeError, match="expected a schema"):
        lg.library.define("lgtests::nothing", "Tensor")
    lg.library.define("lgtests::only_cuda", "(Tensor x) -> Tensor")
    lg.library.impl("lgtests::only_cuda", "cuda", lambda x: x + 1)
    with pytest.raises(NotImplementedError, match=r"Could not run 'lgtests::only_cuda' with arguments from the 'CPU'"):
        lg.ops.lgtests.only_cuda(lg.ones(1))
    with pytest.raises(AttributeError, match="no attribute 'lgtests_unknown'"):
        lg.ops.lgtests_unknown  # noqa: B018
