"""nn.functional beyond the first cut: 3 dimensions, transposed convolution, further losses, options and bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.cases import Case, ErrorCase
from tests.oracle.recipes import exactly, floats, integers

from .calls import call


def _functional(name: str, *arguments: Any, **keywords: Any) -> Callable[..., Any]:
    return lambda t, *tensors: getattr(t.nn.functional, name)(*tensors, *arguments, **keywords)


_CONVOLUTION = [
    *call("conv3d", floats(2, 2, 4, 5, 4), floats(3, 2, 2, 3, 2), floats(3), forms="F"),
    *call("conv3d", floats(2, 5, 5, 4), floats(2, 1, 2, 3, 2), stride=2, padding=1, groups=2, forms="F"),
    *call("conv3d", floats(1, 1, 4, 4, 4), floats(1, 1, 2, 2, 2), padding="same", forms="F", floating="float64"),
    *call("conv2d", floats(0, 2, 4, 4), floats(3, 2, 2, 2), floats(3), forms="F"),
    *call("conv2d", integers(1, 2, 4, 4), integers(3, 2, 2, 2), forms="F"),
    *call("conv_transpose1d", floats(2, 3, 5), floats(3, 2, 4), floats(2), forms="F"),
    *call("conv_transpose1d", floats(3, 5), floats(3, 2, 4), stride=3, output_padding=2, forms="F"),
    *call("conv_transpose1d", floats(2, 3, 5), floats(3, 2, 3), dilation=3, output_padding=2, forms="F"),
    *call("conv_transpose2d", floats(2, 3, 4, 5), floats(3, 2, 3, 3), floats(2), forms="F"),
    *call("conv_transpose2d", floats(2, 4, 4, 5), floats(4, 3, 3, 3), floats(6), 2, 1, 1, 2, forms="F"),
    *call("conv_transpose2d", floats(2, 3, 4, 5), floats(3, 2, 3, 2), None, (2, 1), 1, (1, 1), 1, (1, 2), forms="F"),
    *call("conv_transpose2d", floats(1, 2, 3, 3), floats(2, 2, 2, 2), stride=2, forms="F", floating="float64"),
    *call("conv_transpose3d", floats(1, 2, 3, 3, 2), floats(2, 2, 2, 2, 2), floats(2), stride=2, forms="F"),
    Case(
        "second derivative of conv_transpose2d",
        lambda t, x, w: t.autograd.grad(
            t.nn.functional.conv_transpose2d(x, w, stride=2, output_padding=1).square().sum(), [x, w], create_graph=True
        ),
        (floats(1, 2, 3, 3), floats(2, 2, 3, 3)),
        floating="float64",
    ),
]

_POOLING = [
    *call("max_pool3d", floats(2, 2, 4, 5, 4), 2, forms="F"),
    *call("max_pool3d", floats(2, 4, 5, 4), 3, 2, 1, ceil_mode=True, return_indices=True, forms="F"),
    *call("max_pool2d", integers(1, 2, 4, 4), 2, forms="F"),
    *call("max_pool2d", floats(1, 1, 4, 4), 2, [], forms="F"),
    *call("max_pool2d", exactly([[[1.0, float("nan"), 2.0, 2.0]]]), (1, 2), None, 0, 1, False, True, forms="F"),
    *call("max_pool2d", floats(1, 2, 6, 6), 3, 1, forms="F", floating="bfloat16"),
    *call("avg_pool3d", floats(2, 2, 4, 5, 4), 2, forms="F"),
    *call("avg_pool3d", floats(2, 5, 5, 5), 3, 2, 1, True, False, forms="F"),
    *call("avg_pool3d", floats(1, 1, 4, 4, 4), 3, 1, 1, divisor_override=5, forms="F"),
    *call("avg_pool2d", floats(1, 2, 7, 7), 3, 2, 1, True, False, forms="F"),
    *call("avg_pool2d", floats(1, 2, 8, 8), 3, 3, 1, True, True, forms="F"),
    *call("avg_pool1d", floats(1, 2, 8), 3, 3, 1, True, True, forms="F"),
    *call("avg_pool2d", floats(1, 2, 6, 6), 3, 2, 1, forms="F", floating="bfloat16", slack=2.0),
    *call("adaptive_avg_pool1d", floats(2, 3), 5, forms="F"),
    *call("adaptive_avg_pool2d", floats(1, 2, 4, 4), 0, forms="F", gradient=False),
    *call("adaptive_avg_pool3d", floats(2, 2, 4, 5, 6), (2, None, 4), forms="F"),
    *call("adaptive_max_pool1d", floats(2, 3, 9), 4, forms="F"),
    *call("adaptive_max_pool2d", floats(2, 3, 7, 5), (3, 2), return_indices=True, forms="F"),
    *call("adaptive_max_pool2d", exactly([[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]]), (1, 2), True, forms="F"),
    *call("adaptive_max_pool2d", floats(2, 3, 4, 6), (2, None), forms="F", floating="float64"),
    *call("adaptive_max_pool3d", floats(2, 4, 5, 3), 2, return_indices=True, forms="F"),
]

_STATISTICS = (floats(3, requires_grad=False), floats(3, low=0.5, requires_grad=False))


def _instance_norm(use_input_stats: bool) -> Case:
    def function(t: Any, x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> list[Any]:
        running = mean.clone(), variance.clone()
        normalized = t.nn.functional.instance_norm(x, *running, weight, bias, use_input_stats, 0.3, 1e-3)
        return [normalized, *running]

    inputs = (floats(2, 3, 4, 5), floats(3), floats(3), *_STATISTICS)
    return Case(f"F.instance_norm(use_input_stats={use_input_stats})", function, inputs, slack=4.0)


def _batch_norm_of_half(t: Any, x: Any, mean: Any, variance: Any) -> list[Any]:
    """float32 statistics beside a bfloat16 input."""
    running = mean.clone().float(), variance.clone().float()
    return [t.nn.functional.batch_norm(x, *running, training=True), *running]


_NORMALIZATION = [
    _instance_norm(True),
    _instance_norm(False),
    *call("instance_norm", floats(2, 3, 6), forms="F", floating="float64"),
    Case("F.batch_norm of bfloat16", _batch_norm_of_half, (floats(6, 3), *_STATISTICS), False, "bfloat16", 2.0),
    *call("batch_norm", floats(0, 3), *_STATISTICS, training=True, forms="F"),
    *call("rms_norm", floats(3, 8), (8,), floats(8), forms="F", floating="bfloat16", slack=2.0),
    *call("group_norm", floats(2, 6, 5), 3, floats(6), floats(6), forms="F", floating="bfloat16", slack=4.0),
    *call("local_response_norm", floats(2, 5, 4), 3, forms="F"),
    *call("local_response_norm", floats(2, 5, 3, 3), 4, 0.5, 0.6, 2.0, forms="F", floating="float64"),
    *call("normalize", exactly([[0.0, 0.0], [3.0, 4.0]]), p=1.0, forms="F", gradient=False),
    *call("pairwise_distance", floats(3, 4), floats(3, 4), forms="F"),
    *call("pairwise_distance", floats(3, 4), floats(4), p=1.0, keepdim=True, forms="F"),
]


def _all_reductions(name: str, *inputs: Any, **options: Any) -> list[Case]:
    return [
        case
        for reduction in ("mean", "sum", "none")
        for case in call(name, *inputs, reduction=reduction, forms="F", **options)
    ]


_SIGNS = exactly([1.0, -1.0, 1.0], requires_grad=False)
_VARIANCE = floats(3, 4, low=0.1)
_LOSSES = [
    *_all_reductions("margin_ranking_loss", floats(3), floats(3), _SIGNS, margin=0.3),
    *_all_reductions("hinge_embedding_loss", floats(3), _SIGNS, margin=0.8),
    *_all_reductions("cosine_embedding_loss", floats(3, 4), floats(3, 4), _SIGNS, margin=0.1),
    *call("cosine_embedding_loss", floats(4), floats(4), exactly(-1.0, requires_grad=False), forms="F"),
    *_all_reductions("triplet_margin_loss", floats(3, 4), floats(3, 4), floats(3, 4), swap=True),
    *call("triplet_margin_loss", floats(3, 4), floats(3, 4), floats(3, 4), p=1, margin=2.0, forms="F"),
    *_all_reductions("soft_margin_loss", floats(3), _SIGNS),
    *_all_reductions("gaussian_nll_loss", floats(3, 4), floats(3, 4), _VARIANCE),
    *call("gaussian_nll_loss", floats(3, 4), floats(3, 4), floats(3, low=0.1), full=True, forms="F"),
    *call("gaussian_nll_loss", floats(3, 4), floats(3, 4), floats(3, 1, low=0.1), eps=1.0, forms="F"),
    *call("gaussian_nll_loss", floats(3, 4), floats(3, 4), 0.5, full=True, forms="F"),
    *_all_reductions("poisson_nll_loss", floats(3, 4), floats(3, 4, low=0.0, high=4.0), full=True),
    *call("poisson_nll_loss", floats(3, low=0.1), floats(3, low=0.1), log_input=False, forms="F"),
    *call("mse_loss", floats(3, 4), floats(3, 4), weight=floats(3, 4, low=0.1), forms="F"),
    *call("l1_loss", floats(3, 4), floats(3, 4), weight=floats(3, 4, low=0.1), reduction="none", forms="F"),
    *call("huber_loss", floats(3, 4), floats(3, 4), weight=floats(3, 4, low=0.1), reduction="sum", forms="F"),
    *call("mse_loss", floats(3), integers(3), forms="F"),
    *call("mse_loss", floats(3), floats(3), None, False, forms="F"),
    *call("cross_entropy", floats(3, 4), exactly([0, 1, 2], "uint8"), forms="F"),
    *call("cross_entropy", floats(3, 4), exactly([0, 1, 2], "int64"), size_average=False, forms="F"),
    *call("cross_entropy", floats(0, 4), exactly([], "int64"), forms="F", gradient=False),
    *call("cross_entropy", floats(0, 4), floats(0, 4), forms="F", gradient=False),
    *call("cross_entropy", floats(4), floats(4), weight=floats(4, low=0.1, requires_grad=False), forms="F"),
    *call("cross_entropy", floats(4), exactly([2], "int64"), reduction="none", forms="F", gradient=False),
    *call("nll_loss", floats(4), exactly([2], "int64"), reduction="none", forms="F", gradient=False),
    *call("nll_loss", floats(2, 3, 4), integers(2, 4, high=3), reduction="none", forms="F"),
    *call(
        "binary_cross_entropy_with_logits",
        floats(3, 4),
        floats(3, 4, low=0.0, high=1.0),
        floats(3, 1, low=0.1, requires_grad=False),
        pos_weight=floats(4, low=0.1, requires_grad=False),
        forms="F",
    ),
    *call("kl_div", floats(3, 4), floats(4, low=0.1, high=0.9), reduction="sum", forms="F"),
]


def _renormalized(t: Any, index: Any, weight: Any) -> list[Any]:
    return [t.nn.functional.embedding(index, weight, max_norm=1.0), weight]


_TABLE = floats(4, 3)
_LOOKUPS = [
    *call("embedding", exactly([0, 1, 1, 3], "int64"), _TABLE, scale_grad_by_freq=True, forms="F"),
    *call("embedding", exactly([[0, 1], [3, 3]], "int64"), _TABLE, -1, scale_grad_by_freq=True, forms="F"),
    Case("F.embedding(max_norm=1.0)", _renormalized, (exactly([0, 2, 2], "int64"), floats(4, 3, requires_grad=False))),
]

_HEADS = floats(1, 2, 5, 3), floats(1, 2, 5, 3)
_ATTENTION = "scaled_dot_product_attention"
_ATTENDING = [
    *call(_ATTENTION, floats(1, 4, 3, 3), *_HEADS, enable_gqa=True, forms="F"),
    *call(_ATTENTION, floats(1, 4, 3, 3), *_HEADS, is_causal=True, enable_gqa=True, forms="F", floating="float64"),
    *call(_ATTENTION, *[floats(2, 3, 4)] * 3, dropout_p=1.0, forms="F"),
]

_ACTIVATIONS = [
    *call("prelu", floats(2, 3, 4), floats(3), forms="F"),
    *call("prelu", floats(4), floats(), forms="F"),
    *call("rrelu", floats(3, 4), 0.1, 0.3, forms="F"),
    *call("relu6", integers(5, low=-9), forms="F"),
    *call("threshold", integers(5), 3, 9.5, forms="F"),
    *call("softsign", integers(5), forms="F"),
    *call("tanhshrink", integers(5), forms="F"),
    *call("celu", exactly([-300.0, 0.0, 300.0]), 2.0, forms="F"),
    *call("selu", exactly([-300.0, 0.0, 300.0]), forms="F"),
    *call("softplus", exactly([-300.0, 0.0, 300.0]), forms="F"),
    *call("hardswish", exactly([float("nan"), -4.0, 4.0]), forms="F", gradient=False),
    *call("hardtanh", exactly([float("nan"), -4.0, 4.0]), forms="F", gradient=False),
    *call("softshrink", exactly([float("nan"), -0.5, 0.5, 2.0]), forms="F", gradient=False),
    Case(
        "F.softmax without dim", lambda t, x, y: [t.nn.functional.softmax(x), t.nn.functional.log_softmax(y)],
        (floats(2, 3), floats(2, 3, 4)),
    ),
    *(
        Case(f"F.{name}", lambda t, x, name=name: getattr(t.nn.functional, name)(x.clone()), (floats(3, 4),))
        for name in ("relu_", "elu_", "selu_", "celu_", "leaky_relu_", "hardtanh_")
    ),
]  # fmt: skip

CASES = [
    *_CONVOLUTION,
    *_POOLING,
    *_NORMALIZATION,
    *_LOSSES,
    *_LOOKUPS,
    *_ATTENDING,
    *_ACTIVATIONS,
]

_X = floats(3, 4, requires_grad=False)
_WHOLE = integers(3, 4)
_IMAGE = floats(1, 3, 5, 5)
_ACTIVATIONS_OF_FLOATS = (
    "elu selu celu gelu silu mish softplus logsigmoid hardswish hardsigmoid leaky_relu hardshrink softshrink glu"
).split()

ERRORS = [
    *(ErrorCase(f"{name} of integers", _functional(name), (_WHOLE,)) for name in _ACTIVATIONS_OF_FLOATS),
    *(
        ErrorCase(f"{name} of bools", lambda t, x, name=name: getattr(t.nn.functional, name)(x > 0), (_X,))
        for name in ("relu", "relu6", "softsign", "tanhshrink", "gelu")
    ),
    ErrorCase("relu of a list", lambda t: t.nn.functional.relu([1.0])),
    ErrorCase("glu of 0-dim", _functional("glu"), (floats(),)),
    ErrorCase("celu with alpha 0", _functional("celu", 0.0), (_X,)),
    ErrorCase("hardtanh of crossed limits", _functional("hardtanh", 2.0, 1.0), (_X,)),
    ErrorCase("softshrink of a negative width", _functional("softshrink", -1.0), (_X,)),
    ErrorCase("prelu of wrong channels", _functional("prelu"), (_X, floats(3))),
    ErrorCase("prelu of a matrix", _functional("prelu"), (_X, floats(2, 2))),
    ErrorCase("prelu of two dtypes", lambda t, x: t.nn.functional.prelu(x, t.ones(4).double()), (_X,)),
    ErrorCase(
        "conv2d of two dtypes", lambda t, x, w: t.nn.functional.conv2d(x, w.double()), (_IMAGE, floats(2, 3, 3, 3))
    ),
    ErrorCase("conv2d with three strides", _functional("conv2d", stride=(1, 1, 1)), (_IMAGE, floats(2, 3, 3, 3))),
    ErrorCase("conv2d with a float stride", _functional("conv2d", stride=1.5), (_IMAGE, floats(2, 3, 3, 3))),
    ErrorCase("conv2d with unknown padding", _functional("conv2d", padding="full"), (_IMAGE, floats(2, 3, 3, 3))),
    ErrorCase("conv2d without weight", _functional("conv2d", None), (_IMAGE,)),
    ErrorCase("conv_transpose2d of wrong channels", _functional("conv_transpose2d"), (_IMAGE, floats(2, 3, 3, 3))),
    ErrorCase(
        "conv_transpose2d of too much output padding",
        _functional("conv_transpose2d", output_padding=1),
        (_IMAGE, floats(3, 2, 3, 3)),
    ),
    ErrorCase("max_pool2d with stride 0", _functional("max_pool2d", 2, 0), (_IMAGE,)),
    ErrorCase("max_pool2d with dilation 0", _functional("max_pool2d", 2, dilation=0), (_IMAGE,)),
    ErrorCase("max_pool2d with a float window", _functional("max_pool2d", 2.5), (_IMAGE,)),
    ErrorCase("max_pool2d of bools", lambda t, x: t.nn.functional.max_pool2d(x > 0, 2), (_IMAGE,)),
    ErrorCase("max_pool2d of nothing", _functional("max_pool2d", 2), (floats(1, 0, 4, 4),)),
    ErrorCase("avg_pool2d with divisor 0", _functional("avg_pool2d", 2, divisor_override=0), (_IMAGE,)),
    ErrorCase("adaptive_avg_pool2d of three sizes", _functional("adaptive_avg_pool2d", (1, 2, 3)), (_IMAGE,)),
    ErrorCase("adaptive_avg_pool2d of a negative size", _functional("adaptive_avg_pool2d", -1), (_IMAGE,)),
    ErrorCase("adaptive_avg_pool2d of integers", _functional("adaptive_avg_pool2d", 2), (integers(1, 4, 4),)),
    ErrorCase("adaptive_max_pool2d of nothing", _functional("adaptive_max_pool2d", 1), (floats(1, 2, 0),)),
    ErrorCase("layer_norm of an int", _functional("layer_norm", 4), (_X,)),
    ErrorCase("layer_norm of no dimension", _functional("layer_norm", ()), (_X,)),
    ErrorCase("layer_norm of integers", _functional("layer_norm", (4,)), (_WHOLE,)),
    ErrorCase("layer_norm with a wrong weight", lambda t, x: t.nn.functional.layer_norm(x, (4,), t.ones(3)), (_X,)),
    ErrorCase("layer_norm of two dtypes", lambda t, x: t.nn.functional.layer_norm(x, (4,), t.ones(4).double()), (_X,)),
    ErrorCase("rms_norm of a wrong shape", _functional("rms_norm", (3,)), (_X,)),
    ErrorCase("group_norm of a vector", _functional("group_norm", 2), (floats(4),)),
    ErrorCase("group_norm of one value", _functional("group_norm", 4), (floats(1, 4),)),
    ErrorCase("group_norm with a wrong weight", lambda t, x: t.nn.functional.group_norm(x, 2, t.ones(3)), (_X,)),
    ErrorCase("instance_norm of one value", _functional("instance_norm"), (floats(2, 3, 1),)),
    ErrorCase("instance_norm without statistics", _functional("instance_norm", use_input_stats=False), (_IMAGE,)),
    ErrorCase("batch_norm in evaluation without statistics", _functional("batch_norm", None, None), (_X,)),
    ErrorCase(
        "batch_norm with one statistic",
        lambda t, x: t.nn.functional.batch_norm(x, t.ones(4), None, training=True),
        (_X,),
    ),
    ErrorCase(
        "batch_norm with statistics that require grad",
        lambda t, x: t.nn.functional.batch_norm(x, t.ones(4, requires_grad=True), t.ones(4), training=True),
        (_X,),
    ),
    ErrorCase(
        "batch_norm with a wrong weight",
        lambda t, x: t.nn.functional.batch_norm(x, None, None, t.ones(3), training=True),
        (_X,),
    ),
    ErrorCase("batch_norm of integers", lambda t, x: t.nn.functional.batch_norm(x, t.ones(4), t.ones(4)), (_WHOLE,)),
    ErrorCase("cosine_similarity of integers", _functional("cosine_similarity"), (_WHOLE, _WHOLE)),
    ErrorCase("cross_entropy of 0-dim", _functional("cross_entropy"), (floats(), exactly(0, "int64"))),
    ErrorCase("cross_entropy of int32 classes", _functional("cross_entropy"), (_X, exactly([0, 1, 2], "int32"))),
    ErrorCase("cross_entropy of integer logits", _functional("cross_entropy"), (_WHOLE, exactly([0, 1, 2], "int64"))),
    ErrorCase("cross_entropy of integer probabilities", _functional("cross_entropy"), (_X, _WHOLE)),
    ErrorCase("cross_entropy of ignored probabilities", _functional("cross_entropy", ignore_index=1), (_X, _X)),
    ErrorCase(
        "cross_entropy of too much smoothing",
        _functional("cross_entropy", label_smoothing=1.5),
        (_X, exactly([0, 1, 2], "int64")),
    ),
    ErrorCase("cross_entropy of a list", lambda t, x: t.nn.functional.cross_entropy(x, [0, 1, 2]), (_X,)),
    ErrorCase("nll_loss of a wrong batch", _functional("nll_loss"), (_X, exactly([0, 1], "int64"))),
    ErrorCase("nll_loss out of range", _functional("nll_loss"), (_X, exactly([0, 1, 4], "int64")), data_dependent=True),
    ErrorCase("mse_loss of integers", _functional("mse_loss"), (_WHOLE, _WHOLE)),
    ErrorCase("mse_loss with a wrong weight", lambda t, x: t.nn.functional.mse_loss(x, x, weight=t.ones(4)), (_X,)),
    ErrorCase("smooth_l1_loss of a negative beta", _functional("smooth_l1_loss", beta=-1.0), (_X, _X)),
    ErrorCase("huber_loss of delta 0", _functional("huber_loss", delta=0.0), (_X, _X)),
    ErrorCase("binary_cross_entropy of integers", _functional("binary_cross_entropy"), (_X, _WHOLE)),
    ErrorCase("bce_with_logits of a wrong shape", _functional("binary_cross_entropy_with_logits"), (_X, floats(4))),
    ErrorCase("bce_with_logits of integers", _functional("binary_cross_entropy_with_logits"), (_X, _WHOLE)),
    ErrorCase("kl_div with an unknown reduction", _functional("kl_div", reduction="no"), (_X, _X)),
    ErrorCase("kl_div of integers", _functional("kl_div"), (_WHOLE, _WHOLE)),
    ErrorCase("gaussian_nll_loss of a wrong variance", _functional("gaussian_nll_loss"), (_X, _X, floats(4))),
    ErrorCase("gaussian_nll_loss of a negative variance", _functional("gaussian_nll_loss", -1.0), (_X, _X)),
    ErrorCase("margin_ranking_loss of ranks that differ", _functional("margin_ranking_loss"), (_X, _X, floats(4))),
    ErrorCase("embedding of a vector", _functional("embedding"), (exactly([0], "int64"), floats(3))),
    ErrorCase("embedding of int16", _functional("embedding"), (exactly([0], "int16"), floats(3, 2))),
    ErrorCase("embedding of -1", _functional("embedding"), (exactly([-1], "int64"), floats(3, 2)), data_dependent=True),
    ErrorCase("embedding of a wrong padding", _functional("embedding", 3), (exactly([0], "int64"), floats(3, 2))),
    ErrorCase("dropout of integers", _functional("dropout"), (_WHOLE,)),
    ErrorCase("dropout1d of a vector", _functional("dropout1d"), (floats(4),)),
    ErrorCase("attention of vectors", _functional(_ATTENTION), (floats(4), floats(4), floats(4))),
    ErrorCase("attention of sizes that differ", _functional(_ATTENTION), (floats(3, 4), floats(3, 5), floats(3, 4))),
    ErrorCase("attention of two dtypes", lambda t, x: getattr(t.nn.functional, _ATTENTION)(x, x.double(), x), (_X,)),
    ErrorCase("attention of too much dropout", _functional(_ATTENTION, dropout_p=1.5), (_X, _X, _X)),
    ErrorCase("attention with an integer mask", _functional(_ATTENTION), (_X, _X, _X, integers(3, 3))),
    ErrorCase(
        "attention of heads that do not divide",
        _functional(_ATTENTION, enable_gqa=True),
        (floats(1, 4, 3, 2), floats(1, 3, 3, 2), floats(1, 3, 3, 2)),
    ),
]
