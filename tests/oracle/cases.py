"""Programs with their inputs, run on torch and on lazygrad: equal results and gradients, or equal errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .comparing import assert_equal, compute_elsewhere, error_class, is_tensor, outcome_of
from .recipes import Array


@dataclass(frozen=True)
class Case:
    """One function with its inputs.

    Attributes:
        name: Name of the test.
        function: Called as `function(t, *tensors)`; returns tensors and Python values, nested at will.
        inputs: Recipes of the tensors.
        gradient: Whether gradients with regard to the inputs are compared.
        floating: Dtype of the inputs that name none.
        slack: Factor on the tolerance, for functions with several roundings.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[Array, ...] = ()
    gradient: bool = True
    floating: str = "float32"
    slack: float = 1.0


@dataclass(frozen=True)
class ErrorCase:
    """A function that raises: the class must be torch's, and the message must not be empty.

    Attributes:
        name: Name of the test.
        function: Called as `function(t, *tensors)`.
        inputs: Recipes of the tensors.
        data_dependent: The error depends on values, so it may come as late as the result is read.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[Array, ...] = ()
    data_dependent: bool = False


def scenarios(cases: list[Case]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds `function(t)` to `cases`; what it returns must be equal on both frameworks."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        cases.append(Case(function.__name__, function, gradient=False))
        return function

    return register


def run_case(t: Any, case: Case) -> dict[str, Any]:
    """Runs a case on framework `t`.

    Returns:
        The outcomes by path: `result`, `result[0]`, …, and `gradient[i]` for every input that requires grad.
    """
    tensors = _tensors(t, case.inputs, case.floating)
    result = case.function(t, *tensors)
    sources = [tensor for tensor in tensors if tensor.requires_grad]
    if not case.gradient or not sources:
        return outcome_of(result)
    return outcome_of({"result": result, "gradients": _weighted_gradients(t, _flat(result), sources)})


def run_error_case(t: Any, case: ErrorCase) -> BaseException | None:
    """Runs an error case on framework `t` and returns what it raised."""
    tensors = _tensors(t, case.inputs, "float32")
    try:
        result = case.function(t, *tensors)
        if case.data_dependent:
            outcome_of(result)
        compute_elsewhere(result)
    except Exception as error:
        return error
    return None


def assert_agrees(case: Case, torch: Any, candidate: Any) -> None:
    """Asserts that values, shapes, dtypes, requires_grad and gradients are torch's."""
    expected = run_case(torch, case)
    assert_equal(expected, run_case(candidate, case), case.slack)


def assert_raises_alike(case: ErrorCase, torch: Any, candidate: Any) -> None:
    """Asserts that bad input raises torch's error class, with a message."""
    expected = run_error_case(torch, case)
    assert expected is not None, "the case is wrong: torch accepts it"
    actual = run_error_case(candidate, case)
    assert actual is not None, f"expected {type(expected).__name__}: {expected}"
    assert error_class(actual) is error_class(expected), f"expected {expected!r}, got {actual!r}"
    assert str(actual).strip(), "the error has no message"


def _tensors(t: Any, inputs: tuple[Array, ...], floating: str) -> list[Any]:
    return [array.tensor(t, position, floating) for position, array in enumerate(inputs)]


def _flat(value: Any) -> list[Any]:
    """The tensors in a nested result."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for part in value for tensor in _flat(part)]
    return [value] if is_tensor(value) else []


def _weighted_gradients(t: Any, leaves: list[Any], sources: list[Any]) -> tuple[Any, ...]:
    """Gradients of the sum of all floating outputs, each weighted with fixed random numbers."""
    outputs = [leaf for leaf in leaves if leaf.requires_grad]
    if not outputs:
        return tuple(None for _ in sources)
    generator = np.random.default_rng(len(outputs))
    weights = []
    for output in outputs:
        weight = np.asarray(generator.standard_normal(tuple(output.shape)), dtype="float32")
        if output.is_complex():
            weight = weight + 1j * np.flip(weight)
        weights.append(t.tensor(weight, dtype=output.dtype))
    return tuple(t.autograd.grad(outputs, sources, grad_outputs=weights, allow_unused=True))
