"""`torch._foreach_…`: operations on lists of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ops import lists

Call = Callable[[Any, list[Any], list[Any]], Any]

CALLS: dict[str, Call] = {
    "add number": lambda f, x, y: f._foreach_add(x, 0.5),
    "add list alpha": lambda f, x, y: f._foreach_add(x, y, alpha=2),
    "add numbers": lambda f, x, y: f._foreach_add(x, [1.0, 2.0]),
    "add tensor": lambda f, x, y: f._foreach_add(x, f.tensor(2.0), alpha=0.5),
    "sub": lambda f, x, y: f._foreach_sub(x, y, alpha=2),
    "mul": lambda f, x, y: f._foreach_mul(x, [3.0, 0.1]),
    "div": lambda f, x, y: f._foreach_div(x, y),
    "maximum": lambda f, x, y: f._foreach_maximum(x, y),
    "minimum number": lambda f, x, y: f._foreach_minimum(x, 0.7),
    "clamp_min": lambda f, x, y: f._foreach_clamp_min(x, 0.5),
    "pow": lambda f, x, y: f._foreach_pow(x, [2, 0.5]),
    "pow of a number": lambda f, x, y: f._foreach_pow(2.0, x),
    "addcmul": lambda f, x, y: f._foreach_addcmul(x, x, y, 0.3),
    "addcmul value": lambda f, x, y: f._foreach_addcmul(x, x, y, value=0.3),
    "addcdiv numbers": lambda f, x, y: f._foreach_addcdiv(x, x, y, [0.3, -2.0]),
    "addcdiv tensor": lambda f, x, y: f._foreach_addcdiv(x, x, y, f.tensor([0.3, -2.0])),
    "lerp": lambda f, x, y: f._foreach_lerp(x, y, 0.3),
    "lerp numbers": lambda f, x, y: f._foreach_lerp(x, y, [0.3, 0.8]),
    "lerp list": lambda f, x, y: f._foreach_lerp(x, y, x),
    "norm": lambda f, x, y: f._foreach_norm(x),
    "norm 1": lambda f, x, y: f._foreach_norm(x, 1, dtype=f.float64),
    "norm infinity": lambda f, x, y: f._foreach_norm(x, float("inf")),
    "powsum": lambda f, x, y: f._foreach_powsum(x, 3),
    "max": lambda f, x, y: f._foreach_max(x),
    "clone": lambda f, x, y: f._foreach_clone(x),
    "mm": lambda f, x, y: f._foreach_mm([x[1]], [y[1].t()]),
}  # fmt: skip


def operands(framework: Any, seed: int) -> list[Any]:
    draw = np.random.default_rng(seed)
    return [framework.tensor(draw.uniform(0.2, 1.5, shape).astype(np.float32)) for shape in ((3,), (2, 4))]


def compared(mine: Any, theirs: Any) -> None:
    assert type(mine) is type(theirs) and len(mine) == len(theirs)
    for one, other in zip(mine, theirs, strict=True):
        assert str(one.dtype).split(".")[-1] == str(other.dtype).split(".")[-1]
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_it_is_as_in_torch(name: str, torch: Any) -> None:
    results = [CALLS[name](framework, operands(framework, 0), operands(framework, 1)) for framework in (lg, torch)]
    compared(*results)


@pytest.mark.parametrize("name", lists._OF_ONE)
def test_functions_of_one_list(name: str, torch: Any) -> None:
    results = []
    for framework in (lg, torch):
        x = [each / 2 for each in operands(framework, 0)]
        made = getattr(framework, f"_foreach_{name}")(x)
        written = getattr(framework, f"_foreach_{name}_")(x)
        assert all(one is other for one, other in zip(written, x, strict=True))
        results.append([*made, *x])
    compared(*results)


@pytest.mark.parametrize(
    "update",
    [
        lambda f, x, y: f._foreach_add_(x, y, alpha=-0.1),
        lambda f, x, y: f._foreach_mul_(x, 0.9),
        lambda f, x, y: f._foreach_lerp_(x, y, 0.1),
        lambda f, x, y: f._foreach_addcdiv_(x, y, x, -0.1),
        lambda f, x, y: f._foreach_copy_(x, y),
        lambda f, x, y: f._foreach_zero_(x),
        lambda f, x, y: f._foreach_clamp_max_(x, 0.8),
    ],
)
def test_updates_write_into_the_list(update: Call, torch: Any) -> None:
    results = []
    for framework in (lg, torch):
        x, y = operands(framework, 0), operands(framework, 1)
        update(framework, x, y)
        results.append(x)
    compared(*results)


def test_gradients_flow(torch: Any) -> None:
    results = []
    for framework in (lg, torch):
        x = [each.requires_grad_() for each in operands(framework, 0)]
        sum(each.sum() for each in framework._foreach_mul(x, framework._foreach_exp(x))).backward()
        results.append([each.grad for each in x])
    compared(*results)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda f, x: f._foreach_add([], 1), RuntimeError),
        (lambda f, x: f._foreach_add(x, [1.0]), RuntimeError),
        (lambda f, x: f._foreach_add(x, [x[0]]), RuntimeError),
        (lambda f, x: f._foreach_add(x[0], 1), TypeError),
        (lambda f, x: f._foreach_abs([1.0]), TypeError),
    ],
)
def test_errors(call: Callable[[Any, list[Any]], Any], error: type[Exception], torch: Any) -> None:
    messages = []
    for framework in (lg, torch):
        with pytest.raises(error) as raised:
            call(framework, operands(framework, 0))
        messages.append(str(raised.value))
    if error is RuntimeError:
        assert messages[0] == messages[1]


def test_every_function_of_torch_is_there(torch: Any) -> None:
    assert {name for name in dir(torch) if name.startswith("_foreach_")} == set(lists.__all__)
