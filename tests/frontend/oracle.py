"""The oracle: runs one function on torch and on lazygrad and compares everything a user can see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import COMPLEX, DTYPES, FLOATING, Array

# Relative to the largest magnitude in the tensor; half precisions get one unit in the last place.
TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "float16": 2.0**-10, "bfloat16": 2.0**-7}
TOLERANCE |= {"complex64": TOLERANCE["float32"], "complex128": TOLERANCE["float64"]}


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


@dataclass(frozen=True)
class TensorOutcome:
    """What a tensor looks like from outside; `values` are float64 for floating dtypes."""

    dtype: str
    shape: tuple[int, ...]
    requires_grad: bool
    values: NDArray[Any]


def dtype_name(t: Any, dtype: Any) -> str:
    """PyTorch's name of a dtype object of framework `t`."""
    return next((name for name in (*DTYPES, *COMPLEX) if getattr(t, name) == dtype), str(dtype))


def describe(t: Any, tensor: Any) -> tuple[tuple[int, ...], str]:
    """Shape and dtype, for results whose values are not defined."""
    return tuple(tensor.shape), dtype_name(t, tensor.dtype)


def raised(function: Callable[[], Any]) -> str:
    """Name of the built-in class of the error that `function` raises."""
    try:
        function()
    except Exception as error:
        return error_class(error).__name__ + ("" if str(error).strip() else " without a message")
    return "nothing raised"


def error_class(error: BaseException) -> type:
    """The nearest built-in class of an error: what a user's `except` clause names."""
    return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")


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
    leaves = dict(_leaves(t, "result", case.function(t, *tensors)))
    sources = [tensor for tensor in tensors if tensor.requires_grad]
    if case.gradient and sources:
        gradients = _weighted_gradients(t, list(leaves.values()), sources)
        leaves |= {f"gradient[{position}]": gradient for position, gradient in enumerate(gradients)}
    return {path: _outcome(t, leaf) for path, leaf in leaves.items()}


def run_error_case(t: Any, case: ErrorCase) -> BaseException | None:
    """Runs an error case on framework `t` and returns what it raised."""
    tensors = _tensors(t, case.inputs, "float32")
    try:
        result = case.function(t, *tensors)
        if case.data_dependent:
            for _path, leaf in _leaves(t, "result", result):
                _outcome(t, leaf)
    except Exception as error:
        return error
    return None


def assert_equal(expected: dict[str, Any], actual: dict[str, Any], slack: float = 1.0) -> None:
    """Asserts that two outcomes of `run_case` are equal; floating values up to the tolerance of their dtype."""
    assert list(actual) == list(expected)
    for path, want in expected.items():
        have = actual[path]
        assert type(have) is type(want), f"{path}: expected {want!r}, got {have!r}"
        if isinstance(want, TensorOutcome):
            _assert_tensor_equal(path, want, have, slack)
        else:
            assert have == want, f"{path}: expected {want!r}, got {have!r}"


def _tensors(t: Any, inputs: tuple[Array, ...], floating: str) -> list[Any]:
    return [array.tensor(t, position, floating) for position, array in enumerate(inputs)]


def _leaves(t: Any, path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The tensors and Python values in a nested result, with the path of each."""
    if isinstance(value, (tuple, list)):
        yield f"len({path})", len(value)
        for position, item in enumerate(value):
            yield from _leaves(t, f"{path}[{position}]", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(t, f"{path}[{key!r}]", item)
    else:
        yield path, value


def _weighted_gradients(t: Any, leaves: list[Any], sources: list[Any]) -> tuple[Any, ...]:
    """Gradients of the sum of all floating outputs, each weighted with fixed random numbers."""
    outputs = [leaf for leaf in leaves if isinstance(leaf, t.Tensor) and leaf.requires_grad]
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


def _outcome(t: Any, leaf: Any) -> Any:
    if not isinstance(leaf, t.Tensor):
        return leaf
    name = dtype_name(t, leaf.dtype)
    plain = leaf.detach().to(t.float64) if name in FLOATING else leaf.detach().resolve_conj().resolve_neg()
    return TensorOutcome(name, tuple(leaf.shape), leaf.requires_grad, np.array(plain.numpy()))


def _assert_tensor_equal(path: str, want: TensorOutcome, have: TensorOutcome, slack: float) -> None:
    assert have.dtype == want.dtype, f"{path}: expected dtype {want.dtype}, got {have.dtype}"
    assert have.shape == want.shape, f"{path}: expected shape {want.shape}, got {have.shape}"
    assert have.requires_grad == want.requires_grad, f"{path}: expected requires_grad={want.requires_grad}"
    assert have.values.shape == want.values.shape, f"{path}: .numpy() has shape {have.values.shape}"
    if want.dtype in COMPLEX:
        for part in ("real", "imag"):
            parts = [TensorOutcome(want.dtype, t.shape, t.requires_grad, getattr(t.values, part)) for t in (want, have)]
            _assert_close(f"{path}.{part}", *parts, slack)
    elif want.dtype in FLOATING:
        _assert_close(path, want, have, slack)
    else:
        equal = np.array_equal(want.values, have.values)
        assert equal, f"{path}: expected {want.values.tolist()}, got {have.values.tolist()}"


def _assert_close(path: str, want: TensorOutcome, have: TensorOutcome, slack: float) -> None:
    finite = np.isfinite(want.values)
    special = np.array_equal(want.values[~finite], have.values[~finite], equal_nan=True)
    assert special, f"{path}: expected {want.values.tolist()}, got {have.values.tolist()}"
    scale = max(1.0, float(np.abs(want.values[finite]).max(initial=0.0)))
    error = np.abs(np.where(finite, have.values - np.where(finite, want.values, 0.0), 0.0))
    worst = float(error.max(initial=0.0))
    allowed = TOLERANCE[want.dtype] * scale * slack
    message = f"{path}: max |difference| {worst:.3g} > {allowed:.3g}"
    assert worst <= allowed, f"{message}; expected {want.values.tolist()}, got {have.values.tolist()}"
