"""Every layer and loss: representation, initial weights, forward, gradients and state, compared with PyTorch's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close

from .compare import assert_same_state, values


@dataclass(frozen=True)
class Layer:
    """One way of using a layer.

    Attributes:
        source: The expression that makes it, in terms of ``nn`` (and of the framework, ``t``).
        shapes: Shapes of the inputs.
        positive: The inputs are probabilities.
    """

    source: str
    shapes: tuple[tuple[int, ...], ...] = ((3, 4),)
    positive: bool = False


IMAGE = ((2, 4, 6, 5),)
SIGNAL = ((2, 4, 7),)

LAYERS = [
    Layer("nn.Identity(54, unused=1)"),
    Layer("nn.Linear(4, 5)"),
    Layer("nn.Linear(4, 5, bias=False)"),
    Layer("nn.Linear(4, 5, dtype=t.float64)", ()),
    Layer("nn.Bilinear(4, 3, 2)", ((6, 4), (6, 3))),
    Layer("nn.Bilinear(4, 3, 2, bias=False)", ((6, 4), (6, 3))),
    Layer("nn.Conv1d(4, 6, 3)", SIGNAL),
    Layer("nn.Conv1d(4, 6, 3, padding='same', bias=False)", SIGNAL),
    Layer("nn.Conv2d(4, 6, 3)", IMAGE),
    Layer("nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, dilation=(1, 2), groups=2)", IMAGE),
    Layer("nn.Conv2d(4, 4, 3, padding='valid', groups=4)", IMAGE),
    Layer("nn.Conv2d(4, 2, (3, 4), padding='same')", IMAGE),
    Layer("nn.BatchNorm1d(4)"),
    Layer("nn.BatchNorm1d(4)", SIGNAL),
    Layer("nn.BatchNorm1d(4, affine=False, momentum=None)"),
    Layer("nn.BatchNorm1d(4, bias=False, track_running_stats=False)"),
    Layer("nn.BatchNorm2d(4, eps=1e-3, momentum=0.3)", IMAGE),
    Layer("nn.LayerNorm(4)"),
    Layer("nn.LayerNorm((6, 5), bias=False)", IMAGE),
    Layer("nn.LayerNorm([6, 5], elementwise_affine=False)", IMAGE),
    Layer("nn.GroupNorm(2, 4)", IMAGE),
    Layer("nn.GroupNorm(4, 4, affine=False)", IMAGE),
    Layer("nn.GroupNorm(1, 4, bias=False)"),
    Layer("nn.RMSNorm(4)"),
    Layer("nn.RMSNorm((6, 5), eps=1e-3, elementwise_affine=False)", IMAGE),
    Layer("nn.MaxPool1d(3)", SIGNAL),
    Layer("nn.MaxPool1d(3, stride=2, padding=1, ceil_mode=True)", SIGNAL),
    Layer("nn.MaxPool2d(2)", IMAGE),
    Layer("nn.MaxPool2d((3, 2), stride=(2, 1), padding=1, dilation=1)", IMAGE),
    Layer("nn.AvgPool1d(3)", SIGNAL),
    Layer("nn.AvgPool1d(3, stride=1, padding=1, count_include_pad=False)", SIGNAL),
    Layer("nn.AvgPool2d(2)", IMAGE),
    Layer("nn.AvgPool2d((3, 2), stride=2, padding=1, divisor_override=5)", IMAGE),
    Layer("nn.AdaptiveAvgPool1d(3)", SIGNAL),
    Layer("nn.AdaptiveAvgPool2d(1)", IMAGE),
    Layer("nn.AdaptiveAvgPool2d((2, 3))", IMAGE),
    Layer("nn.ReLU()"),
    Layer("nn.ReLU(inplace=True)", ()),
    Layer("nn.ReLU6()"),
    Layer("nn.ReLU6(True)", ()),
    Layer("nn.LeakyReLU(0.2)"),
    Layer("nn.LeakyReLU(inplace=True)", ()),
    Layer("nn.ELU(alpha=0.5)"),
    Layer("nn.ELU(inplace=True)", ()),
    Layer("nn.SELU()"),
    Layer("nn.SELU(True)", ()),
    Layer("nn.CELU(1.5)"),
    Layer("nn.GELU()"),
    Layer("nn.GELU('tanh')"),
    Layer("nn.SiLU()"),
    Layer("nn.SiLU(True)", ()),
    Layer("nn.Mish()"),
    Layer("nn.Sigmoid()"),
    Layer("nn.Tanh()"),
    Layer("nn.Softplus()"),
    Layer("nn.Softplus(2.0, 1.0)"),
    Layer("nn.Softsign()"),
    Layer("nn.Hardtanh(-0.5, 0.7)"),
    Layer("nn.Hardtanh(inplace=True)", ()),
    Layer("nn.Hardswish()"),
    Layer("nn.Hardswish(True)", ()),
    Layer("nn.Hardsigmoid()"),
    Layer("nn.Hardsigmoid(True)", ()),
    Layer("nn.LogSigmoid()"),
    Layer("nn.Softmax(1)"),
    Layer("nn.Softmax()", ()),
    Layer("nn.LogSoftmax(dim=0)"),
    Layer("nn.GLU()"),
    Layer("nn.Threshold(0.1, 20)"),
    Layer("nn.Threshold(0.1, 20, inplace=True)", ()),
    Layer("nn.PReLU()"),
    Layer("nn.PReLU(4, init=0.1)", IMAGE),
    Layer("nn.Dropout(0.0)"),
    Layer("nn.Dropout1d(0.0, inplace=False)", SIGNAL),
    Layer("nn.Dropout2d(0.0)", IMAGE),
    Layer("nn.Dropout(p=0.2, inplace=True)", ()),
    Layer("nn.Embedding(7, 3)", ()),
    Layer("nn.Embedding(7, 3, padding_idx=-2, max_norm=1.0, norm_type=1.0)", ()),
    Layer("nn.Embedding(7, 3, scale_grad_by_freq=True, sparse=True)", ()),
    Layer("nn.Flatten()", IMAGE),
    Layer("nn.Flatten(0, 1)", IMAGE),
    Layer("nn.Unflatten(1, (2, 2))", IMAGE),
    Layer("nn.L1Loss()", ((3, 4), (3, 4))),
    Layer("nn.MSELoss(reduction='sum')", ((3, 4), (3, 4))),
    Layer("nn.MSELoss(reduction='none')", ((3, 4), (3, 4))),
    Layer("nn.SmoothL1Loss(beta=0.3)", ((3, 4), (3, 4))),
    Layer("nn.HuberLoss(delta=0.3)", ((3, 4), (3, 4))),
    Layer("nn.KLDivLoss(reduction='batchmean', log_target=True)", ((3, 4), (3, 4))),
    Layer("nn.KLDivLoss(reduction='sum')", ((3, 4), (3, 4)), positive=True),
    Layer("nn.BCELoss()", ((3, 4), (3, 4)), positive=True),
    Layer("nn.BCELoss(weight=t.tensor([1.0, 2.0, 0.5, 3.0]))", ((3, 4), (3, 4)), positive=True),
    Layer("nn.BCEWithLogitsLoss()", ((3, 4), (3, 4)), positive=True),
    Layer("nn.BCEWithLogitsLoss(pos_weight=t.tensor([1.0, 2.0, 0.5, 3.0]))", ((3, 4), (3, 4)), positive=True),
]


def make(layer: Layer, framework: Any, modules: Any) -> Any:
    framework.manual_seed(1)
    return eval(layer.source, {"nn": modules, "t": framework})


def inputs_of(layer: Layer, framework: Any) -> list[Any]:
    generator = np.random.default_rng(0)
    draw = generator.random if layer.positive else generator.standard_normal
    arrays = [np.asarray(draw(shape), dtype="float32") for shape in layer.shapes]
    return [framework.tensor(array, requires_grad=position == 0) for position, array in enumerate(arrays)]


def run(layer: Layer, framework: Any, modules: Any, training: bool) -> dict[str, Any]:
    """Output and gradients of a layer, and its state afterwards."""
    module = make(layer, framework, modules).train(training)
    inputs = inputs_of(layer, framework)
    if training:
        module(*inputs)  # a first batch for running statistics
    output = module(*inputs)
    weights = np.asarray(np.random.default_rng(1).standard_normal(tuple(output.shape)), dtype="float32")
    (output * framework.tensor(weights)).sum().backward()
    gradients = {name: parameter.grad for name, parameter in module.named_parameters()}
    return {"output": output, "input.grad": inputs[0].grad, **gradients, **module.state_dict(prefix="state.")}


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.source)
def test_representation(layer: Layer, torch: Any) -> None:
    assert repr(make(layer, lg, nn)) == repr(make(layer, torch, torch.nn))


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.source)
def test_initial_state_is_torchs_for_the_same_seed(layer: Layer, torch: Any) -> None:
    have, want = make(layer, lg, nn), make(layer, torch, torch.nn)
    assert_same_state(have.state_dict(), want.state_dict(), slack=0.1)
    assert [p.requires_grad for p in have.parameters()] == [p.requires_grad for p in want.parameters()]


@pytest.mark.filterwarnings("ignore:Using padding=.same. with even kernel")  # from torch
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("layer", [each for each in LAYERS if each.shapes], ids=lambda layer: layer.source)
def test_forward_and_gradients(layer: Layer, training: bool, torch: Any) -> None:
    have, want = run(layer, lg, nn, training), run(layer, torch, torch.nn, training)
    assert list(have) == list(want)
    for name, expected in want.items():
        assert_close(have[name], expected)


def test_weights_of_a_whole_model_follow_one_stream(torch: Any) -> None:
    states = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        framework.manual_seed(7)
        model = modules.Sequential(
            modules.Conv2d(1, 8, 3), modules.BatchNorm2d(8), modules.Embedding(10, 6), modules.Linear(32, 16)
        )
        states.append(model.state_dict())
    assert_same_state(states[0], states[1], slack=0.1)


CLASS_LOSSES = [
    ("nn.CrossEntropyLoss()", (5, 3), (5,)),
    ("nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=1)", (5, 3), (5,)),
    ("nn.CrossEntropyLoss(weight=t.tensor([1.0, 2.0, 0.5]), reduction='none')", (5, 3, 2), (5, 2)),
    ("nn.NLLLoss()", (5, 3), (5,)),
    ("nn.NLLLoss(weight=t.tensor([1.0, 2.0, 0.5]), ignore_index=2, reduction='sum')", (5, 3), (5,)),
]


@pytest.mark.parametrize(("source", "shape", "target_shape"), CLASS_LOSSES, ids=[case[0] for case in CLASS_LOSSES])
def test_class_losses(source: str, shape: Any, target_shape: Any, torch: Any) -> None:
    generator = np.random.default_rng(0)
    scores = generator.standard_normal(shape).astype("float32")
    classes = generator.integers(0, 3, target_shape)
    results = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        loss = eval(source, {"nn": modules, "t": framework})
        x = framework.tensor(scores, requires_grad=True)
        value = loss(x, framework.tensor(classes))
        value.sum().backward()
        results.append((repr(loss), value, x.grad, list(loss.state_dict())))
    (have, value, gradient, names), (want, expected, expected_gradient, expected_names) = results
    assert (have, names) == (want, expected_names)
    assert_close(value, expected)
    assert_close(gradient, expected_gradient)


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
    for have, want in zip(*results, strict=True):
        assert_close(have, want)
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
]


@pytest.mark.parametrize(("source", "error", "message"), WRONG, ids=[case[0] for case in WRONG])
def test_wrong_arguments(source: str, error: type[Exception], message: str, torch: Any) -> None:
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        with pytest.raises(error, match=message):
            eval(source, {"nn": modules, "t": framework})
