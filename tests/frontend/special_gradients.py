"""Functions whose gradients are compared with PyTorch's at NaN, infinities, zeros and ties, and where they differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

inf, nan = float("inf"), float("nan")

POINTS: tuple[tuple[float, float, float], ...] = (
    (nan, 1, 2), (1, nan, 2), (nan, 1, nan), (inf, 1, inf), (-inf, 1, -inf), (2, 1, 2), (-inf, -inf, -inf), (0, 0, 0),
    (nan, 0, inf), (inf, -inf, 2), (-0.0, 0.0, -1), (0.5, -3, 0.25),
)  # fmt: skip

_POWERS = (0, 0.5, 1, 1.5, 2, 3, inf, -inf, -1, -2)
_SPARSE = (0.0, 1.0, 0.0)  # a second operand, which meets NaN and infinities with zeros
_HOLES = (0.0, nan, 2.0)


def _reductions() -> dict[str, Callable[[Any, Any], Any]]:
    return {
        "max": lambda t, x: x.max(),
        "min": lambda t, x: x.min(),
        "max along a dim": lambda t, x: x.max(0).values,
        "min along a dim": lambda t, x: x.min(0).values,
        "amax": lambda t, x: x.amax(),
        "amin": lambda t, x: x.amin(0),
        "aminmax": lambda t, x: sum(t.aminmax(x)),
        "median": lambda t, x: x.median(),
        "median along a dim": lambda t, x: x.median(0).values,
        "nanmedian": lambda t, x: x.nanmedian(),
        "sort": lambda t, x: x.sort(stable=True).values * t.tensor([1.0, 2.0, 3.0]),
        "topk": lambda t, x: x.topk(2).values,
        "quantile": lambda t, x: t.quantile(x, 0.3),
        "nanquantile": lambda t, x: t.nanquantile(x, 0.3),
        "prod": lambda t, x: x.prod(),
        "cumprod": lambda t, x: x.cumprod(0),
        "cumsum": lambda t, x: x.cumsum(0),
        "cummax": lambda t, x: x.cummax(0).values,
        "cummin": lambda t, x: x.cummin(0).values,
        "logsumexp": lambda t, x: x.logsumexp(0),
        "logcumsumexp": lambda t, x: x.logcumsumexp(0),
        "softmax": lambda t, x: x.softmax(0) * t.tensor([1.0, 2.0, 3.0]),
        "log_softmax": lambda t, x: x.log_softmax(0) * t.tensor([1.0, 2.0, 3.0]),
        "std": lambda t, x: x.std(),
        "var": lambda t, x: x.var(),
        "nansum": lambda t, x: x.nansum(),
        "nanmean": lambda t, x: x.nanmean(),
        "max_pool1d": lambda t, x: t.nn.functional.max_pool1d(x[None], 2, 1),
        "scatter_reduce amax": partial(_scattered, reduce="amax", include_self=False),
        "scatter_reduce amin": partial(_scattered, reduce="amin", include_self=False),
        "scatter_reduce amax with the original": partial(_scattered, reduce="amax", include_self=True),
        "scatter_reduce prod": partial(_scattered, reduce="prod", include_self=False),
        **{f"vector_norm {p}": partial(_norm, p=p) for p in _POWERS},
        **{f"norm {p}": lambda t, x, p=p: x.norm(p=p) for p in (2, inf)},
        "renorm": lambda t, x: t.renorm(x[None], 2, 0, 1.0),
        "dist": lambda t, x: t.dist(x, t.tensor([1.0, 1.0, 1.0])),
        "dist to itself": lambda t, x: t.dist(x, x.detach()),
        "dist, largest": lambda t, x: t.dist(x, t.tensor(_SPARSE), inf),
        "cdist": lambda t, x: t.cdist(x[None], t.zeros(1, 3)),
        "normalize": lambda t, x: t.nn.functional.normalize(x, dim=0),
        "cosine_similarity": lambda t, x: t.nn.functional.cosine_similarity(x, t.tensor(_SPARSE), dim=0),
    }


def _scattered(t: Any, x: Any, reduce: str, include_self: bool) -> Any:
    return t.zeros(2).scatter_reduce(0, t.tensor([0, 1, 0]), x, reduce, include_self=include_self)


def _norm(t: Any, x: Any, p: float) -> Any:
    return t.linalg.vector_norm(x, p)


def _elementwise() -> dict[str, Callable[[Any, Any], Any]]:
    names = (
        "abs sign sqrt rsqrt reciprocal square exp log log1p expm1 tanh sigmoid sinh atan asinh acosh atanh erf erfinv "
        "lgamma logit sinc i0 round frac trunc relu nan_to_num angle"
    ).split()
    activations = (
        "relu6 hardtanh leaky_relu elu selu celu hardshrink softshrink hardsigmoid hardswish silu gelu mish softplus "
        "logsigmoid softsign tanhshrink"
    ).split()
    return {
        **{name: lambda t, x, name=name: getattr(x, name)() for name in names},
        **{name: lambda t, x, name=name: getattr(t.nn.functional, name)(x) for name in activations},
        **{f"power {p}": lambda t, x, p=p: x**p for p in (0, 0.5, 1, 2, 3, -1, -2, -0.5)},
        **{f"power of {base}": lambda t, x, base=base: base**x for base in (0.0, 1.0, 2.0, -1.0)},
        "power of itself": lambda t, x: t.pow(x, x),
        "clamp": lambda t, x: x.clamp(0, 2),
        "clamp from below": lambda t, x: x.clamp(min=1),
        "clamp from above": lambda t, x: x.clamp(max=1),
        "clamp by tensors": lambda t, x: x.clamp(t.tensor([nan, 0.0, 1.0]), t.tensor([1.0, 2.0, nan])),
        "maximum": lambda t, x: t.maximum(x, t.tensor([1.0, nan, 2.0])),
        "minimum": lambda t, x: t.minimum(x, t.tensor([1.0, nan, 2.0])),
        "fmax": lambda t, x: t.fmax(x, t.tensor([1.0, nan, 2.0])),
        "fmin": lambda t, x: t.fmin(x, t.tensor([1.0, nan, 2.0])),
        "where": lambda t, x: t.where(x > 0, x, 0.0),
        "masked_fill": lambda t, x: x.masked_fill(x.isnan(), 0.0),
        "fmod": lambda t, x: x.fmod(2.0),
        "remainder": lambda t, x: x.remainder(2.0),
        "copysign": lambda t, x: t.copysign(x, t.tensor([-0.0, 0.0, 1.0])),
        "atan2": lambda t, x: t.atan2(x, t.tensor([0.0, 1.0, inf])),
        "hypot": lambda t, x: t.hypot(x, t.tensor([0.0, 1.0, inf])),
        "logaddexp": lambda t, x: t.logaddexp(x, t.tensor([-inf, 1.0, inf])),
        "abs of complex": lambda t, x: t.complex(x, t.zeros(3)).abs(),
    }


def _products() -> dict[str, Callable[[Any, Any], Any]]:
    """With a factor of 0 somewhere: NaN · 0 and ∞ · 0 are NaN, in the values and in the gradients."""
    return {
        "times 0": lambda t, x: x * 0,
        "times 0.0": lambda t, x: x * 0.0,
        "0 times": lambda t, x: 0 * x,
        "times zeros": lambda t, x: x * t.zeros(3),
        "times its zeros": lambda t, x: x * t.zeros_like(x),
        "minus itself": lambda t, x: x - x,
        "over itself": lambda t, x: x / x,
        "0 over": lambda t, x: 0 / x,
        "its sum times 0": lambda t, x: (x * 0).sum() * 0 + x.sum() * 0,
        "inner product with zeros": lambda t, x: x @ t.zeros(3),
        "product with zeros": lambda t, x: x[None] @ t.zeros(3, 2),
        "lerp by 0": lambda t, x: t.lerp(t.ones(3), x, 0.0),
        "lerp by 1": lambda t, x: t.lerp(x, t.ones(3), 1.0),
        "add, alpha 0": lambda t, x: t.add(t.ones(3), x, alpha=0),
        "addcmul with zeros": lambda t, x: t.addcmul(x, x, t.zeros(3)),
        "addcmul, value 0": lambda t, x: t.addcmul(t.ones(3), x, x, value=0),
        "addcdiv, value 0": lambda t, x: t.addcdiv(t.ones(3), x, x, value=0),
        "addmm, beta 0": lambda t, x: t.addmm(x, t.ones(2, 3), t.ones(3, 3), beta=0),
        "addmm, alpha 0": lambda t, x: t.addmm(t.ones(3), x[None], t.ones(3, 3), alpha=0),
        "xlogy": lambda t, x: t.xlogy(x, t.tensor(_HOLES)),
        "xlogy, by y": lambda t, x: t.xlogy(t.tensor(_SPARSE), x),
        "xlogy of itself": lambda t, x: t.xlogy(x, x),
        "xlog1py": lambda t, x: t.special.xlog1py(x, t.tensor(_HOLES)),
        "entr": lambda t, x: t.special.entr(x),
        "kl_div": lambda t, x: t.nn.functional.kl_div(x, t.tensor([0.0, 0.5, 0.5]), reduction="sum"),
        "kl_div, by target": lambda t, x: t.nn.functional.kl_div(t.tensor([0.0, 0.5, -inf]), x, reduction="sum"),
        "kl_div of logarithms": lambda t, x: t.nn.functional.kl_div(
            x, t.tensor([0.0, 0.5, -inf]), reduction="sum", log_target=True
        ),
        "huber_loss": lambda t, x: t.nn.functional.huber_loss(x, t.zeros(3)),
        "smooth_l1_loss": lambda t, x: t.nn.functional.smooth_l1_loss(x, t.zeros(3)),
        "l1_loss": lambda t, x: t.nn.functional.l1_loss(x, t.zeros(3)),
        "binary_cross_entropy_with_logits": lambda t, x: t.nn.functional.binary_cross_entropy_with_logits(x, t.ones(3)),
    }


PRODUCTS = _products()
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {**_reductions(), **_elementwise(), **PRODUCTS}

_OF_NAN = "the gradient of NaN is NaN here; PyTorch takes the slope of the piece that its comparison falls into"
_CHOSEN = "the elements that are NaN share the gradient, as PyTorch's max() has it; its own is NaN for all elements"
_OTHERS = "the product of the other elements, without a division by the element, which gives NaN in PyTorch"
_NONE = "PyTorch says that there is no gradient; here it is 0"
_AT_ZERO = "an element that is 0 has no slope here; in PyTorch it gets 0 · NaN from the other elements"
DIFFERENCES: dict[str, str] = {
    "amax": _CHOSEN,
    "amin": _CHOSEN,
    "aminmax": _CHOSEN,
    "scatter_reduce amax": f"{_CHOSEN}; it also counts the original element, which include_self=False leaves out",
    "scatter_reduce amin": f"{_CHOSEN}; it also counts the original element, which include_self=False leaves out",
    "scatter_reduce amax with the original": _CHOSEN,
    "prod": _OTHERS,
    "cumprod": _OTHERS,
    "logcumsumexp": "finite where sums begin with -∞; of several equal infinities each has the slope that it has alone",
    "vector_norm 0": _NONE,
    "vector_norm 0.5": _AT_ZERO,
    "vector_norm -1": f"{_AT_ZERO}; of -∞ alone the slope is 0, its limit",
    "vector_norm -2": f"{_AT_ZERO}; of -∞ alone the slope is 0, its limit",
    "var": "the slope is NaN for all of a row that begins with ∞, from which distances are taken; PyTorch's, for equal "
    "infinities, is infinite at the finite elements",
    "renorm": "a row whose norm is NaN has the gradient NaN; PyTorch takes it for one that is not scaled",
    "elu": _OF_NAN,
    "selu": _OF_NAN,
    "celu": _OF_NAN,
    "hardswish": _OF_NAN,
    "hardsigmoid": "the slope at NaN is that of the middle piece; in PyTorch it is 0",
    "gelu": "∞ · 1 is ∞ here; PyTorch's vectorized function gives NaN for it",
    "copysign": "the slope is ±1 at infinities, too; PyTorch divides one by the other",
    "addmm, alpha 0": "NaN · 0 is NaN here, too; PyTorch does not read the product",
    "kl_div, by target": "the slope of t · ln t is finite at 0, so that an empty class is no NaN",
}
"""By function, why some of its values or gradients are not PyTorch's. A function without a difference is not here."""
