"""PyTorch's functional forms of layers: activations, losses, convolution, pooling, normalization and more."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lazygrad.nn._softmax import log_softmax, softmax, softmin
from lazygrad.ops.indexing.masking import one_hot
from lazygrad.ops.layers.adaptive_pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
)
from lazygrad.ops.layers.attention import scaled_dot_product_attention
from lazygrad.ops.layers.attention_parts import (  # noqa: F401, transformers of others take these from here
    _canonical_mask,
    _in_projection,
    _in_projection_packed,
    _none_or_dtype,
)
from lazygrad.ops.layers.bags import embedding_bag
from lazygrad.ops.layers.batch_normalization import batch_norm, instance_norm
from lazygrad.ops.layers.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_tbc,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from lazygrad.ops.layers.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from lazygrad.ops.layers.embedding import embedding
from lazygrad.ops.layers.fractional_pooling import (
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
)
from lazygrad.ops.layers.grid_sampling import affine_grid, grid_sample
from lazygrad.ops.layers.interpolation import interpolate, upsample, upsample_bilinear, upsample_nearest
from lazygrad.ops.layers.multi_head import multi_head_attention_forward
from lazygrad.ops.layers.normalization import group_norm, layer_norm, local_response_norm, normalize, rms_norm
from lazygrad.ops.layers.patches import fold, unfold
from lazygrad.ops.layers.piecewise_activations import (
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    prelu,
    relu6,
    rrelu,
    rrelu_,
    softshrink,
    threshold,
    threshold_,
)
from lazygrad.ops.layers.pooling import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
)
from lazygrad.ops.layers.power_pooling import lp_pool1d, lp_pool2d, lp_pool3d, max_unpool1d, max_unpool2d, max_unpool3d
from lazygrad.ops.layers.similarity import cosine_similarity, pairwise_distance
from lazygrad.ops.layers.smooth_activations import (
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    logsigmoid,
    mish,
    relu,
    relu_,
    selu,
    selu_,
    silu,
    softplus,
    softsign,
    tanhshrink,
)
from lazygrad.ops.layers.softmax import gumbel_softmax
from lazygrad.ops.linalg.distances import pdist
from lazygrad.ops.linalg.products import bilinear, linear
from lazygrad.ops.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    ctc_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    linear_cross_entropy,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from lazygrad.ops.pointwise.elementary import sigmoid, tanh
from lazygrad.ops.shapes.padding import pad
from lazygrad.ops.shapes.pixels import channel_shuffle, native_channel_shuffle, pixel_shuffle, pixel_unshuffle

__all__ = [
    # activations
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    # layers
    "alpha_dropout",
    "bilinear",
    "affine_grid",
    "grid_sample",
    "interpolate",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
    "embedding_bag",
    "fold",
    "unfold",
    "feature_alpha_dropout",
    "conv_tbc",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "embedding",
    "linear",
    "one_hot",
    "pad",
    "channel_shuffle",
    "native_channel_shuffle",
    "pixel_shuffle",
    "pixel_unshuffle",
    "scaled_dot_product_attention",
    "multi_head_attention_forward",
    # pooling
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool1d_with_indices",
    "max_pool2d_with_indices",
    "max_pool3d_with_indices",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    # normalization and similarity
    "batch_norm",
    "cosine_similarity",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "pdist",
    "pairwise_distance",
    "rms_norm",
    # losses
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cross_entropy",
    "linear_cross_entropy",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "nll_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "ctc_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_with_distance_loss",
]


def __getattr__(name: str) -> Any:
    """What few programs ask for, loaded when they do: by what functions of others ask classes, and two modules."""
    if name in ("_Reduction", "grad"):
        return import_module(f"lazygrad.nn.{name.lower()}")
    if name in ("handle_torch_function", "has_torch_function"):
        return getattr(import_module("lazygrad.overrides"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
