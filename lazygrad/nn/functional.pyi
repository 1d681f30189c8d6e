# Written by `python -m tests.typing.stubs` from the functions themselves.

"""PyTorch's functional forms of layers: activations, losses, convolution, pooling, normalization and more."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

from lazygrad.ir.dtype import DType, Scalar
from lazygrad.ops.arguments.spatial import Extent
from lazygrad.ops.layers.adaptive_pooling import OutputSize
from lazygrad.ops.layers.fractional_pooling import Ratio
from lazygrad.ops.loss.linear_cross_entropy import LinearCrossEntropyOptions
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "celu", "celu_", "elu", "elu_", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish",
    "hardtanh", "hardtanh_", "leaky_relu", "leaky_relu_", "log_softmax", "logsigmoid", "mish", "prelu", "relu", "relu6",
    "relu_", "rrelu", "rrelu_", "selu", "selu_", "sigmoid", "silu", "softmax", "softmin", "softplus", "softshrink",
    "softsign", "tanh", "tanhshrink", "threshold", "threshold_", "alpha_dropout", "bilinear", "affine_grid",
    "grid_sample", "interpolate", "upsample", "upsample_bilinear", "upsample_nearest", "embedding_bag", "fold",
    "unfold", "feature_alpha_dropout", "conv_tbc", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "dropout", "dropout1d", "dropout2d", "dropout3d", "embedding", "linear", "one_hot", "pad",
    "channel_shuffle", "native_channel_shuffle", "pixel_shuffle", "pixel_unshuffle", "scaled_dot_product_attention",
    "multi_head_attention_forward", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices", "avg_pool1d",
    "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d", "max_pool1d_with_indices",
    "max_pool2d_with_indices", "max_pool3d_with_indices", "fractional_max_pool2d", "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d", "fractional_max_pool3d_with_indices", "lp_pool1d", "lp_pool2d", "lp_pool3d",
    "max_unpool1d", "max_unpool2d", "max_unpool3d", "batch_norm", "cosine_similarity", "group_norm", "instance_norm",
    "layer_norm", "local_response_norm", "normalize", "pdist", "pairwise_distance", "rms_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "linear_cross_entropy",
    "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss",
    "nll_loss", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "ctc_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "triplet_margin_with_distance_loss",
]
# fmt: on

def adaptive_avg_pool1d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of ``output_size`` windows of a signal, (N, C, L) or (C, L); see `adaptive_avg_pool2d`."""

def adaptive_avg_pool2d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of as many windows of an image as the output is large.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        output_size: (H_out, W_out), None keeping the input's; one int stands for both.

    Returns:
        (N, C, H_out, W_out), or without N.

    Raises:
        ValueError: too few dimensions.
        RuntimeError: too many dimensions, an empty input, or an output size that is negative or of another rank.
        NotImplementedError: integers or bools.
    """

def adaptive_avg_pool3d(input: Tensor, output_size: OutputSize) -> Tensor:
    """Means of windows of a volume, (N, C, D, H, W) or (C, D, H, W); see `adaptive_avg_pool2d`."""

@overload
def adaptive_max_pool1d(input: Tensor, output_size: OutputSize, return_indices: Literal[False] = False) -> Tensor:
    """Maxima of ``output_size`` windows of a signal, (N, C, L) or (C, L); see `adaptive_max_pool2d`."""

@overload
def adaptive_max_pool1d(
    input: Tensor, output_size: OutputSize, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool1d` with ``return_indices``, whatever that is."""

@overload
def adaptive_max_pool2d(input: Tensor, output_size: OutputSize, return_indices: Literal[False] = False) -> Tensor:
    """Maxima of as many windows of an image as the output is large.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        output_size: (H_out, W_out), None keeping the input's; one int stands for both.
        return_indices: also return where each winner was, counted in row-major order over a plane.

    Returns:
        (N, C, H_out, W_out), or without N; with ``return_indices`` a pair.

    Raises:
        ValueError: too few dimensions.
        RuntimeError: too many dimensions, an empty input, or an output size that is negative or of another rank.
        NotImplementedError: integers or bools.
    """

@overload
def adaptive_max_pool2d(
    input: Tensor, output_size: OutputSize, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool2d` with ``return_indices``, whatever that is."""

@overload
def adaptive_max_pool3d(input: Tensor, output_size: OutputSize, return_indices: Literal[False] = False) -> Tensor:
    """Maxima of windows of a volume, (N, C, D, H, W) or (C, D, H, W); see `adaptive_max_pool2d`."""

@overload
def adaptive_max_pool3d(
    input: Tensor, output_size: OutputSize, return_indices: Literal[True]
) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: OutputSize, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """`adaptive_max_pool3d` with ``return_indices``, whatever that is."""

def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid of places at which `grid_sample` reads an image moved by an affine map.

    Args:
        theta: (N, 2, 3) for images or (N, 3, 4) for volumes, floating.
        size: of the output, (N, C, H, W) or (N, C, D, H, W).
        align_corners: as for `grid_sample`.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3).

    Raises:
        ValueError: not floats, or a shape that does not go with ``size``.
        NotImplementedError: another number of dimensions.
    """

def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for networks of selu: elements set to its lower limit, then all rescaled to mean 0 and variance 1.

    Source: Klambauer et al., "Self-Normalizing Neural Networks", 2017.

    Args:
        input: any shape, floating.
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        NotImplementedError: integers or bools.
    """

def avg_pool1d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of every window of a signal, (N, C, L) or (C, L); see `avg_pool2d`."""

def avg_pool2d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of every window of an image.

    Args:
        input: (N, C, H, W) or (C, H, W), floating or int64, whose means are cut off towards zero.
        kernel_size: extent of the window; here and below an int stands for every dimension.
        stride: step between windows, the window's extent for None.
        padding: zeros around the input.
        ceil_mode: round the output's size up instead of down.
        count_include_pad: count the zeros of the padding in the mean.
        divisor_override: what sums are divided by instead of the number of elements.

    Returns:
        (N, C, H_out, W_out), or without N, where a size is ⌊(size + 2·padding − kernel) / stride⌋ + 1.

    Raises:
        RuntimeError: a wrong rank, no output, padding above half the window, or numbers out of range.
        NotImplementedError: other integers, or bools.
    """

def avg_pool3d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of every window of a volume, (N, C, D, H, W) or (C, D, H, W); see `avg_pool2d`."""

def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """(x − mean) / √(var + eps) · weight + bias per channel. Source: Ioffe and Szegedy, 2015.

    In training mean and (biased) variance are the batch's, and the running ones move towards it in place:
    running ← (1 − momentum)·running + momentum·batch, with the unbiased variance.

    Args:
        input: (N, C, …), floating.
        running_mean, running_var: (C,); None in training to keep none.
        weight, bias: (C,); the input's dtype, or float32 beside a 16-bit input.
        training: normalize with the batch's statistics.
        momentum: share of a batch in the running statistics.
        eps: added to the variance.

    Raises:
        RuntimeError: no statistics in evaluation, or sizes and dtypes that do not fit together.
        ValueError: one value per channel in training, or only one of the running statistics.
        NotImplementedError: integers or bools.
    """

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1ᵀ · weight[o] · input2 + bias[o] for every output o.

    Args:
        input1: shape (…, in1).
        input2: shape (…, in2), with the leading dimensions of ``input1``.
        weight: shape (out, in1, in2).
        bias: shape (out,).

    Returns:
        Shape (…, out).

    Raises:
        RuntimeError: shapes that do not fit, different dtypes.
    """

def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−(target·ln x + (1 − target)·ln(1 − x)), the logarithms not below −100.

    Args:
        input: probabilities, any shape, floating.
        target: probabilities of the same shape and dtype.
        weight: a factor for each element, that broadcasts.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Returns:
        0-dim, or the input's shape for ``"none"``.

    Raises:
        ValueError: shapes differ, or an unknown reduction.
        RuntimeError: dtypes differ, or a weight that does not broadcast; when the loss is computed, a number outside
            [0, 1].
        NotImplementedError: integers or bools.
    """

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """−(pos_weight·target·ln σ(x) + (1 − target)·ln(1 − σ(x))) with σ = sigmoid, without overflow.

    Args:
        input: logits, any shape, floating.
        target: probabilities of the same shape, floating.
        weight: a factor for each element, that broadcasts.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        pos_weight: a factor for the first term, that broadcasts.

    Raises:
        ValueError: shapes differ, or an unknown reduction.
        RuntimeError: a target of integers or bools, or weights that do not broadcast.
        NotImplementedError: logits of integers or bools.
    """

def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, alpha·(e^(x/alpha) − 1) below. Source: Barron, 2017.

    Raises:
        RuntimeError: alpha is 0.
        NotImplementedError: integers or bools.
    """

def celu_(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """In-place version of `celu`."""

def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """(N, C, …) with the channels, in ``groups`` groups, dealt out one from each group in turn.

    Source: Zhang et al., "ShuffleNet", 2018.

    Raises:
        RuntimeError: fewer than three dimensions; a number of groups that does not divide the channels.
    """

def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: str | Extent = 0,
    dilation: Extent = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of signals, see `conv2d`: (N, C_in, L) or (C_in, L) with weight (C_out, C_in / groups, K)."""

def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: str | Extent = 0,
    dilation: Extent = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of images.

    Args:
        input: (N, C_in, H, W) or (C_in, H, W).
        weight: (C_out, C_in / groups, K_h, K_w), of the input's dtype.
        bias: (C_out,) or None.
        stride: step between windows; here and below an int stands for every dimension.
        padding: zeros before and after each dimension, ``"valid"`` for none, ``"same"`` to keep the size.
        dilation: step between the elements of a window.
        groups: channels are split into this many convolutions that do not see each other.

    Returns:
        (N, C_out, H_out, W_out), or without N, where a size is
        ⌊(size + 2·padding − dilation·(K − 1) − 1) / stride⌋ + 1.

    Raises:
        RuntimeError: shapes, dtypes or channels that do not fit together, a window of no elements or larger than the
            padded input, no output channels, an image of no elements, ``"same"`` with a stride, or numbers out of
            range. As in PyTorch, images without channels are convolved to images without channels.
    """

def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: str | Extent = 0,
    dilation: Extent = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of volumes, see `conv2d`: (N, C_in, D, H, W) with weight (C_out, C_in / groups, K_d, K_h, K_w)."""

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolution of signals with time first and channels last.

    Args:
        input: (T, N, C_in).
        weight: (K, C_in, C_out).
        bias: (C_out).
        pad: zeros at both ends.

    Returns:
        (T + 2·pad − K + 1, N, C_out).

    Raises:
        RuntimeError: another rank, or channels that do not fit.
    """

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: Extent = 0,
    output_padding: Extent = 0,
    groups: int = 1,
    dilation: Extent = 1,
) -> Tensor:
    """Transposed convolution of signals, see `conv_transpose2d`."""

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: Extent = 0,
    output_padding: Extent = 0,
    groups: int = 1,
    dilation: Extent = 1,
) -> Tensor:
    """Transposed convolution of images: every input element adds a scaled copy of the filter to the output.

    Args:
        input: (N, C_in, H, W) or (C_in, H, W).
        weight: (C_in, C_out / groups, K_h, K_w), of the input's dtype.
        bias: (C_out,) or None.
        stride: step between the copies; here and below an int stands for every dimension.
        padding: how much of the result is cut off on every side.
        output_padding: how much less is cut off at the end.
        groups: channels are split into this many convolutions that do not see each other.
        dilation: step between the elements of the filter.

    Returns:
        (N, C_out, H_out, W_out), or without N, where a size is
        (size − 1)·stride − 2·padding + dilation·(K − 1) + output_padding + 1.

    Raises:
        RuntimeError: shapes, dtypes or channels that do not fit together, or numbers out of range.
    """

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Extent = 1,
    padding: Extent = 0,
    output_padding: Extent = 0,
    groups: int = 1,
    dilation: Extent = 1,
) -> Tensor:
    """Transposed convolution of volumes, see `conv_transpose2d`."""

def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 − cos where the target is 1, max(0, cos − margin) where it is −1, for the cosine of two vectors.

    Args:
        input1, input2: (N, D) or (D,).
        target: (N,) or ().
        margin, size_average, reduce, reduction: see `margin_ranking_loss`.

    Raises:
        RuntimeError: other shapes.
        ValueError: an unknown reduction.
    """

def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """x1·x2 / (max(‖x1‖₂, eps) · max(‖x2‖₂, eps)) along ``dim`` of the broadcast operands.

    Raises:
        RuntimeError: integers or bools, or shapes that do not broadcast.
        IndexError: ``dim`` out of range.
    """

def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """−Σ q·log_softmax(input) over the classes, where q is 1 for the target class and 0 elsewhere.

    Args:
        input: logits, (N, C, …) or (C,), floating.
        target: class indices, int64, (N, …) or (); or probabilities, floating, of the input's shape.
        weight: (C,), a factor for each class; the mean is then weighted too.
        size_average, reduce: PyTorch's former words for ``reduction``.
        ignore_index: targets that cost nothing and do not count in the mean.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        label_smoothing: in [0, 1], the share of q that is spread evenly over the classes.

    Returns:
        0-dim, or the shape of the class indices for ``"none"``.

    Raises:
        IndexError: a class index is out of range; where it is not computed yet, when the loss or a gradient is.
        ValueError: batch sizes differ, or an unknown reduction.
        RuntimeError: shapes or dtypes that do not fit together, or a smoothing out of range.
        NotImplementedError: logits of integers or bools.
    """

def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """−ln of the probability of the target sequence, summed over its alignments with the input.

    Args:
        log_probs: (T, N, C) or (T, C), the logarithms of probabilities, as from `log_softmax`.
        targets: (N, S), padded, or all sequences one after another; classes other than ``blank``.
        input_lengths, target_lengths: the lengths of the sequences, N each, which are computed now.
        blank: the class that separates labels.
        reduction: none, sum, or mean: each loss divided by the length of its target, then averaged.
        zero_infinity: 0 instead of ∞, and no gradient, where the input is too short for the target.

    Returns:
        A number, or (N,) without reduction. Its gradient is that of the input of a `log_softmax`, as in PyTorch.

    Raises:
        RuntimeError: lengths that do not fit, a blank out of range, dtypes.
    """

def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to 0 with probability ``p``, the others divided by 1 − p. Source: Srivastava et al., 2014.

    Args:
        input: any shape, floating.
        p: probability of an element to be dropped.
        training: False to return the input.
        inplace: write the result into the input.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: integers or bools.
    """

def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of signals.

    Args:
        input: (N, C, L) or (C, L), floating.
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: another rank, integers or bools.
    """

def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of images.

    Args:
        input: (N, C, H, W), floating. Of any other rank, too, the first two dimensions are taken as (N, C).
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: integers or bools.
    """

def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of volumes.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W), floating.
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: integers or bools.
    """

def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, alpha·(eˣ − 1) below. Source: Clevert, Unterthiner and Hochreiter, 2015.

    Raises:
        NotImplementedError: integers or bools.
    """

def elu_(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """In-place version of `elu`."""

def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of ``weight`` that ``input`` names.

    Args:
        input: row numbers, any shape, int64 or int32.
        weight: (rows, columns).
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up are first shortened to this norm, in place.
        norm_type: p of that norm.
        scale_grad_by_freq: divide a row's gradient by how often it is looked up here.
        sparse: give a leaf that is only looked up in a sparse gradient, of the rows that were looked up.

    Returns:
        (*input.shape, columns).

    Raises:
        RuntimeError: ``weight`` is not a matrix, or ``input`` of another dtype.
        AssertionError: ``padding_idx`` names no row.
        IndexError: a number that names no row; if the numbers are not computed yet, when the result is.
    """

def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or maximum of the rows of ``weight`` in each bag; 0 for an empty one.

    Args:
        input: (B, N), a bag per row; or a vector of all bags one after another.
        weight: (rows, columns).
        offsets: for a vector, where each bag begins.
        max_norm, norm_type, scale_grad_by_freq, sparse: see `embedding`.
        mode: ``"sum"``, ``"mean"`` or ``"max"``.
        per_sample_weights: factors of the rows, like ``input``; for sums only.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: a row that belongs to no bag, and gets no gradient.

    Returns:
        (B, columns).

    Raises:
        ValueError: offsets missing, or given with a matrix; a rank or mode that is none of these.
        NotImplementedError: weights of samples with another mode than sum.
        RuntimeError: dtypes that do not fit; when the result is computed, a number that names no row, or offsets that
            do not begin with 0, that decrease, or that lie behind the end of the input.
    """

def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels of an input (N, C, …)."""

def fold(
    input: Tensor,
    output_size: Extent,
    kernel_size: Extent,
    dilation: Extent = 1,
    padding: Extent = 0,
    stride: Extent = 1,
) -> Tensor:
    """Columns of blocks summed where they overlap into an image (col2im): the adjoint of `unfold`.

    Args:
        input: (N, C · elements of a block, number of blocks), or without N.
        output_size: (H, W).
        kernel_size, dilation, padding, stride: as for `unfold`.

    Returns:
        (N, C, H, W), or without N.

    Raises:
        RuntimeError: a shape that does not fit the other arguments.
    """

def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of windows of an image that lie at random distances.

    Args:
        input: (N, C, H, W) or (C, H, W), floating.
        kernel_size: extent of the window; here and below an int stands for every dimension.
        output_size: (H_out, W_out); or
        output_ratio: by how much to multiply (H, W), in (0, 1).
        return_indices: also return where each winner was, counted in row-major order over a plane.
        _random_samples: (N, C, 2), numbers from [0, 1); drawn where it is left out.

    Returns:
        (N, C, H_out, W_out), or without N; with ``return_indices`` a pair.

    Raises:
        ValueError: neither ``output_size`` nor ``output_ratio``.
        RuntimeError: a wrong rank, more windows than fit, or samples that do not fit.
        NotImplementedError: integers or bools.
    """

def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`fractional_max_pool2d` with ``return_indices``, whatever that is."""

def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of windows of a volume that lie at random distances; see `fractional_max_pool2d`."""

def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    output_size: Extent | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """`fractional_max_pool3d` with ``return_indices``, whatever that is."""

def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
) -> Tensor:
    """½·(ln var + (input − target)² / var).

    Args:
        input: means, any shape, floating.
        target: of a shape that broadcasts.
        var: variances: of the input's shape, without its last dimension, or with size 1 in one; or one number.
        full: add the constant ½·ln 2π.
        eps: the least variance taken; its gradient is passed on as if there were no limit.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Returns:
        0-dim, or the input's shape for ``"none"``. A negative element of ``var`` makes it NaN.

    Raises:
        ValueError: a negative number for ``var``, a ``var`` of another shape, or an unknown reduction.
        NotImplementedError: integers or bools.
    """

def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x · Φ(x), elementwise.

    Args:
        input: any shape, floating.
        approximate: ``"tanh"`` for the approximation by tanh (Hendrycks and Gimpel, 2016), ``"none"`` for erf.

    Raises:
        RuntimeError: another word.
        NotImplementedError: integers or bools.
    """

def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a · sigmoid(b), where a and b are the halves of the input along ``dim``. Source: Dauphin et al., 2017.

    Raises:
        RuntimeError: a 0-dim tensor, or an odd size along ``dim``.
        NotImplementedError: integers or bools.
    """

def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """The input read at the places of a grid, between pixels by interpolation.

    Args:
        input: (N, C, H, W) or (N, C, D, H, W), floating.
        grid: (N, H_out, W_out, 2) or (N, D_out, H_out, W_out, 3), in the input's dtype.
        mode: bilinear (trilinear of volumes), nearest, or bicubic (images only).
        padding_mode: what lies outside: zeros, the border element, or the reflection at the border.
        align_corners: whether ±1 is the center of the corner pixels rather than their outer corner; False for None.

    Returns:
        (N, C, H_out, W_out) or (N, C, D_out, H_out, W_out).

    Raises:
        ValueError: an unknown mode or padding.
        RuntimeError: shapes or dtypes that do not fit; bicubic of a volume.
    """

def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    """Every group of channels normalized to mean 0 and variance 1, then scaled per channel. Source: Wu and He, 2018.

    Args:
        input: (N, C, …), floating.
        num_groups: divides C.
        weight, bias: (C,).
        eps: added to the (biased) variance.

    Raises:
        RuntimeError: fewer than 2 dimensions, or sizes that do not fit together.
        ValueError: one value per group.
        NotImplementedError: integers or bools.
    """

def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A random sample from the Gumbel-softmax distribution.

    Source: Jang, Gu and Poole, "Categorical Reparameterization with Gumbel-Softmax", 2017.

    Args:
        logits: any shape, floating; unnormalized log probabilities along ``dim``.
        tau: temperature.
        hard: return one-hot vectors, which are differentiated as if they were the soft sample.
        eps: has no effect, as in PyTorch.
        dim: the dimension that sums to 1.

    Raises:
        IndexError: ``dim`` out of range.
        NotImplementedError: integers or bools.
    """

def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, 0 elsewhere.

    Raises:
        NotImplementedError: integers or bools.
        RuntimeError: a lambd that the dtype cannot hold.
    """

def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(x + 3) / 6 limited to [0, 1], elementwise.

    Raises:
        NotImplementedError: integers or bools.
    """

def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · hardsigmoid(x), elementwise. Source: Howard et al., "Searching for MobileNetV3", 2019.

    Raises:
        NotImplementedError: integers or bools.
    """

def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``input`` limited to [min_val, max_val]; unlike `clamp` with derivative 0 at the limits. The dtype stays.

    Raises:
        ValueError: min_val is greater than max_val.
        RuntimeError: a bool tensor.
    """

def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """In-place version of `hardtanh`."""

def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, max(0, margin − input) where it is −1; see `margin_ranking_loss`."""

def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """d² / 2 where the distance d is at most ``delta``, delta·(d − delta / 2) elsewhere; see `mse_loss`.

    Source: Huber, "Robust Estimation of a Location Parameter", 1964.

    Raises:
        RuntimeError: ``delta`` is not positive.
    """

def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Batch normalization with the statistics of every single instance. Source: Ulyanov, Vedaldi and Lempitsky, 2016.

    Args:
        input: (N, C, …), floating.
        running_mean, running_var: (C,), moved towards the mean over the instances; or None.
        weight, bias: (C,).
        use_input_stats: False to normalize with the running statistics.
        momentum, eps: see `batch_norm`.

    Raises:
        RuntimeError: no statistics to use, or sizes and dtypes that do not fit together.
        ValueError: one element per instance and channel.
        NotImplementedError: integers or bools.
    """

def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input at another resolution.

    Args:
        input: (N, C, *spatial) with one to three spatial dimensions.
        size: the spatial sizes; or
        scale_factor: by how much to multiply them; one number stands for every dimension.
        mode: nearest, nearest-exact, linear, bilinear, trilinear, bicubic or area, by the number of dimensions.
        align_corners: whether the centers of the corner pixels are kept, for the linear and cubic modes.
        recompute_scale_factor: compute positions from the sizes rather than from ``scale_factor``.
        antialias: average when shrinking, for bilinear and bicubic.

    Raises:
        ValueError: neither or both of ``size`` and ``scale_factor``; options that do not go with the mode.
        NotImplementedError: a mode that does not go with the number of dimensions.
        RuntimeError: a size that is not positive.
        NotImplementedError: integers for the linear and cubic modes; bilinear and bicubic take uint8.
    """

def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target·(ln target − input), the Kullback-Leibler divergence for an input of log probabilities.

    Args:
        input: log probabilities, floating.
        target: probabilities (their logarithms with ``log_target``), of a shape that broadcasts.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"batchmean"`` (the sum divided by the size of the first dimension, which is the divergence),
            ``"mean"``, ``"sum"`` or ``"none"``.
        log_target: whether the target is given as logarithms.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: integers or bools, or shapes that do not broadcast.
    """

def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input − target|; see `mse_loss`. Integers have no mean, as everywhere."""

def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """(x − mean) / √(var + eps) · weight + bias over the trailing dimensions. Source: Ba, Kiros and Hinton, 2016.

    Args:
        input: (…, *normalized_shape), floating.
        normalized_shape: the sizes of the dimensions normalized together.
        weight, bias: normalized_shape; the input's dtype, or float32 beside a 16-bit input.
        eps: added to the (biased) variance.

    Raises:
        RuntimeError: shapes or dtypes that do not fit together.
        NotImplementedError: integers or bools.
    """

def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x above 0, negative_slope·x below.

    Raises:
        NotImplementedError: integers or bools.
    """

def leaky_relu_(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """In-place version of `leaky_relu`."""

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input · weightᵀ + bias over the last dimension.

    Args:
        input: shape (…, in_features).
        weight: shape (out_features, in_features), or (in_features,) for one output without a dimension of its own.
        bias: shape (out_features,), or any that broadcasts to the result.

    Raises:
        RuntimeError: shapes that do not fit, different dtypes.
    """

def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """`cross_entropy` of ``input · linear_weightᵀ + linear_bias``.

    Args:
        input: (in_features) or (N, in_features).
        linear_weight: (C, in_features), or (C, …, in_features) for scores with further dimensions.
        target: class indices or probabilities, as for `cross_entropy`.
        linear_bias: (C) or (C, …).
        weight, reduction, label_smoothing: as for `cross_entropy`.
        ignore_index: class indices that do not count; -100 for None.
        options: see `LinearCrossEntropyOptions`.

    Raises:
        RuntimeError: shapes that do not fit, or ``ignore_index`` beside probabilities.
    """

def local_response_norm(input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha · mean of x² over ``size`` neighbouring channels)^beta. Source: Krizhevsky et al., 2012.

    Args:
        input: (N, C, …), floating or int64, with at least 3 dimensions.
        size: how many channels a mean is taken over; channels beyond the ends count as 0.

    Raises:
        ValueError: fewer than 3 dimensions.
    """

def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """ln softmax(x), without overflow; see `softmax`.

    Without ``dim``, 0 or 1 is taken, by the rank, with a warning.
    """

def logsigmoid(input: Tensor) -> Tensor:
    """ln(sigmoid(x)), elementwise, without overflow.

    Raises:
        NotImplementedError: integers or bools.
    """

def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ x^p)^(1/p) of every window of a signal; see `avg_pool1d`."""

def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ x^p)^(1/p) of every window of an image; see `avg_pool2d`."""

def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Extent, stride: Extent | None = None, ceil_mode: bool = False
) -> Tensor:
    """(Σ x^p)^(1/p) of every window of a volume; see `avg_pool3d`."""

def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, −target·(input1 − input2) + margin).

    Args:
        input1, input2: scores, of one rank.
        target: 1 where the first should rank higher, −1 where the second should; of the same rank.
        margin: how much higher.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        RuntimeError: ranks differ.
        ValueError: an unknown reduction.
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of every window of a signal, (N, C, L) or (C, L); see `max_pool2d`."""

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d` with ``return_indices``, whatever that is."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of every window of an image; NaN wins, and of equal elements the first.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: extent of the window; here and below an int stands for every dimension.
        stride: step between windows, the window's extent for None.
        padding: how far windows may stick out; what lies outside never wins.
        dilation: step between the elements of a window.
        ceil_mode: round the output's size up instead of down.
        return_indices: also return where each winner was.

    Returns:
        (N, C, H_out, W_out), or without N, where a size is
        ⌊(size + 2·padding − dilation·(kernel − 1) − 1) / stride⌋ + 1; with ``return_indices`` a pair, whose second is
        int64 and counts the elements of a plane in row-major order.

    Raises:
        RuntimeError: a wrong rank, no output, padding above half the window, or numbers out of range.
        NotImplementedError: bools.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any: ...
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d` with ``return_indices``, whatever that is."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """The largest element of every window of a volume, (N, C, D, H, W) or (C, D, H, W); see `max_pool2d`."""

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any: ...
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    dilation: Extent = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool3d` with ``return_indices``, whatever that is."""

def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The maxima of a signal where `max_pool1d` found them, zeros elsewhere; see `max_unpool2d`."""

def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The maxima of an image where `max_pool2d` found them, zeros elsewhere.

    Args:
        input: (N, C, H, W) or (C, H, W), maxima.
        indices: where they were, as `max_pool2d` returns it.
        kernel_size, stride, padding: as they were for `max_pool2d`.
        output_size: the size of the image, which these determine up to a stride.

    Raises:
        ValueError: an output size that does not fit. RuntimeError: shapes or dtypes that do not fit, an index out of
            range.
    """

def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Extent,
    stride: Extent | None = None,
    padding: Extent = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """The maxima of a volume where `max_pool3d` found them, zeros elsewhere; see `max_unpool2d`."""

def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x · tanh(softplus(x)), elementwise. Source: Misra, "Mish", 2019.

    Raises:
        NotImplementedError: integers or bools.
    """

def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input − target)².

    Args:
        input, target: shapes that broadcast (with a warning where they differ), floating after promotion.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        weight: a factor for each element, of the input's shape.

    Raises:
        ValueError: an unknown reduction, or a weight of another shape.
        RuntimeError: shapes that do not broadcast.
        NotImplementedError: integers or bools.
    """

def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """The function of `nn.MultiheadAttention`, which says what most arguments are.

    Args:
        query, key, value: (L, N, E), (S, N, Ek) and (S, N, Ev), or without N.
        embed_dim_to_check: E.
        use_separate_proj_weight: whether ``q_proj_weight``, ``k_proj_weight`` and ``v_proj_weight`` are used instead of
            ``in_proj_weight``.
        static_k, static_v: (N · heads, S, E / heads), in place of the projected key and value.

    Raises:
        AssertionError, RuntimeError: shapes that do not fit, masks of another dtype, ``is_causal`` without a mask.
    """

def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Σ max(0, margin − x[class] + x[i])^p / C over the other classes i.

    Args:
        input: (N, C) or (C).
        target: the classes, (N) or a number, int64.
        p: 1 or 2.
        margin: by how much the class should win.
        weight: a factor for each class.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: mean, sum or none.

    Raises:
        ValueError: another ``p`` or weights that do not fit. RuntimeError: shapes or dtypes that do not fit; when the
            loss is computed, a class that does not exist.
    """

def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """Σ max(0, 1 − (x[y] − x[i])) / C over the classes y of the target and i not in it.

    Args:
        input: (N, C) or (C).
        target: like ``input``, int64: classes, up to the first -1.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: mean, sum or none.

    Raises:
        RuntimeError: shapes or dtypes that do not fit; when the loss is computed, a class that does not exist.
    """

def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−Σ y · ln σ(x) + (1 − y) · ln σ(−x), averaged over the classes, the last dimension.

    Args:
        input: (…, C).
        target: like ``input``, 0 or 1.
        weight: a factor for each class.
        size_average, reduce: PyTorch's former words for ``reduction``.
        reduction: mean, sum or none.

    Raises:
        ValueError: an unknown reduction.
    """

def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Another name of `channel_shuffle`."""

def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """−weight·input at the target class, for an input of log probabilities.

    Args:
        input: (N, C, …) or (C,), floating.
        target: class indices, int64, (N, …) or ().
        weight, size_average, ignore_index, reduce, reduction: see `cross_entropy`.

    Raises:
        ValueError: batch sizes differ, or an unknown reduction.
        RuntimeError: shapes or dtypes that do not fit together.
        IndexError: a target that is no class; where it is not computed yet, when the loss or a gradient is.
        NotImplementedError: an input of integers or bools.
    """

def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, *, out: Tensor | None = None) -> Tensor:
    """x / max(‖x‖ₚ, eps) along ``dim``.

    Raises:
        RuntimeError: integers or bools.
        IndexError: ``dim`` out of range.
    """

def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the class, 0 elsewhere: int64, with a new last dimension. Computes the classes, to check their range.

    Args:
        input: int64 classes.
        num_classes: size of the new dimension; by default the largest class + 1.

    Raises:
        RuntimeError: not int64, or a class outside [0, num_classes).
    """

def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: Scalar | None = None) -> Tensor:
    """The tensor with a border.

    Args:
        pad: (before, after) of the last dimension, then of the one before it, and so on. Negative amounts crop.
        mode: ``"constant"``; ``"reflect"`` (mirrored at the edge element), ``"replicate"`` (the edge element repeated)
            or ``"circular"`` (the other end), for the last one to three dimensions of a batch.
        value: of a constant border, 0 by default.

    Raises:
        RuntimeError: an odd number of amounts, too many, or a border wider than what it mirrors or wraps.
        NotImplementedError: an unknown mode, or one that does not cover these dimensions.
    """

def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    """‖x1 − x2 + eps‖ₚ along the last dimension of the broadcast operands.

    Raises:
        RuntimeError: integers or bools, or shapes that do not broadcast.
    """

def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances between the rows of a matrix (n, k), pair by pair: shape (n·(n - 1)/2,).

    Raises:
        RuntimeError: not a matrix, a negative ``p``, integers. NotImplementedError: 16-bit floats.
    """

def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(…, C·r², H, W) → (…, C, H·r, W·r) with r the factor: channels become pixels.

    Raises:
        RuntimeError: fewer than three dimensions, or channels that r² does not divide.
    """

def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(…, C, H·r, W·r) → (…, C·r², H, W) with r the factor: pixels become channels.

    Raises:
        RuntimeError: fewer than three dimensions, or a height or width that r does not divide.
    """

def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-08,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """rate − target·ln rate, where the input is the rate or, with ``log_input``, its logarithm.

    Args:
        input: any shape.
        target: counts, of a shape that broadcasts.
        log_input: whether the input is a logarithm.
        full: add Stirling's approximation of ln target! where the target is above 1.
        size_average, reduce: PyTorch's former words for ``reduction``.
        eps: added to the rate before its logarithm is taken.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        ValueError: an unknown reduction.
    """

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above 0, weight·x below. Source: He et al., 2015.

    Args:
        input: (N, C, …) or, with a single weight, any shape.
        weight: one number, or one per channel, in the input's dtype.

    Raises:
        RuntimeError: the number of weights is neither 1 nor that of the channels, or the dtypes differ.
    """

def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), elementwise; the dtype stays.

    Raises:
        RuntimeError: a bool tensor.
    """

def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6), elementwise; the dtype stays.

    Raises:
        RuntimeError: a bool tensor.
    """

def relu_(input: Tensor, inplace: bool = False) -> Tensor:
    """In-place version of `relu`."""

def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x / √(mean(x²) + eps) · weight over the trailing dimensions. Source: Zhang and Sennrich, 2019.

    Args:
        input: (…, *normalized_shape), floating.
        normalized_shape: the sizes of the dimensions normalized together.
        weight: normalized_shape; the input's dtype, or float32 beside a 16-bit input.
        eps: added to the mean; None for the distance from 1 to the next number of the input's dtype.

    Raises:
        RuntimeError: shapes or dtypes that do not fit together.
        NotImplementedError: integers or bools.
    """

def rrelu(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """x above 0; below, x times a slope drawn from [lower, upper), or times their mean outside training.

    Source: Xu et al., "Empirical Evaluation of Rectified Activations", 2015.

    Raises:
        RuntimeError: lower is greater than upper.
        NotImplementedError: integers or bools.
    """

def rrelu_(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """In-place version of `rrelu`."""

def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query · keyᵀ · scale + mask) · value.

    Args:
        query: (…, L, E), floating.
        key: (…, S, E).
        value: (…, S, Ev).
        attn_mask: (…, L, S), bool with True where a query may look, or numbers added to the scores.
        dropout_p: probability of a weight to be dropped, also outside training.
        is_causal: a query sees no key whose position is greater than its own.
        scale: 1/√E for None.
        enable_gqa: let groups of query heads, the third dimension from the end, share a head of key and value.

    Returns:
        (…, L, Ev). A query that may look nowhere gets 0 under a mask.

    Raises:
        RuntimeError: a mask together with ``is_causal``, heads that do not divide, a probability out of range, or
            shapes and dtypes that do not fit together.
    """

def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """scale · elu(x, alpha) with the constants that keep mean 0 and variance 1. Source: Klambauer et al., 2017.

    Raises:
        NotImplementedError: integers or bools.
    """

def selu_(input: Tensor, inplace: bool = False) -> Tensor:
    """In-place version of `selu`."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1/(1 + e⁻ˣ), elementwise. Integer and bool tensors are converted to the default float dtype."""

def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x · sigmoid(x), elementwise; also called swish.

    Raises:
        NotImplementedError: integers or bools.
    """

def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """d² / (2·beta) where the distance d is below ``beta``, d − beta / 2 elsewhere; see `mse_loss`.

    Source: Girshick, "Fast R-CNN", 2015.

    Raises:
        RuntimeError: a negative ``beta``.
    """

def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """ln(1 + e^(−target·input)), without overflow; see `margin_ranking_loss`."""

def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """eˣ / Σ eˣ along ``dim``.

    Args:
        input: any shape, floating.
        dim: the dimension that sums to 1.
        dtype: cast the input to this dtype first; the result has it.

    Raises:
        IndexError: ``dim`` out of range.
        NotImplementedError: integers or bools without ``dtype``.


    Without ``dim``, 0 or 1 is taken, by the rank, with a warning.
    """

def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """softmax(−x); see `softmax`.

    Without ``dim``, 0 or 1 is taken, by the rank, with a warning.
    """

def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """ln(1 + e^(beta·x)) / beta, elementwise; x itself where beta·x is above the threshold.

    Raises:
        NotImplementedError: integers or bools.
    """

def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by lambd, 0 within lambd of it.

    Raises:
        RuntimeError: lambd is negative, or larger than the largest number of the dtype.
        NotImplementedError: integers or bools.
    """

def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|), elementwise; integers give the default float dtype.

    Raises:
        NotImplementedError: bools.
    """

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """tanh x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def tanhshrink(input: Tensor) -> Tensor:
    """x − tanh(x), elementwise; integers give the default float dtype.

    Raises:
        RuntimeError: bools.
    """

def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x above the threshold, ``value`` elsewhere; the dtype stays."""

def threshold_(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """In-place version of `threshold`."""

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) − d(anchor, negative) + margin) for the p-norm distance d of the last dimension.

    Source: Balntas et al., "Learning local feature descriptors with triplets", 2016.

    Args:
        anchor, positive, negative: (N, D) or (D,).
        margin: how much closer the positive should be.
        p, eps: of the distance, see `pairwise_distance`.
        swap: also consider the distance of positive and negative, if smaller.
        size_average, reduce, reduction: see `margin_ranking_loss`.

    Raises:
        RuntimeError: ranks differ.
        ValueError: an unknown reduction, or a margin that is not positive.
    """

def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) − d(anchor, negative) + margin), for a distance of one's own.

    Args:
        anchor, positive, negative: of one rank.
        distance_function: d; `pairwise_distance` by default.
        margin: by how much the negative should be farther.
        swap: compare with d(positive, negative) where that is smaller.
        reduction: mean, sum or none.

    Raises:
        ValueError: an unknown reduction, or a margin that is not positive. RuntimeError: ranks that differ.
    """

def unfold(input: Tensor, kernel_size: Extent, dilation: Extent = 1, padding: Extent = 0, stride: Extent = 1) -> Tensor:
    """The sliding blocks of an image as columns (im2col).

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: extent of a block; here and below an int stands for both dimensions.
        dilation: step between the elements of a block.
        padding: zeros around the image.
        stride: step between blocks.

    Returns:
        (N, C · elements of a block, number of blocks), or without N.

    Raises:
        RuntimeError: another rank, no block, or numbers out of range.
    """

def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`interpolate` under its former name."""

def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` in the mode bilinear, with aligned corners."""

def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` in the mode nearest."""
