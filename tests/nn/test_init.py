"""Initial values: for the same seed they are PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close

from .compare import values

INITIALIZERS = {
    "uniform": (lambda init, w: init.uniform_(w, -1.0, 3.0), (5, 7)),
    "normal": (lambda init, w: init.normal_(w, 1.0, 2.0), (5, 7)),
    "normal, few": (lambda init, w: init.normal_(w), (3,)),
    "constant": (lambda init, w: init.constant_(w, 0.3), (2, 3)),
    "ones": (lambda init, w: init.ones_(w), (2, 3)),
    "zeros": (lambda init, w: init.zeros_(w), (2, 3)),
    "eye": (lambda init, w: init.eye_(w), (2, 3)),
    "xavier_uniform": (lambda init, w: init.xavier_uniform_(w, gain=1.5), (4, 6)),
    "xavier_normal": (lambda init, w: init.xavier_normal_(w), (4, 6, 3, 3)),
    "kaiming_uniform": (lambda init, w: init.kaiming_uniform_(w, a=0.1), (4, 6, 3)),
    "kaiming_uniform, fan_out": (lambda init, w: init.kaiming_uniform_(w, mode="fan_out", nonlinearity="relu"), (4, 6)),
    "kaiming_normal": (lambda init, w: init.kaiming_normal_(w, nonlinearity="relu"), (4, 6, 3, 3)),
    "trunc_normal": (lambda init, w: init.trunc_normal_(w, std=0.5), (8, 9)),
    "trunc_normal, redrawn": (lambda init, w: init.trunc_normal_(w, a=-0.8, b=1.0), (8, 9)),
    "dirac, 1d": (lambda init, w: init.dirac_(w), (4, 3, 5)),
    "dirac, 2d, groups": (lambda init, w: init.dirac_(w, groups=2), (6, 2, 3, 4)),
    "dirac, 3d": (lambda init, w: init.dirac_(w), (2, 3, 1, 3, 3)),
    "dirac, no channel": (lambda init, w: init.dirac_(w), (2, 0, 3)),
    "orthogonal": (lambda init, w: init.orthogonal_(w, gain=0.7), (5, 5)),
    "orthogonal, wide": (lambda init, w: init.orthogonal_(w), (3, 4, 2)),
    "orthogonal, tall": (lambda init, w: init.orthogonal_(w), (7, 2)),
    "sparse": (lambda init, w: init.sparse_(w, 0.4), (9, 4)),
    "sparse, all": (lambda init, w: init.sparse_(w, 1.0, std=2.0), (3, 2)),
    "trunc_normal, tail": (lambda init, w: init.trunc_normal_(w, a=1.0, b=2.0), (8, 9)),
}


@pytest.mark.parametrize("name", INITIALIZERS)
def test_numbers_are_torchs(name: str, torch: Any) -> None:
    initialize, shape = INITIALIZERS[name]
    results = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        framework.manual_seed(3)
        weight = modules.Parameter(framework.empty(*shape))
        assert initialize(modules.init, weight) is weight
        assert weight.requires_grad
        assert weight.is_leaf
        results += [weight, framework.rand(3)]
    assert_close(results[0], results[2], slack=0.1)
    assert_close(results[1], results[3], slack=0)  # equally many numbers were drawn


def test_trunc_normal_stays_inside() -> None:
    weight = values(nn.init.trunc_normal_(lg.empty(2000), a=-0.5, b=0.25))
    assert weight.min() >= -0.5
    assert weight.max() <= 0.25
    with pytest.warns(UserWarning, match="mean is more than 2 std from"):
        nn.init.trunc_normal_(lg.empty(3), mean=9.0)


@pytest.mark.parametrize("name", ["linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"])
def test_gain(name: str, torch: Any) -> None:
    assert nn.init.calculate_gain(name) == torch.nn.init.calculate_gain(name)
    assert nn.init.calculate_gain("leaky_relu", 0.3) == torch.nn.init.calculate_gain("leaky_relu", 0.3)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: nn.init.calculate_gain("cosine"), "Unsupported nonlinearity cosine"),
        (lambda: nn.init.calculate_gain("leaky_relu", True), "negative_slope True not a valid number"),
        (lambda: nn.init.eye_(lg.empty(3)), "Only tensors with 2 dimensions are supported"),
        (lambda: nn.init.sparse_(lg.empty(3), 0.1), "Only tensors with 2 dimensions are supported"),
        (lambda: nn.init.orthogonal_(lg.empty(3)), "Only tensors with 2 or more dimensions are supported"),
        (lambda: nn.init.dirac_(lg.empty(3, 3)), "Only tensors with 3, 4, or 5 dimensions are supported"),
        (lambda: nn.init.dirac_(lg.empty(3, 3, 3), groups=2), "dim 0 must be divisible by groups"),
        (lambda: nn.init.xavier_normal_(lg.empty(3)), "fewer than 2 dimensions"),
        (lambda: nn.init.kaiming_normal_(lg.empty(3, 3), mode="fan"), "Mode fan not supported"),
    ],
)
def test_wrong_arguments(action: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        action()


def test_empty_tensors_are_left_alone() -> None:
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        assert nn.init.kaiming_uniform_(lg.empty(0, 3)).shape == (0, 3)
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        assert nn.Linear(0, 3).bias.shape == (3,)


OLD = "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse"


@pytest.mark.parametrize("name", OLD.split())
def test_old_names_warn(name: str, torch: Any) -> None:
    options = {"constant": (0.5,), "sparse": (0.5,)}.get(name, ())
    shape = (2, 3, 3) if name == "dirac" else (3, 4)
    results = []
    for framework in (lg, torch):
        framework.manual_seed(0)
        old = getattr(framework.nn.init, name)
        with pytest.warns(FutureWarning, match=f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`."):
            results.append(old(framework.empty(*shape), *options))
        assert old.__name__ == name
    assert_close(*results, slack=0.1)
