"""Parametrized weights, compared with PyTorch's: values, gradients, names, and what goes wrong."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close

LAYERS = {
    "linear": lambda m: m.Linear(4, 3),
    "wide": lambda m: m.Linear(3, 5),
    "square": lambda m: m.Linear(4, 4),
    "conv": lambda m: m.Conv2d(2, 3, 2),
    "transposed": lambda m: m.ConvTranspose2d(2, 3, 2),
}
INPUTS = {"linear": (2, 4), "wide": (2, 3), "square": (2, 4), "conv": (1, 2, 4, 4), "transposed": (1, 2, 4, 4)}
# `u` is nn.utils, `l` the layer.
NORMS = [
    ("linear", "u.parametrizations.weight_norm(l)"),
    ("linear", "u.parametrizations.weight_norm(l, dim=1)"),
    ("linear", "u.parametrizations.weight_norm(l, dim=None)"),
    ("linear", "u.parametrizations.weight_norm(l, 'bias')"),
    ("conv", "u.parametrizations.weight_norm(l, dim=1)"),
    ("linear", "u.parametrizations.spectral_norm(l)"),
    ("linear", "u.parametrizations.spectral_norm(l, n_power_iterations=3, dim=1)"),
    ("linear", "u.parametrizations.spectral_norm(l, 'bias')"),
    ("conv", "u.parametrizations.spectral_norm(l, dim=-2)"),
    ("linear", "u.weight_norm(l)"),
    ("linear", "u.weight_norm(l, dim=None)"),
    ("conv", "u.weight_norm(l, dim=1)"),
    ("linear", "u.spectral_norm(l)"),
    ("conv", "u.spectral_norm(l, n_power_iterations=2, dim=1)"),
    ("transposed", "u.spectral_norm(l)"),
    ("transposed", "u.parametrizations.spectral_norm(l)"),
    ("square", "u.parametrizations.orthogonal(l)"),
    ("square", "u.parametrizations.orthogonal(l, orthogonal_map='cayley')"),
    ("square", "u.parametrizations.orthogonal(l, orthogonal_map='householder', use_trivialization=False)"),
    ("linear", "u.parametrizations.orthogonal(l, orthogonal_map='householder', use_trivialization=False)"),
    ("wide", "u.parametrizations.orthogonal(l)"),
    ("wide", "u.parametrizations.orthogonal(l, orthogonal_map='matrix_exp')"),
]


class Layer:
    """A layer of one framework with a parametrized weight, and a training step of it."""

    def __init__(self, framework: Any, layer: str, source: str) -> None:
        framework.manual_seed(0)
        self.framework, self.layer = framework, LAYERS[layer](framework.nn)
        eval(source, {"u": framework.nn.utils, "l": self.layer})
        self.inputs = framework.linspace(-1, 1, int(np.prod(INPUTS[layer]))).reshape(INPUTS[layer])

    def step(self) -> dict[str, Any]:
        """The output, all parameters and gradients of one step of descent."""
        output = self.layer(self.inputs)
        self.layer.zero_grad()
        (output * self.framework.linspace(1, 2, output.numel()).reshape(output.shape)).sum().backward()
        seen = {name: parameter.grad.clone() for name, parameter in self.layer.named_parameters()}
        with self.framework.no_grad():
            for parameter in self.layer.parameters():
                parameter -= 0.1 * parameter.grad
        return {"output": output, **seen, **self.layer.state_dict()}


@pytest.mark.parametrize(("layer", "source"), NORMS)
@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
def test_training(layer: str, source: str, torch: Any) -> None:
    have, want = Layer(lg, layer, source), Layer(torch, layer, source)
    assert repr(have.layer) == repr(want.layer)
    for _ in range(3):
        assert_close(have.step(), want.step(), slack=20.0)
    have.layer.eval()
    want.layer.eval()
    assert_close(have.step(), want.step(), slack=20.0)
    assert_close(have.layer.weight, want.layer.weight, slack=20.0)


@pytest.mark.parametrize(("layer", "source"), NORMS)
@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
def test_state_and_copies(layer: str, source: str, torch: Any) -> None:
    have, want = Layer(lg, layer, source), Layer(torch, layer, source)
    have.step()
    want.step()
    saved, expected = have.layer.state_dict(), want.layer.state_dict()
    assert list(saved) == list(expected)
    assert dict(saved._metadata) == dict(expected._metadata)
    if "parametrizations" in source:  # a hook's tensor is no leaf, so that neither library copies its layer
        copied = copy.deepcopy(have.layer)
        have.step()
        assert_close(copied(have.inputs), want.layer(want.inputs), slack=20.0)
    have.layer.load_state_dict({name: lg.tensor(value.numpy()) for name, value in expected.items()})
    assert_close(have.layer.state_dict(), expected, slack=0)


class Symmetric(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.triu() + x.triu(1).mT

    def right_inverse(self, a: Any) -> Any:
        return a.triu()


def squared(modules: Any) -> Any:
    """A parametrization without an inverse."""

    class Squared(modules.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x * x

    return Squared()


def test_assignment_and_removal() -> None:
    parametrize = nn.utils.parametrize
    layer = nn.Linear(3, 3)
    weight = layer.weight
    assert parametrize.register_parametrization(layer, "weight", Symmetric()) is layer
    assert layer.parametrizations.weight.original is weight
    assert type(layer).__name__ == "ParametrizedLinear"
    assert isinstance(layer, nn.Linear)
    assert parametrize.type_before_parametrizations(layer) is nn.Linear
    assert parametrize.is_parametrized(layer)
    assert parametrize.is_parametrized(layer, "weight")
    assert not parametrize.is_parametrized(layer, "bias")
    assert layer.weight.tolist() == layer.weight.mT.tolist()
    layer.weight = lg.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]])
    assert weight.tolist() == [[1.0, 2.0, 3.0], [0.0, 4.0, 5.0], [0.0, 0.0, 6.0]]
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear
    assert layer.weight is weight
    assert isinstance(weight, nn.Parameter)
    assert weight.tolist() == [[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 5.0, 6.0]]
    assert not hasattr(layer, "parametrizations")


def test_several_parametrizations_and_the_way_back() -> None:
    parametrize = nn.utils.parametrize
    layer = nn.Linear(2, 2)
    first = layer.weight.tolist()
    parametrize.register_parametrization(layer, "weight", squared(nn))
    parametrize.register_parametrization(layer, "weight", Symmetric())
    parametrize.register_parametrization(layer, "bias", squared(nn))
    upper = layer.parametrizations.weight.original.square().triu()
    assert layer.weight.tolist() == (upper + upper.triu(1).mT).tolist()
    assert len(layer.parametrizations.weight) == 2
    with pytest.raises(RuntimeError, match="parametrization Squared does not implement right_inverse"):
        layer.weight = lg.ones(2, 2)
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert layer.weight.tolist() == first
    assert parametrize.is_parametrized(layer)


def test_cached_tensors_are_computed_once() -> None:
    calls = []

    class Counted(nn.Module):
        def forward(self, x: Any) -> Any:
            calls.append(1)
            return 2 * x

    layer = nn.Linear(2, 2)
    nn.utils.parametrize.register_parametrization(layer, "weight", Counted(), unsafe=True)
    with nn.utils.parametrize.cached():
        assert layer.weight is layer.weight
        layer(lg.ones(1, 2))
    assert len(calls) == 1
    assert layer.weight is not layer.weight


def test_transferring_parametrizations() -> None:
    parametrize = nn.utils.parametrize
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    parametrize.register_parametrization(first, "weight", Symmetric())
    parametrize.transfer_parametrizations_and_params(first, second)
    assert second.parametrizations.weight.original is first.parametrizations.weight.original
    assert second.weight.tolist() == first.weight.tolist()


def test_older_weight_norms_load() -> None:
    with pytest.warns(FutureWarning, match="weight_norm` is deprecated in favor of"):
        older = nn.utils.weight_norm(nn.Linear(3, 2))
    newer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    newer.load_state_dict(older.state_dict())
    assert newer.weight.tolist() == older.weight.tolist()


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_hooks_are_removed() -> None:
    for name in ("weight_norm", "spectral_norm"):
        layer = nn.Linear(3, 2)
        getattr(nn.utils, name)(layer).eval()
        layer(lg.ones(1, 3))
        weight = layer.weight.tolist()
        getattr(nn.utils, f"remove_{name}")(layer)
        assert list(layer.state_dict()) == ["bias", "weight"]
        assert isinstance(layer.weight, nn.Parameter)
        assert layer.weight.tolist() == weight
        assert not (layer._forward_pre_hooks or layer._state_dict_hooks or layer._load_state_dict_pre_hooks)


def test_older_spectral_norms_load(torch: Any) -> None:
    state = {"weight_orig": [[3.0, 1.0], [2.0, 5.0]], "weight": [[0.6, 0.2], [0.4, 1.0]], "weight_u": [0.6, 0.8],
             "bias": [0.0, 1.0]}  # fmt: skip
    seen = []
    for framework in (lg, torch):
        layer = framework.nn.utils.spectral_norm(framework.nn.Linear(2, 2))
        layer.load_state_dict({name: framework.tensor(value) for name, value in state.items()})
        seen.append(layer.weight_v)
    assert_close(*seen, slack=20.0)


ERRORS = [
    "u.parametrize.register_parametrization(l, 'other', f.nn.Identity())",
    "u.parametrize.register_parametrization(l, 'weight', f.nn.Flatten(0))",
    "u.parametrize.register_parametrization(l, 'weight', Cast())",
    "u.parametrize.register_parametrization(u.parametrize.register_parametrization(l, 'weight', f.nn.Identity()), "
    "'weight', Cast())",
    "u.parametrize.remove_parametrizations(l, 'weight')",
    "u.parametrize.remove_parametrizations(u.parametrizations.weight_norm(l), 'weight', leave_parametrized=False)",
    "u.parametrize.ParametrizationList([], l.weight)",
    "u.parametrizations.orthogonal(l, 'other')",
    "u.parametrizations.orthogonal(l, 'bias')",
    "u.parametrizations.orthogonal(l, orthogonal_map='other')",
    "setattr(u.parametrizations.orthogonal(l), 'weight', f.ones(2, 2))",
    "u.parametrizations.spectral_norm(l, 'other')",
    "u.parametrizations.spectral_norm(l, dim=2)",
    "u.parametrizations.spectral_norm(l, n_power_iterations=0)",
    "u.spectral_norm(l, n_power_iterations=0)",
    "u.spectral_norm(u.spectral_norm(l))",
    "u.weight_norm(u.weight_norm(l))",
    "u.weight_norm(f.nn.LazyLinear(2))",
    "u.spectral_norm(f.nn.LazyLinear(2))",
    "u.remove_weight_norm(l)",
    "u.remove_spectral_norm(l)",
    "p.dumps(u.parametrizations.weight_norm(l))",
]


@pytest.mark.parametrize("source", ERRORS)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_errors_are_torchs(source: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):

        class Cast(framework.nn.Module):  # type: ignore[misc, name-defined]
            def forward(self, x: Any) -> Any:
                return x.double()

        names = {"u": framework.nn.utils, "l": framework.nn.Linear(3, 2), "f": framework, "Cast": Cast, "p": pickle}
        with pytest.raises(Exception) as caught:
            eval(source, names)
        seen.append((caught.type, str(caught.value).replace("torch.", "").replace("lazygrad.", "")[:50]))
    assert seen[0] == seen[1]
