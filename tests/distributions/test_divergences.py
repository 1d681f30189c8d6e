"""Kullback-Leibler divergences against PyTorch's: every registered pair, with gradients, and how a pair is found."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad
from lazygrad.distributions.kl import registry
from tests.oracle.comparing import assert_alike, error_class

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_COVARIANCES = [[[2.0, 0.5], [0.5, 1.0]]], [[[1.0, -0.2], [-0.2, 0.7]]]
# Of each class two distributions, as arguments of its constructor.
_ARGUMENTS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "Bernoulli": (([0.2, 0.7],), ([0.5, 0.9],)),
    "Beta": (([0.5, 2.0], [1.5, 0.7]), ([2.0, 3.0], [0.4, 1.0])),
    "Binomial": (([5.0, 6.0], [0.2, 0.7]), ([5.0, 3.0], [0.5, 0.9])),
    "Categorical": (([[0.2, 0.8], [0.0, 1.0]],), ([[0.5, 0.5], [0.3, 0.7]],)),
    "Cauchy": (([0.2, 0.7], [1.0, 2.0]), ([0.5, 0.9], [0.5, 3.0])),
    "ContinuousBernoulli": (([0.2, 0.7],), ([0.5, 0.9],)),
    "Dirichlet": (([[0.2, 0.8], [2.0, 1.0]],), ([[0.5, 0.5], [0.3, 0.7]],)),
    "Exponential": (([0.2, 0.7],), ([0.5, 0.9],)),
    "Gamma": (([0.5, 2.0], [1.5, 0.7]), ([2.0, 3.0], [0.4, 1.0])),
    "Geometric": (([0.2, 0.7],), ([0.5, 0.9],)),
    "Gumbel": (([0.2, -0.7], [1.0, 2.0]), ([0.5, 0.9], [0.5, 3.0])),
    "HalfNormal": (([0.2, 0.7],), ([0.5, 0.9],)),
    "Laplace": (([0.2, -0.7], [1.0, 2.0]), ([0.5, 0.9], [0.5, 3.0])),
    "LowRankMultivariateNormal": (
        ([0.2, -0.7], [[[0.5], [1.0]]], [0.3, 1.0]),
        ([[0.5, 0.9], [0.0, 0.0]], [[0.1], [0.7]], [1.3, 0.5]),
    ),
    "MultivariateNormal": (
        ([[0.2, -0.7], [1.0, 1.0]], _COVARIANCES[0]),
        ([0.5, 0.9], _COVARIANCES[1]),
    ),
    "Normal": (([0.2, -0.7], [1.0, 2.0]), ([0.5, 0.9], [0.5, 3.0])),
    "OneHotCategorical": (([[0.2, 0.8], [0.1, 0.9]],), ([[0.5, 0.5], [1.0, 0.0]],)),
    "Pareto": (([0.6, 1.5], [2.5, 0.7]), ([0.5, 2.0], [0.4, 1.0])),
    "Poisson": (([0.2, 7.0],), ([0.5, 4.0],)),
    "Uniform": (([0.1, 0.2], [0.9, 0.7]), ([0.0, 0.3], [1.0, 2.0])),
}
_Distributions = tuple[Any, Any, list[Any]]


def _of_class(t: Any, name: str, which: int) -> tuple[Any, list[Any]]:
    d = t.distributions
    if name == "ExponentialFamily":
        name = "Geometric" if which < 0 else "Normal"
    if name in ("Independent", "TransformedDistribution"):
        base, parameters = _of_class(t, "Normal", which)
        if name == "Independent":
            return d.Independent(base, 1), parameters
        return d.TransformedDistribution(base, [d.ExpTransform(), d.AffineTransform(1.0, 2.0)]), parameters
    parameters = [t.tensor(values, requires_grad=True) for values in _ARGUMENTS[name][which]]
    return getattr(d, name)(*parameters), parameters


def _pair(t: Any, p: str, q: str) -> _Distributions:
    (of_p, first), (of_q, second) = _of_class(t, p, 0), _of_class(t, q, 1)
    return of_p, of_q, first + second


_PAIRS = sorted((p.__name__, q.__name__) for p, q in torch.distributions.kl._KL_REGISTRY)


def test_the_registered_pairs_are_those_of_torch() -> None:
    assert sorted((p.__name__, q.__name__) for p, q in registry._registered) == _PAIRS


@pytest.mark.parametrize(("p", "q"), _PAIRS)
def test_pairs(p: str, q: str) -> None:
    def program(t: Any) -> Any:
        first, second, parameters = _pair(t, p, q)
        divergence = t.distributions.kl_divergence(first, second)
        gradients: Any = "constant"
        if divergence.requires_grad:
            finite = t.where(divergence.isfinite(), divergence, t.zeros_like(divergence))
            gradients = t.autograd.grad(finite.sum(), parameters, allow_unused=True)
        return divergence, gradients

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_alike(program, torch, lazygrad, 20)


@pytest.mark.parametrize(
    "p", ["Gamma", "Beta", "Dirichlet", "Exponential", "Poisson", "ContinuousBernoulli", "Bernoulli"]
)
def test_exponential_families_by_natural_parameters(p: str) -> None:
    def program(t: Any) -> Any:
        first, second, parameters = _pair(t, p, p)
        between = t.distributions.kl
        table = getattr(between, "_KL_REGISTRY", None) or registry._registered
        family = t.distributions.ExponentialFamily
        divergence = table[family, family](first, second)
        return divergence, t.autograd.grad(divergence.sum(), parameters[len(parameters) // 2 :])

    assert_alike(program, torch, lazygrad, 20)


_ERRORS: dict[str, Callable[[Any], Any]] = {
    "no such pair": lambda d: d.kl_divergence(d.Normal(0.0, 1.0), d.Bernoulli(0.5)),
    "other transforms": lambda d: d.kl_divergence(d.LogNormal(0.0, 1.0), d.HalfCauchy(1.0)),
    "fewer trials": lambda d: d.kl_divergence(_binomial(d, 3), _binomial(d, 4)),
    "other families": lambda d: d.kl_divergence(d.Beta(1.0, 1.0), d.Poisson(1.0)),
    "no distribution": lambda d: d.register_kl(d.Normal, 3),
}


def _binomial(d: Any, trials: int) -> Any:
    return d.Binomial(trials, (torch if d is torch.distributions else lazygrad).tensor(0.3))


@pytest.mark.parametrize("name", _ERRORS)
def test_errors(name: str) -> None:
    raised = []
    for d in (torch.distributions, lazygrad.distributions):
        with pytest.raises(Exception) as caught:
            _ERRORS[name](d)
        raised.append(error_class(caught.value))
    assert raised[0] is raised[1]


def test_a_derived_class_takes_the_pair_of_its_base_until_it_has_its_own() -> None:
    d = lazygrad.distributions

    class Narrow(d.Normal):
        pass

    p, q = Narrow(0.0, 1.0), d.Normal(1.0, 1.0)
    assert d.kl_divergence(p, q).item() == 0.5
    d.register_kl(Narrow, d.Normal)(lambda p, q: q.loc * 7)
    assert d.kl_divergence(p, q).item() == 7
    d.register_kl(d.Normal, Narrow)(lambda p, q: q.loc * 9)
    with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(Narrow, Narrow\)"):
        d.kl_divergence(p, p)
    del registry._registered[Narrow, d.Normal], registry._registered[d.Normal, Narrow]
    registry._found.clear()
