"""Functions of layers and losses under their top-level names, windows, and other functions of tensors."""

from __future__ import annotations

from typing import Any

from tests.oracle.comparing import raised

from .scenarios import covers


def _image(t: Any, *shape: int) -> Any:
    count = 1
    for size in shape:
        count *= size
    return t.sin(t.arange(float(count))).reshape(shape)


@covers("adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d max_pool1d max_pool1d_with_indices max_pool2d max_pool3d")
def pooling(t: Any) -> Any:
    x = _image(t, 2, 3, 8)
    return (
        t.adaptive_avg_pool1d(x, 3),
        t.adaptive_max_pool1d(x, 3),
        t.avg_pool1d(x, 3, 2),
        t.max_pool1d(x, 3, 2),
        t.max_pool1d_with_indices(x, 3, 2),
        t.max_pool2d(_image(t, 1, 2, 5, 5), 2),
        t.max_pool3d(_image(t, 1, 1, 4, 4, 4), 2),
    )


@covers("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc")
def convolutions(t: Any) -> Any:
    return (
        t.conv1d(_image(t, 1, 2, 9), _image(t, 3, 2, 3), stride=2),
        t.conv2d(_image(t, 1, 2, 5, 5), _image(t, 4, 1, 3, 3), groups=2),
        t.conv3d(_image(t, 1, 1, 3, 4, 4), _image(t, 1, 1, 2, 2, 2)),
        t.conv_transpose1d(_image(t, 1, 2, 5), _image(t, 2, 3, 3), stride=2),
        t.conv_transpose2d(_image(t, 1, 2, 3, 3), _image(t, 2, 1, 2, 2)),
        t.conv_transpose3d(_image(t, 1, 1, 2, 2, 2), _image(t, 1, 1, 2, 2, 2)),
        t.conv_tbc(_image(t, 6, 2, 3), _image(t, 3, 3, 4), t.ones(4)),
    )


@covers("relu celu selu prelu threshold hardshrink Tensor.relu Tensor.relu_ Tensor.prelu Tensor.hardshrink")
def activations(t: Any) -> Any:
    x = t.tensor([-2.0, -0.3, 0.0, 0.7, 3.0])
    return (
        t.relu(x),
        t.celu(x, 0.5),
        t.selu(x),
        t.prelu(x, t.tensor([0.2])),
        t.threshold(x, 0.5, 9.0),
        t.hardshrink(x),
        x.relu(),
        x.clone().relu_(),
        x.prelu(t.tensor([0.1])),
        x.hardshrink(0.4),
    )


@covers("rrelu dropout alpha_dropout feature_dropout feature_alpha_dropout")
def in_evaluation_noise_is_off(t: Any) -> Any:
    x = _image(t, 2, 3, 4)
    everything = t.dropout(x, 1.0, True)
    return (
        t.rrelu(x, 0.2, 0.4, False),
        t.dropout(x, 0.5, False),
        t.alpha_dropout(x, 0.5, False),
        everything,
        t.feature_dropout(x, 0.5, False),
        t.feature_alpha_dropout(x, 0.5, False),
        t.dropout(x, 0.0, True),
        raised(lambda: t.dropout(x, 1.5, True)),
    )


@covers("batch_norm layer_norm group_norm instance_norm rms_norm")
def normalization(t: Any) -> Any:
    x = _image(t, 2, 4, 3, 3)
    weight, bias = t.arange(1.0, 5.0), t.ones(4)
    mean, var = t.zeros(4), t.ones(4)
    trained = t.batch_norm(x, weight, bias, mean, var, True, 0.1, 1e-5, False)
    return (
        trained,
        mean,
        var,
        t.batch_norm(x, weight, bias, mean, var, False, 0.1, 1e-5, False),
        t.layer_norm(x, (3, 3)),
        t.group_norm(x, 2, weight, bias),
        t.instance_norm(x, weight, bias, None, None, True, 0.1, 1e-5, False),
        t.rms_norm(x, (3,)),
    )


@covers(
    "embedding embedding_bag bilinear cosine_similarity pairwise_distance pixel_shuffle pixel_unshuffle channel_shuffle"
)
def layers(t: Any) -> Any:
    weight, index = _image(t, 5, 3), t.tensor([[0, 2], [4, 4]])
    x = _image(t, 2, 3)
    return (
        t.embedding(weight, index),
        t.embedding_bag(weight, t.tensor([0, 2, 4, 1]), t.tensor([0, 3]))[0],
        t.bilinear(x, x, _image(t, 4, 3, 3)),
        t.cosine_similarity(x, x + 1),
        t.pairwise_distance(x, x * 2),
        t.pixel_shuffle(_image(t, 1, 4, 2, 2), 2),
        t.pixel_unshuffle(_image(t, 1, 1, 4, 4), 2),
        t.channel_shuffle(_image(t, 1, 4, 2, 2), 2),
    )


@covers(
    "binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss kl_div margin_ranking_loss "
    "poisson_nll_loss triplet_margin_loss ctc_loss"
)
def losses(t: Any) -> Any:
    x, y, sign = _image(t, 3, 4), _image(t, 3, 4) * 0.5 + 0.2, t.tensor([1.0, -1.0, 1.0])
    scores = t.log_softmax(_image(t, 6, 2, 5), 2)
    return (
        t.binary_cross_entropy_with_logits(x, t.sigmoid(y), None, None, 1),
        t.cosine_embedding_loss(x, y, sign, 0.0, 1),
        t.hinge_embedding_loss(x, t.sign(y), 1.0, 1),
        t.kl_div(x, t.sigmoid(y), 1),
        t.margin_ranking_loss(x[:, 0], y[:, 0], sign, 0.0, 1),
        t.poisson_nll_loss(x, t.exp(y), True, False, 1e-8, 1),
        t.triplet_margin_loss(x, y, x + 1, reduction=1),
        t.ctc_loss(scores, t.tensor([[1, 2], [3, 3]]), t.tensor([6, 5]), t.tensor([2, 2]), 0, 1),
    )


@covers("affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d")
def sampling_of_images(t: Any) -> Any:
    theta = t.tensor([[[0.8, 0.1, 0.0], [-0.2, 1.0, 0.1]]])
    grid = t.affine_grid_generator(theta, (1, 1, 3, 3), False)
    volume = t.affine_grid_generator(t.eye(3, 4).reshape(1, 3, 4), (1, 1, 2, 2, 2), True)
    x, y = _image(t, 1, 1, 4, 4), _image(t, 1, 1, 3, 3, 3)
    return (
        grid,
        t.grid_sampler(x, grid, 0, 0, False),
        t.grid_sampler_2d(x, grid, 1, 1, True),
        volume,
        t.grid_sampler_3d(y, volume, 0, 0, True),
    )


@covers("hann_window hamming_window blackman_window bartlett_window kaiser_window fft.fftfreq fft.rfftfreq")
def windows(t: Any) -> Any:
    return (
        t.hann_window(7),
        t.hamming_window(6, periodic=False),
        t.blackman_window(5, dtype=t.float64),
        t.bartlett_window(4),
        t.kaiser_window(5, True, 6.0),
        t.hann_window(1),
        t.hann_window(0),
        t.fft.fftfreq(5, 0.5),
        t.fft.rfftfreq(6),
    )


@covers("binomial poisson")
def samplers(t: Any) -> Any:
    t.manual_seed(1)
    counts = t.binomial(t.full((1000,), 10.0), t.full((1000,), 0.3))
    events = t.poisson(t.full((1000,), 4.0))
    return (
        tuple(counts.shape),
        bool((counts >= 0).all()),
        bool((counts <= 10).all()),
        abs(float(counts.mean()) - 3) < 0.3,
        abs(float(events.mean()) - 4) < 0.4,
        bool((events == events.floor()).all()),
    )


@covers("slogdet Tensor.slogdet cond vander pdist")
def linear_algebra(t: Any) -> Any:
    x = _image(t, 3, 3) + t.eye(3)
    return t.slogdet(x), x.slogdet(), t.pdist(x), t.linalg.cond(x)


@covers("special.gammainc special.gammaincc")
def incomplete_gamma(t: Any) -> Any:
    a, x = t.tensor([0.5, 2.0, 4.0]), t.tensor([0.1, 2.0, 9.0])
    return t.special.gammainc(a, x), t.special.gammaincc(a, x)


@covers("linalg.LinAlgError")
def singular(t: Any) -> Any:
    return issubclass(t.linalg.LinAlgError, RuntimeError), raised(lambda: t.linalg.inv(t.zeros(2, 2)).tolist())


@covers("compile")
def compiled(t: Any) -> Any:
    if t.__name__ == "torch":
        return t.sin(t.arange(3.0)) * 2
    return t.compile(lambda x: t.sin(x) * 2)(t.arange(3.0))


@covers("lobpcg")
def largest_eigenvalues(t: Any) -> Any:
    a = t.diag(t.arange(1.0, 13.0))
    values, vectors = t.lobpcg(a, k=2, X=_image(t, 12, 2), niter=200)
    return bool((abs(values - t.tensor([12.0, 11.0])) < 1e-2).all()), tuple(vectors.shape)
