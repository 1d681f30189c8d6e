"""Every distribution against PyTorch's: samples for one seed, densities, moments, gradients, expanded, as text."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad
from tests.distributions.cases import CASES, Case
from tests.oracle.comparing import assert_alike, error_class

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 2))
_PROPERTIES = "mean mode variance stddev has_rsample has_enumerate_support batch_shape event_shape".split()


@pytest.fixture(autouse=True)
def _quietly() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _made(case: Case, t: Any) -> tuple[Any, list[Any]]:
    """The distribution of a case, and its parameters."""
    parameters = []

    def parameter(*values: Any, dtype: str = "float32") -> Any:
        parameters.append(t.tensor(values, dtype=getattr(t, dtype), requires_grad=True))
        return parameters[-1]

    return case.make(t, parameter), parameters


def _attempt(function: Callable[[], Any]) -> Any:
    """A result, as a list if it is a shape; of an error, what a user catches."""
    try:
        result = function()
    except (NotImplementedError, ValueError, RuntimeError) as error:
        return error_class(error).__name__
    return list(result) if isinstance(result, tuple) else result


def _values(case: Case) -> np.ndarray:
    """Where to ask about a distribution: what the case says, or samples of PyTorch's."""
    if case.at is not None:
        return np.array(case.at, np.float32)
    torch.manual_seed(1)
    return np.array(_made(case, torch)[0].sample((3,)).detach())


def _as_text(distribution: Any) -> str:
    return repr(distribution).replace("torch.Size", "lazygrad.Size")


@pytest.mark.parametrize("name", CASES)
def test_samples_for_one_seed(name: str) -> None:
    case = CASES[name]

    def program(t: Any) -> Any:
        t.manual_seed(7)
        distribution, _ = _made(case, t)
        draw = distribution.rsample if distribution.has_rsample else distribution.sample
        samples = [distribution.sample(shape).detach() for shape in _SHAPES] + [draw((4,)).detach()]
        return samples, t.rand(2)  # the stream stands where it should

    assert_alike(program, torch, lazygrad, case.closeness)


@pytest.mark.parametrize("name", CASES)
def test_densities_and_moments(name: str) -> None:
    case, values = CASES[name], _values(CASES[name])

    def program(t: Any) -> Any:
        distribution, _ = _made(case, t)
        value = t.tensor(values)
        results = {part: _attempt(lambda part=part: getattr(distribution, part)) for part in _PROPERTIES}
        results["log_prob"] = _attempt(lambda: distribution.log_prob(value))
        results["cdf"] = _attempt(lambda: distribution.cdf(value))
        results["icdf"] = _attempt(lambda: distribution.icdf(0.3 * t.ones_like(value)))
        results["entropy"] = _attempt(distribution.entropy)
        results["perplexity"] = _attempt(distribution.perplexity)
        results["enumerate_support"] = _attempt(distribution.enumerate_support)
        results["enumerate_support once"] = _attempt(lambda: distribution.enumerate_support(expand=False))
        results["supported"] = _attempt(lambda: distribution.support.check(value))
        results["repr"] = _as_text(distribution)
        results["support"] = repr(distribution.support).replace("torch.", "lazygrad.")
        return results

    assert_alike(program, torch, lazygrad, case.slack)


@pytest.mark.parametrize("name", CASES)
def test_gradients(name: str) -> None:
    case, values = CASES[name], _values(CASES[name])

    def gradients(t: Any, function: Callable[[Any], Any]) -> Any:
        t.manual_seed(5)
        distribution, parameters = _made(case, t)
        result = _attempt(lambda: function(distribution))
        if isinstance(result, str) or not result.requires_grad:
            return result if isinstance(result, str) else "constant"
        weights = t.arange(1.0, result.numel() + 1, dtype=result.dtype).reshape(result.shape)
        return t.autograd.grad((result * weights).sum(), parameters, allow_unused=True)

    def draw(distribution: Any) -> Any:
        return getattr(distribution, case.drawn_by)(distribution.batch_shape[:0] + (3,))

    assert_alike(lambda t: gradients(t, lambda m: m.log_prob(t.tensor(values))), torch, lazygrad, case.slack)
    assert_alike(lambda t: gradients(t, lambda m: m.entropy()), torch, lazygrad, case.slack)
    assert_alike(lambda t: gradients(t, draw), torch, lazygrad, case.rough)


@pytest.mark.parametrize("name", CASES)
def test_expanded(name: str) -> None:
    case = CASES[name]

    def expanded_to(t: Any) -> Any:
        distribution, _ = _made(case, t)
        _attempt(lambda: distribution.mean)  # what is computed once must not stay behind
        return distribution.expand((4, 3, *distribution.batch_shape))

    values = np.array(expanded_to(torch).sample().detach())

    def program(t: Any) -> Any:
        expanded = expanded_to(t)
        value = t.tensor(values)
        results = {part: _attempt(lambda part=part: getattr(expanded, part)) for part in _PROPERTIES}
        results["log_prob"] = _attempt(lambda: expanded.log_prob(value))
        if "Multinomial" not in name:  # PyTorch's forgets there what the entropy needs
            results["entropy"] = _attempt(expanded.entropy)
        results["repr"] = _as_text(expanded)
        results["samples"] = list(expanded.sample((2,)).shape)
        return results

    assert_alike(program, torch, lazygrad, case.slack)
