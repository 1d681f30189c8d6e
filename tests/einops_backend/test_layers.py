"""einops' layers as modules of lazygrad: what einops' own tests, run by `test_suite.py`, do not ask of them."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import lazygrad as lg

einops = pytest.importorskip("einops", reason="einops is not installed")

from lazygrad import einops_layers  # noqa: E402, needs einops


def _model() -> lg.nn.Sequential:
    return lg.nn.Sequential(
        einops_layers.Rearrange("b (h w) -> b h w", h=2),
        einops_layers.EinMix("b h w -> b (h out)", weight_shape="w out", bias_shape="out", w=3, out=4),
        einops_layers.Reduce("b (h out) -> b out", "mean", h=2),
    )


def test_layers_train() -> None:
    lg.manual_seed(0)
    model = _model()
    assert sorted(name for name, _ in model.named_parameters()) == ["1.bias", "1.weight"]
    x = lg.rand(5, 6)
    optimizer = lg.optim.SGD(model.parameters(), 0.1)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0]


def test_a_layer_is_the_function() -> None:
    layer = einops_layers.EinMix("b h w -> b (h out)", weight_shape="w out", bias_shape="out", w=3, out=4)
    x = lg.rand(5, 2, 3)
    expected = np.einsum("bhw,wo->bho", x.numpy(), layer.weight.detach().numpy()) + layer.bias.detach().numpy()
    np.testing.assert_allclose(layer(x).detach().numpy(), expected.reshape(5, 8), rtol=1e-5, atol=1e-6)
    assert abs(layer.weight.detach().numpy()).max() <= 1  # √(3 / fan-in)
    assert (
        einops_layers.Reduce("b c -> c", "sum")(x[:, 0]).tolist() == einops.reduce(x[:, 0], "b c -> c", "sum").tolist()
    )


def test_layers_are_copied_saved_and_compiled() -> None:
    model, other = _model(), _model()
    other.load_state_dict(model.state_dict())
    x = lg.rand(5, 6)
    expected = model(x).tolist()
    assert other(x).tolist() == expected == copy.deepcopy(model)(x).tolist()
    compiled = lg.compile(model, fullgraph=True)
    assert [compiled(x).tolist() for _ in range(3)] == [expected] * 3


def test_other_shapes_are_refused() -> None:
    with pytest.raises(einops.EinopsError):
        einops_layers.Rearrange("b (h w) -> b h w", h=4)(lg.ones(2, 6))
    with pytest.raises(einops.EinopsError):
        einops_layers.EinMix("b c -> b d", weight_shape="c", c=3)
