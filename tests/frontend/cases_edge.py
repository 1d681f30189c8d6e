"""Edges: 0-dim and empty inputs, nan and inf, and inputs that are not contiguous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import exactly, floats, integers

from .calls import call

_NAN, _INF = float("nan"), float("inf")
_SPECIAL = exactly([_NAN, _INF, -_INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0])

_POINTWISE = (
    "abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan asin acos atan sinh cosh "
    "tanh asinh acosh atanh sigmoid erf erfc floor ceil round trunc frac sign isnan isinf isfinite relu"
).split()
# Without gelu: of infinity torch makes nan.
_ACTIVATIONS = "relu silu elu leaky_relu softplus hardtanh hardswish mish relu6 logsigmoid softsign".split()
_PAIRWISE = "add sub mul div pow maximum minimum atan2 remainder fmod floor_divide eq lt ge".split()
_REDUCTIONS = "sum mean prod amax amin max min argmax argmin std var any all count_nonzero".split()

_SPECIAL_VALUES = [
    *(case for name in _POINTWISE for case in call(name, _SPECIAL, forms="t", gradient=False)),
    *(case for name in ("abs", "exp", "tanh", "sigmoid", "relu", "sign") for case in call(name, _SPECIAL, forms="x")),
    *(case for name in _ACTIVATIONS for case in call(name, _SPECIAL, forms="F", gradient=False)),
    *(
        Case(
            f"special pairs {name}",
            lambda t, x, name=name: getattr(t, name)(x[:, None], x),
            (_SPECIAL,),
            gradient=False,
        )
        for name in _PAIRWISE
    ),
    *(
        case
        for name in _REDUCTIONS
        for values in ([1.0, _NAN, 3.0], [1.0, _INF, 2.0], [-_INF, 1.0, 0.0], [_INF, -_INF, 1.0])
        for case in call(name, exactly(values), forms="t", gradient=False)
    ),
    *(
        case
        for name in ("amax", "max", "min", "argmax", "cumsum", "sort")
        for case in call(name, exactly([[1.0, _NAN, 3.0], [_INF, 2.0, -_INF]]), dim=1, forms="t", gradient=False)
    ),
    *call("clamp", _SPECIAL, -1.0, 1.0, gradient=False),
    *call("clamp", _SPECIAL, min=_NAN, gradient=False),
    *call("where", exactly([True, False], "bool"), exactly([1.0, _NAN]), exactly([_INF, 2.0]), forms="t"),
    *call("mean", exactly([3e38, 3e38]), forms="t", gradient=False),
]

# Functions that must accept every shape, the empty ones among them.
_ANY_SHAPE: dict[str, Callable[..., Any]] = {
    "exp": lambda t, x: x.exp(),
    "add": lambda t, x: x + 1,
    "mul": lambda t, x: x * x,
    "compare": lambda t, x: x > 0,
    "where": lambda t, x: t.where(x > 0, x, -x),
    "sum": lambda t, x: x.sum(),
    "mean": lambda t, x: x.sum() / max(x.numel(), 1),
    "reshape": lambda t, x: x.reshape(-1),
    "unsqueeze": lambda t, x: x.unsqueeze(0),
    "clone": lambda t, x: x.clone(),
    "cat": lambda t, x: t.cat([x.reshape(-1), x.reshape(-1)]),
    "stack": lambda t, x: t.stack([x, x]),
    "softmax": lambda t, x: t.softmax(x, dim=-1),
    "cumsum": lambda t, x: x.cumsum(-1),
    "cast": lambda t, x: x.to(t.float64),
    "masked": lambda t, x: x[x > 0],
    "masked_fill": lambda t, x: x.masked_fill(x > 0, 1.0),
    "gelu": lambda t, x: t.nn.functional.gelu(x),
    "in place": lambda t, x: x.clone().mul_(2).add_(1),
    "flip": lambda t, x: x.flip(-1),
    "roll": lambda t, x: x.roll(1),
    "isnan any": lambda t, x: x.isnan().any(),
    "sort": lambda t, x: x.sort(dim=-1),
}

_SHAPES: tuple[tuple[int, ...], ...] = ((), (0,), (3, 0), (0, 3), (1,), (1, 1, 1))

_EXTREME_SHAPES = [
    Case(f"shape {shape} {name}", function, (floats(*shape),))
    for shape in _SHAPES
    for name, function in _ANY_SHAPE.items()
]

_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.t(),
    "sliced": lambda x: x[1:, ::2],
    "expanded": lambda x: x[:1].expand(4, 6),
    "selected": lambda x: x.unsqueeze(0).expand(3, 4, 6)[1],
    "permuted": lambda x: x.reshape(2, 2, 6).permute(2, 0, 1)[:, 1],
    "diagonal": lambda x: x[:4, :4].diagonal().unsqueeze(0),
    "broadcast": lambda x: x[0].expand(2, 6),
}

_ON_LAYOUTS: dict[str, Callable[..., Any]] = {
    "exp": lambda t, x: x.exp(),
    "add itself": lambda t, x: x + x.clone(),
    "sum dim": lambda t, x: x.sum(dim=0),
    "amax": lambda t, x: x.amax(dim=-1),
    "cumsum": lambda t, x: x.cumsum(0),
    "softmax": lambda t, x: t.softmax(x, dim=0),
    "matmul": lambda t, x: x @ x.transpose(0, 1),
    "reshape": lambda t, x: x.reshape(-1),
    "clone": lambda t, x: (x.clone(), x.clone().is_contiguous()),
    "sort": lambda t, x: x.sort(dim=1, stable=True),
    "index": lambda t, x: x[[0, 0], :2],
    "mask": lambda t, x: x[x > 0],
    "cat": lambda t, x: t.cat([x, x], dim=1),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (x.shape[1],)),
    "numpy": lambda t, x: x.detach().numpy().tolist(),
    "tolist": lambda t, x: x.tolist(),
    "copy_": lambda t, x: t.zeros(x.shape).copy_(x),
    "stride": lambda t, x: [x.stride(), x.storage_offset(), x.is_contiguous(), x.contiguous().stride()],
}

_NOT_CONTIGUOUS = [
    Case(f"{layout} {name}", lambda t, x, view=view, function=function: function(t, view(x)), (floats(4, 6),))
    for layout, view in _LAYOUTS.items()
    for name, function in _ON_LAYOUTS.items()
]


def _strides_of_results(t: Any, x: Any) -> list[Any]:
    """Results are contiguous where torch promises nothing else, and movements keep their strides."""
    made = [x.t(), x.t().contiguous(), x[:, 1:], x[::2], x.expand(2, 4, 6), x.unsqueeze(1), x.flatten(), x[..., None]]
    more = [x.select(1, 2), x.diagonal(), x.T[1:], x.view(2, 12), x.permute(1, 0), x.narrow(1, 2, 3), x[None, :, None]]
    return [(y.stride(), y.storage_offset(), y.is_contiguous(), tuple(y.shape)) for y in [*made, *more]]


def _large_integers(t: Any) -> list[Any]:
    x = t.tensor([2**53 + 1, -(2**60) - 3, 2**62])
    return [x, x + 1, x // 3, x % 1000, x.sum(), x.max(), x * 2 - x, x == x - 1, x.sort().values]


_NUMBERS = [
    Case("large integers stay exact", _large_integers),
    Case("strides of views", _strides_of_results, (floats(4, 6),), gradient=False),
    Case("integer input of exp under a view", lambda t, x: x.t().exp(), (integers(2, 3, high=3),)),
    Case("one tensor used thrice", lambda t, x: x * x + x.exp() * x, (floats(3),)),
    Case("unused input", lambda t, x, y: x * 2, (floats(3), floats(3))),
    Case("long chain", lambda t, x: [x := (x * 1.01).tanh() + 0.1 for _ in range(50)][-1], (floats(3),)),
]

CASES = [*_SPECIAL_VALUES, *_EXTREME_SHAPES, *_NOT_CONTIGUOUS, *_NUMBERS]
