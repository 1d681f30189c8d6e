"""PyTorch's helpers without a place in its documentation, which public programs call all the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.comparing import assert_alike


def _rounded(t: Any) -> list[Any]:
    """A straight-through rounding, as networks of few bits write it."""

    class Round(t.autograd.function.InplaceFunction):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, inplace: bool = False) -> Any:
            ctx.inplace = inplace
            return x.round()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2, None

    x = t.tensor([0.4, 1.6], requires_grad=True)
    y = Round.apply(x, False)
    y.sum().backward()
    return [y, x.grad, Round(True).inplace]


def _custom_function(t: Any, cast_inputs: Any, is_enabled: bool) -> list[Any]:
    seen = []

    class Product(t.autograd.Function):  # type: ignore[misc]
        @staticmethod
        @t.amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs)
        def forward(ctx: Any, x: Any, names: Any) -> Any:
            ctx.save_for_backward(x)
            seen.append((str(x.dtype).partition(".")[2] or str(x.dtype), t.is_autocast_enabled("cpu")))
            return x @ names[0]

        @staticmethod
        @t.amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, gradient: Any) -> Any:
            seen.append(t.is_autocast_enabled("cpu"))
            return (gradient @ ctx.saved_tensors[0].to(gradient.dtype)).float(), None

    x = t.arange(4.0).reshape(2, 2).requires_grad_()
    with t.autocast("cpu", enabled=is_enabled, dtype=t.bfloat16):
        y = Product.apply(x, [t.ones(2, 2)])
    y.sum().backward()
    return [y, x.grad, seen]


def _state(t: Any) -> list[Any]:
    state = OrderedDict([("module.a", t.ones(1)), ("b", t.zeros(2)), ("module.c.d", t.ones(3))])
    state._metadata = OrderedDict([("", 1), ("module", 2), ("module.c", 3)])  # type: ignore[attr-defined]
    t.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    return [sorted(state), list(state.values()), dict(state._metadata)]  # type: ignore[attr-defined]


def _softmax_gradients(t: Any) -> list[Any]:
    x, gradient = t.arange(6.0).reshape(2, 3).sin(), t.arange(6.0).reshape(2, 3).cos()
    soft, log = x.softmax(1), x.log_softmax(0)
    return [
        t._softmax_backward_data(gradient, soft, 1, t.float32),
        t._softmax_backward_data(grad_output=gradient, output=soft, dim=-1, input_dtype=t.float32),
        t._log_softmax_backward_data(gradient, log, 0, t.float32),
    ]


def _layers(t: Any) -> list[Any]:
    transformer = t.nn.modules.transformer
    clones = transformer._get_clones(t.nn.Linear(1, 2), 3)
    t.manual_seed(0)
    weight = t.nn.Parameter(t.empty(2, 3))
    drawn = [t.nn.init._no_grad_normal_(weight, 0.5, 2.0).tolist(), t.nn.init._no_grad_uniform_(weight, -1.0, 1.0)]
    return [
        [type(clones).__name__, len(clones), clones[0] is clones[1]],
        transformer._get_activation_fn("gelu")(t.ones(2)),
        t.nn.modules.utils._reverse_repeat_tuple((1, 2), 2),
        drawn,
        t.nn.functional.has_torch_function((t.ones(1), 3)),
        t.nn.modules.conv._pair(3),
    ]


def _attention_parts(t: Any) -> list[Any]:
    functions = t.nn.functional
    t.manual_seed(0)
    q, k, w, b = t.randn(2, 3, 4), t.randn(2, 5, 4), t.randn(12, 4, requires_grad=True), t.randn(12)
    packed = [functions._in_projection_packed(*given, w, b) for given in ((q, q, q), (q, k, k), (q, k, k * 2))]
    packed.append(functions._in_projection_packed(q, k, k, w))
    sum(part.square().sum() for parts in packed for part in parts).backward()
    mask = t.tensor([[True, False], [False, False]])
    return [
        [list(parts) for parts in packed],
        w.grad,
        list(functions._in_projection(q, k, k, w[:4], w[4:8], w[8:], b[:4])),
        functions._canonical_mask(mask, "mask", functions._none_or_dtype(mask), "other", t.float64),
        functions._canonical_mask(mask.float(), "mask", None, "", t.float32),
        [functions._canonical_mask(None, "mask", None, "", t.float32), functions._none_or_dtype(None)],
    ]


_PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "rounding": _rounded,
    "custom function": lambda t: _custom_function(t, None, True),
    "custom function that casts": lambda t: _custom_function(t, t.float32, True),
    "custom function that casts to few bits": lambda t: _custom_function(t, t.bfloat16, True),
    "custom function without autocast": lambda t: _custom_function(t, t.bfloat16, False),
    "state dict": _state,
    "gradients of softmax": _softmax_gradients,
    "layers": _layers,
    "attention": _attention_parts,
}


_ON_THE_HOST = pytest.mark.host_memory("what casts for the CPU leaves tensors of other devices")
_CASES = [
    pytest.param(program, id=name, marks=[_ON_THE_HOST] if name.endswith("casts to few bits") else [])
    for name, program in _PROGRAMS.items()
]


@pytest.mark.parametrize("program", _CASES)
def test_helpers_are_those_of_torch(program: Callable[[Any], Any], torch: Any, candidate: Any) -> None:
    assert_alike(program, torch, candidate)
