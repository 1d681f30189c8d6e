"""Losses of nn.functional."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import Array, exactly, floats, integers

from .calls import call

_LOGITS = floats(5, 4)
_CLASSES = exactly([0, 3, 1, 1, 2], "int64")
_SOME_IGNORED = exactly([0, -100, 1, -100, 2], "int64")
_WEIGHTS = floats(4, low=0.2, high=2.0, requires_grad=False)
_IMAGE = floats(2, 3, 4, 5)
_IMAGE_CLASSES = integers(2, 4, 5, high=3)
_PROBABILITIES = floats(3, 4, low=0.05, high=0.95)
_REDUCTIONS = ("mean", "sum", "none")


def _cross_entropy_of_distributions(options: dict[str, Any], shape: tuple[int, ...]) -> Case:
    """The target is a distribution over the classes, and is differentiated too."""

    def function(t: Any, logits: Any, target: Any) -> Any:
        return t.nn.functional.cross_entropy(logits, t.softmax(target, dim=1), **options)

    return Case(f"F.cross_entropy(probabilities {shape}, {options})", function, (floats(*shape), floats(*shape)))


_CROSS_ENTROPY_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"label_smoothing": 0.1},
    {"weight": _WEIGHTS},
    {"weight": _WEIGHTS, "label_smoothing": 0.2},
    {"ignore_index": 1},
    {"ignore_index": 1, "weight": _WEIGHTS, "label_smoothing": 0.1},
)

_CROSS_ENTROPY = [
    *(
        case
        for options in _CROSS_ENTROPY_OPTIONS
        for reduction in _REDUCTIONS
        for case in call("cross_entropy", _LOGITS, _CLASSES, reduction=reduction, forms="F", **options)
    ),
    *call("cross_entropy", _LOGITS, _CLASSES, forms="F", floating="float64"),
    *call("cross_entropy", _LOGITS, _CLASSES, forms="F", floating="bfloat16", slack=4.0),
    *call("cross_entropy", _LOGITS, _SOME_IGNORED, forms="F"),
    *call("cross_entropy", _LOGITS, exactly([-100] * 5, "int64"), forms="F", gradient=False),
    *call("cross_entropy", floats(4), exactly(2, "int64"), forms="F"),
    *call("cross_entropy", _IMAGE, _IMAGE_CLASSES, forms="F"),
    *call("cross_entropy", _IMAGE, _IMAGE_CLASSES, reduction="none", forms="F"),
    *call("cross_entropy", _IMAGE, _IMAGE_CLASSES, label_smoothing=0.1, forms="F"),
    *call("cross_entropy", floats(2, 3, 6), integers(2, 6, high=3), forms="F"),
    *(
        _cross_entropy_of_distributions(options, shape)
        for options in ({}, {"reduction": "none"}, {"reduction": "sum"}, {"label_smoothing": 0.1})
        for shape in ((5, 4), (2, 3, 4, 2))
    ),
]

_NLL = [
    *(
        case
        for reduction in _REDUCTIONS
        for case in call("nll_loss", _LOGITS, _CLASSES, reduction=reduction, forms="F")
    ),
    *call("nll_loss", _LOGITS, _CLASSES, weight=_WEIGHTS, forms="F"),
    *call("nll_loss", _LOGITS, _CLASSES, ignore_index=1, forms="F"),
    *call("nll_loss", _LOGITS, _CLASSES, weight=_WEIGHTS, ignore_index=1, reduction="none", forms="F"),
    *call("nll_loss", _IMAGE, _IMAGE_CLASSES, forms="F"),
    *call("nll_loss", floats(4), exactly(2, "int64"), forms="F"),
]


def _regression(name: str, **options: Any) -> list[Case]:
    return [
        case
        for reduction in _REDUCTIONS
        for case in call(name, floats(3, 4), floats(3, 4), reduction=reduction, forms="F", **options)
    ]


_REGRESSION = [
    *(case for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss") for case in _regression(name)),
    *_regression("smooth_l1_loss", beta=0.5),
    *_regression("huber_loss", delta=0.4),
    *call("smooth_l1_loss", floats(3), floats(3), beta=0.0, forms="F"),
    *call("mse_loss", floats(3, 4), floats(4), forms="F"),
    *call("mse_loss", floats(0), floats(0), reduction="sum", forms="F"),
    *call("l1_loss", exactly([1.0, 2.0]), exactly([1.0, 3.0]), forms="F"),
]

_TARGETS: tuple[Array, ...] = (
    exactly([[0.0, 1.0, 1.0, 0.0]] * 3, requires_grad=False),
    floats(3, 4, low=0.0, high=1.0, requires_grad=False),
)

_BINARY = [
    *(
        case
        for target in _TARGETS
        for reduction in _REDUCTIONS
        for case in [
            *call("binary_cross_entropy", _PROBABILITIES, target, reduction=reduction, forms="F"),
            *call("binary_cross_entropy_with_logits", floats(3, 4), target, reduction=reduction, forms="F"),
        ]
    ),
    *call("binary_cross_entropy", _PROBABILITIES, _TARGETS[0], weight=_WEIGHTS, forms="F"),
    *call("binary_cross_entropy", exactly([0.0, 1.0]), exactly([0.0, 1.0], requires_grad=False), forms="F"),
    *call("binary_cross_entropy", exactly([0.0, 1.0]), exactly([1.0, 0.0], requires_grad=False), forms="F"),
    *call("binary_cross_entropy_with_logits", floats(3, 4), _TARGETS[1], weight=_WEIGHTS, forms="F"),
    *call("binary_cross_entropy_with_logits", floats(3, 4), _TARGETS[1], pos_weight=_WEIGHTS, forms="F"),
    *call(
        "binary_cross_entropy_with_logits",
        exactly([-100.0, 100.0]),
        exactly([0.0, 0.0], requires_grad=False),
        reduction="none",
        forms="F",
    ),
]


def _kl_div(**options: Any) -> list[Case]:
    return call("kl_div", floats(3, 4, low=-3.0, high=-0.1), _PROBABILITIES, forms="F", **options)


_DIVERGENCE = [
    *(case for reduction in (*_REDUCTIONS, "batchmean") for case in _kl_div(reduction=reduction)),
    *_kl_div(reduction="sum", log_target=True),
    *call("kl_div", floats(3), exactly([0.0, 0.5, 0.5], requires_grad=False), reduction="sum", forms="F"),
]

CASES = [*_CROSS_ENTROPY, *_NLL, *_REGRESSION, *_BINARY, *_DIVERGENCE]
