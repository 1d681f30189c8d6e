"""Values and gradients at NaN, infinities, zeros and ties are PyTorch's, but for the differences that are listed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

from .special_gradients import DIFFERENCES, FUNCTIONS, POINTS, PRODUCTS, inf, nan

Part = np.ndarray | None


def _computed(t: Any, name: str) -> list[tuple[np.ndarray, Part]]:
    """For each point the value of a function and the gradient of its sum, None where it has none."""
    tensors = [t.tensor(point, dtype=t.float32, requires_grad=True) for point in POINTS]
    values = [FUNCTIONS[name](t, x) for x in tensors]
    gradients = []
    for x, value in zip(tensors, values, strict=True):
        try:
            gradients.append(t.autograd.grad(value.sum(), x, allow_unused=True)[0])
        except RuntimeError:
            gradients.append(None)
    return [
        (value.detach().numpy(), gradient if gradient is None else gradient.numpy())
        for value, gradient in zip(values, gradients, strict=True)
    ]


def _close(wanted: Part, found: Part) -> bool:
    if wanted is None or found is None:
        return wanted is found
    return wanted.shape == found.shape and np.allclose(wanted, found, rtol=1e-4, atol=1e-6, equal_nan=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(name: str, torch: Any) -> None:
    wanted, found = _computed(torch, name), _computed(lg, name)
    different = [
        f"at {point}: PyTorch {want}, here {have}"
        for point, want, have in zip(POINTS, wanted, found, strict=True)
        if not all(map(_close, want, have))
    ]
    if name in DIFFERENCES:
        assert different, f"{name} is PyTorch's everywhere: it is not to be listed with {DIFFERENCES[name]!r}"
    else:
        assert not different, "\n".join(different)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PRODUCTS)
def test_no_product_is_folded_when_compiled(name: str) -> None:
    """What a compiled function and its gradient give is what the function gives."""

    def both(x: lg.Tensor) -> tuple[lg.Tensor, lg.Tensor]:
        value = FUNCTIONS[name](lg, x)
        return value.detach(), lg.autograd.grad(value.sum(), x)[0]

    compiled = lg.compile(both)
    for point in POINTS:
        wanted = both(lg.tensor(point, dtype=lg.float32, requires_grad=True))
        found = compiled(lg.tensor(point, dtype=lg.float32, requires_grad=True))
        assert all(_close(want.numpy(), have.numpy()) for want, have in zip(wanted, found, strict=True)), point


def test_listed_differences_are_of_functions() -> None:
    assert set(DIFFERENCES) <= set(FUNCTIONS)


@pytest.mark.parametrize("name", ["max", "min", "amax", "amin"])
def test_nan_has_the_gradient_of_an_extremum(name: str) -> None:
    for values, expected in (([nan, 1, 2], [1, 0, 0]), ([1, nan, nan], [0, 0.5, 0.5]), ([nan, inf, -inf], [1, 0, 0])):
        x = lg.tensor(values, dtype=lg.float32, requires_grad=True)
        getattr(x, name)().backward()
        assert x.grad is not None
        assert x.grad.tolist() == expected


_ZERO = complex(0, 0)
_POWERS_OF_ZERO: dict[complex, complex] = {
    0: 1, 1: 0, 2: 0, 3: 0, 0.5: 0, 1.5: 0, 1 + 1j: 0, 2 - 1j: 0, 0.25 + 3j: 0,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("form", ["number", "tensor", "of a number"])
def test_complex_powers_of_zero(dtype: str, form: str) -> None:
    """0 to the 0 is 1; with a positive real part it is 0 and has no slope in the exponent."""
    for exponent, expected in _POWERS_OF_ZERO.items():
        base = lg.tensor([_ZERO, complex(-0.0, 0.0), complex(0.0, -0.0)], dtype=getattr(lg, dtype))
        power = lg.tensor([exponent] * 3, dtype=getattr(lg, dtype))
        operands: dict[str, Any] = {"number": (base, exponent), "tensor": (base, power), "of a number": (0j, power)}
        result = lg.pow(*operands[form])
        assert result.tolist() == [expected] * 3, exponent


def test_slopes_of_complex_powers_at_zero(torch: Any) -> None:
    def slopes(t: Any) -> list[Any]:
        found = []
        for exponent in (0, 1, 2, 3):
            x = t.tensor([_ZERO, 1 + 1j], requires_grad=True)
            found += t.autograd.grad((x**exponent).real.sum(), x)
        return found

    assert_alike(slopes, torch, lg)
