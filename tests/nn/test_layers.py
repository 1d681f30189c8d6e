"""What tables of layers do not say: chance, lookups, errors, and initial weights of a whole model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close

from .compare import values


def test_weights_of_a_whole_model_follow_one_stream(torch: Any) -> None:
    states = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        framework.manual_seed(7)
        model = modules.Sequential(
            modules.Conv2d(1, 8, 3), modules.BatchNorm2d(8), modules.Embedding(10, 6), modules.Linear(32, 16)
        )
        states.append(model.state_dict())
    assert_close(*states, slack=0.1)


@pytest.mark.parametrize(
    "options", [{"size_average": False}, {"reduce": False}, {"size_average": True, "reduce": True}]
)
def test_former_spelling_of_reduction(options: dict[str, bool], torch: Any) -> None:
    with pytest.warns(UserWarning, match="please use reduction="):
        have = nn.MSELoss(**options)
    with pytest.warns(UserWarning, match="please use reduction="):
        want = torch.nn.MSELoss(**options)
    assert have.reduction == want.reduction


def test_embedding_looks_up_and_leaves_padding_alone(torch: Any) -> None:
    results = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        framework.manual_seed(0)
        embedding = modules.Embedding(5, 3, padding_idx=2)
        output = embedding(framework.tensor([[0, 2], [4, 0]]))
        (output * output).sum().backward()
        results.append((output, embedding.weight.grad, embedding.weight))
    assert_close(*results)
    assert not values(results[0][2])[2].any()


def test_embedding_from_pretrained() -> None:
    table = lg.tensor([[1.0, 2.0], [3.0, 4.0]])
    frozen = nn.Embedding.from_pretrained(table)
    assert not frozen.weight.requires_grad
    assert values(frozen(lg.tensor([1]))).tolist() == [[3.0, 4.0]]
    trained = nn.Embedding.from_pretrained(table, freeze=False, padding_idx=0)
    assert trained.weight.requires_grad
    assert values(trained.weight).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("source", "shape"), [("Dropout", (50, 40)), ("Dropout1d", (50, 40, 3)), ("Dropout2d", (50, 40, 2, 2))]
)
def test_dropout_zeroes_and_scales(source: str, shape: tuple[int, ...]) -> None:
    lg.manual_seed(0)
    layer = getattr(nn, source)(0.25)
    result = values(layer(lg.ones(*shape))).reshape(2000, -1)
    assert (result == result[:, :1]).all()
    np.testing.assert_allclose(result[result != 0], 1 / 0.75, rtol=1e-6)
    assert 0.2 < (result[:, 0] == 0).mean() < 0.3
    assert (values(layer.eval()(lg.ones(*shape))) == 1).all()


def test_reset_parameters_draws_anew() -> None:
    for layer in (nn.Linear(4, 4), nn.Conv2d(2, 2, 3), nn.Embedding(4, 4), nn.Bilinear(2, 2, 2)):
        before = values(layer.weight)
        layer.reset_parameters()
        assert (values(layer.weight) != before).any()
    norm = nn.BatchNorm1d(2)
    norm(lg.rand(4, 2))
    norm.reset_parameters()
    assert int(norm.num_batches_tracked) == 0
    assert values(norm.running_mean).tolist() == [0.0, 0.0]


WRONG = [
    ("nn.Conv2d(3, 4, 3, groups=2)", ValueError, "in_channels must be divisible by groups"),
    ("nn.Conv2d(4, 3, 3, groups=2)", ValueError, "out_channels must be divisible by groups"),
    ("nn.Conv2d(4, 4, 3, groups=0)", ValueError, "groups must be a positive integer"),
    ("nn.Conv2d(4, 4, 3, padding='some')", ValueError, "Invalid padding string 'some'"),
    ("nn.Conv2d(4, 4, 3, padding='same', stride=2)", ValueError, "not supported for strided convolutions"),
    ("nn.Conv2d(4, 4, 3, padding_mode='odd')", ValueError, "padding_mode must be one of"),
    ("nn.GroupNorm(3, 4)", ValueError, r"num_channels \(4\) must be divisible by num_groups \(3\)"),
    ("nn.Dropout(1.5)", ValueError, "has to be between 0 and 1, but got 1.5"),
    ("nn.Embedding(4, 2, padding_idx=4)", AssertionError, "Padding_idx must be within num_embeddings"),
    ("nn.Unflatten(1, 3)", TypeError, "must be a tuple of ints, but found type int"),
    ("nn.Unflatten(1, (1, 'a'))", TypeError, "found element of type str at pos 1"),
    ("nn.Hardtanh(1.0, -1.0)", AssertionError, r"max_val \(-1.0\) must be greater than min_val \(1.0\)"),
    ("nn.HuberLoss(delta='a')", TypeError, "delta must be a float or int"),
    ("nn.Bilinear(0, 1, 1)", ValueError, "in1_features must be > 0"),
    ("nn.BatchNorm2d(4)(t.zeros(2, 4))", ValueError, r"expected 4D input \(got 2D input\)"),
    ("nn.BatchNorm1d(4)(t.zeros(4))", ValueError, r"expected 2D or 3D input \(got 1D input\)"),
    ("nn.ConvTranspose2d(4, 4, 3, padding_mode='reflect')", ValueError, 'Only "zeros" padding mode is supported for'),
    ("nn.ConvTranspose2d(4, 4, 3)(t.ones(1, 4, 5, 5), output_size=(9, 9))", ValueError, "requested an output size of"),
    (
        "nn.ConvTranspose1d(4, 4, 3)(t.ones(1, 4, 5), output_size=(9, 9, 1, 1))",
        ValueError,
        "must have 1 or 3 elements",
    ),
    ("nn.InstanceNorm2d(4)(t.zeros(2, 4))", ValueError, r"expected 3D or 4D input \(got 2D input\)"),
    (
        "nn.InstanceNorm2d(4, affine=True)(t.zeros(2, 3, 2, 2))",
        ValueError,
        "size at dim=1 to match num_features",
    ),
    ("nn.SyncBatchNorm(4)(t.zeros(4))", ValueError, r"expected at least 2D input \(got 1D input\)"),
    ("nn.BatchNorm3d(4)(t.zeros(2, 4, 3, 3))", ValueError, r"expected 5D input \(got 4D input\)"),
    ("nn.CircularPad2d(1)(t.zeros(4, 4))", ValueError, r"expected 3D or 4D input \(got 2D input\)"),
    ("nn.ReflectionPad1d(4)(t.zeros(1, 4))", RuntimeError, "Padding size should be less than the corresponding input"),
    ("nn.Softmax2d()(t.zeros(3, 3))", ValueError, "Softmax2d: expected input to be 3D or 4D, got 2D instead"),
    ("nn.FractionalMaxPool2d(2)", ValueError, "requires specifying either an output size, or a pooling ratio"),
    ("nn.FractionalMaxPool2d(2, 2, 0.5)", ValueError, "only one of output_size and output_ratio may be specified"),
    ("nn.FractionalMaxPool3d(2, output_ratio=1.5)", ValueError, r"output_ratio must be between 0 and 1 \(got 1.5\)"),
    (
        "nn.FractionalMaxPool2d(3, 3)(t.zeros(1, 4, 4))",
        RuntimeError,
        "pool height 3 too large relative to input",
    ),
    ("nn.AdaptiveAvgPool2d((2, 2))(t.zeros(3, 3))", ValueError, "Input dimension should be at least 3"),
    ("nn.MaxUnpool2d(2)(t.zeros(1, 2, 2), t.zeros(1, 2, 2, dtype=t.int64), (9, 9))", ValueError, "invalid output_size"),
    ("nn.RReLU(0.5, 0.1)(t.zeros(3))", RuntimeError, "Lower bound should be less than or equal to the upper bound"),
    ("nn.AlphaDropout(-0.1)", ValueError, "has to be between 0 and 1, but got -0.1"),
    ("nn.MultiMarginLoss(p=3)", ValueError, "only p == 1 and p == 2 supported"),
    ("nn.MultiMarginLoss(weight=t.ones(2, 2))", ValueError, "expected weight to be None or 1D tensor, got 2D instead"),
    ("nn.TripletMarginLoss(margin=0)", ValueError, "expected margin to be greater than 0, got 0 instead"),
    ("nn.TripletMarginWithDistanceLoss(margin=-1)", ValueError, "expected margin to be greater than 0, got -1 instead"),
    (
        "nn.LinearCrossEntropyLoss(3, 4, weight=t.ones(3))",
        RuntimeError,
        r"expected weight shape to be \(4,\), got",
    ),
    ("nn.LinearCrossEntropyLoss(3, 4, label_smoothing=2)", RuntimeError, "expected label_smoothing to be in range"),
    ("nn.LinearCrossEntropyOptions(acc_policy='odd')", ValueError, "invalid acc_policy: 'odd'"),
    ("nn.LinearCrossEntropyOptions(chunking_method='aspect_ratio:0')", ValueError, "invalid chunking_method"),
    ("nn.LinearCrossEntropyOptions(batch_chunk_size=0)", ValueError, "batch_chunk_size must be positive int or None"),
    (
        "nn.functional.linear_cross_entropy(t.ones(3), t.ones(4, 2, 3), t.ones(2))",
        RuntimeError,
        "requires batched",
    ),
    (
        "nn.functional.linear_cross_entropy(t.ones(1, 3), t.ones(4, 2), t.ones(1))",
        RuntimeError,
        "expected equal input",
    ),
    ("nn.functional.interpolate(t.ones(1, 1, 4), 2, mode='bilinear')", NotImplementedError, "Got 3D input|got 3D"),
]


@pytest.mark.parametrize(("source", "error", "message"), WRONG, ids=[case[0] for case in WRONG])
def test_wrong_arguments(source: str, error: type[Exception], message: str, torch: Any) -> None:
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        with pytest.raises(error, match=message):
            eval(source, {"nn": modules, "t": framework})
