"""Attention by the function and spelled out, of many shapes: values and gradients are torch's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.oracle.comparing import assert_alike

# (lead, queries, keys, width, value width)
SHAPES = {
    "one query": ((2, 3), 1, 37, 16, 16),
    "three queries": ((2,), 3, 50, 8, 8),
    "one key": ((2, 1), 9, 1, 5, 3),
    "odd": ((3,), 17, 31, 7, 5),
    "no leading axes": ((), 40, 40, 32, 32),
    "a window": ((4, 3), 49, 49, 32, 32),
    "long": ((1, 2), 300, 515, 64, 64),
    "a wide head": ((2,), 20, 30, 300, 290),
    "no queries": ((2,), 0, 5, 4, 4),
    "an empty batch": ((0, 2), 4, 5, 4, 4),
}
MASKS = ("none", "causal", "added", "keys", "bool", "nothing")


def operands(shape: tuple[Any, ...], mask: str) -> tuple[list[np.ndarray], np.ndarray | None]:
    lead, queries, keys, width, value_width = shape
    random = np.random.default_rng(3)
    sizes = (queries, width), (keys, width), (keys, value_width), (queries, value_width)
    arrays = [random.standard_normal((*lead, *size)).astype(np.float32) for size in sizes]
    if mask == "added":
        return arrays, random.standard_normal((queries, keys)).astype(np.float32)
    if mask == "keys":
        return arrays, random.random((*lead[:1], *[1] * len(lead), keys)) < 0.8
    if mask in ("bool", "nothing"):
        seen = random.random((queries, keys)) < 0.5
        seen[: queries // 2 if mask == "nothing" else 0] = False
        return arrays, seen | (np.arange(keys) == 0) if mask == "bool" else seen
    return arrays, None


def by_the_function(module: Any, q: Any, k: Any, v: Any, mask: Any, causal: bool) -> Any:
    return module.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)


def spelled_out(module: Any, q: Any, k: Any, v: Any, mask: Any, causal: bool) -> Any:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        mask = module.ones(scores.shape[-2:]).tril() != 0
    if mask is not None:
        scores = scores + mask if mask.is_floating_point() else scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1) @ v


def computed(module: Any, attention: Any, shape: tuple[Any, ...], mask: str) -> list[Any]:
    arrays, hidden = operands(shape, mask)
    leaves = [module.tensor(x, requires_grad=True) for x in arrays[:3]]
    y = attention(module, *leaves, None if hidden is None else module.tensor(hidden), mask == "causal")
    y.backward(module.tensor(arrays[3]))
    return [y, *[leaf.grad for leaf in leaves]]


@pytest.mark.parametrize("attention", [by_the_function, spelled_out])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_agrees_with_torch(shape: tuple[Any, ...], mask: str, attention: Any, torch: Any, candidate: Any) -> None:
    assert_alike(lambda t: computed(t, attention, shape, mask), torch, candidate, slack=2.0)


def test_a_spelled_out_query_that_sees_nothing_is_nan_as_in_torch(torch: Any, candidate: Any) -> None:
    for module in (torch, candidate):
        q = module.ones(2, 8, 4)
        hidden = module.arange(8) < 3
        y = spelled_out(module, q, q, q, ~hidden[:, None], False)
        assert y.isnan().any(-1).tolist() == [[True] * 3 + [False] * 5] * 2


def test_a_second_derivative_goes_through_the_gradient(torch: Any, candidate: Any) -> None:
    def slopes(module: Any) -> list[Any]:
        q, k, v = (module.tensor(x, requires_grad=True) for x in operands(SHAPES["odd"], "none")[0][:3])
        y = spelled_out(module, q, k, v, None, False)
        (slope,) = module.autograd.grad(y.square().sum(), [q], create_graph=True)
        slope.square().sum().backward()
        return [leaf.grad for leaf in (q, k, v)]

    assert_alike(slopes, torch, candidate, slack=2.0)
