"""Products, windows, indices and lines of 16-bit floats, and what unsigned numbers do, as CUDA source against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.tensor import realize_all
from tests.cuda_emulator.driver import Order
from tests.targets.cuda.emulating import emulating

F = lg.nn.functional
_rng = np.random.default_rng(3)
INDEX = _rng.integers(0, 9, 20)


def normal(*shape: int) -> np.ndarray:
    return _rng.standard_normal(shape).astype(np.float32)


ROWS, SQUARE, IMAGES, WEIGHT, QUERY = (
    normal(9, 40),
    normal(40, 40),
    normal(2, 4, 9, 9),
    normal(6, 4, 3, 3),
    normal(2, 70, 8),
)
WIDE = normal(3, 400)


def _products(dtype: Any) -> list[Any]:
    rows, square, images, weight, query = (lg.tensor(x).to(dtype) for x in (ROWS, SQUARE, IMAGES, WEIGHT, QUERY))
    leaves = [x.requires_grad_() for x in (rows, square, images, weight, query)]
    made = [
        F.linear(rows, square),
        rows[:, ::2] @ square[3:4, ::2].T,
        lg.einsum("bi,bj->ij", rows, rows),
        F.conv2d(images, weight, stride=2, padding=1),
        F.conv2d(images, weight[:4, :1], groups=4),
        F.conv_transpose2d(images, weight.transpose(0, 1)),
        F.scaled_dot_product_attention(query, query, query, is_causal=True),
    ]
    gradients = lg.autograd.grad(sum((x.float() * x.float().detach().cos()).sum() for x in made), leaves)
    return [*made, *gradients]


def _others(dtype: Any) -> list[Any]:
    rows, images, wide, index = (*[lg.tensor(x).to(dtype) for x in (ROWS, IMAGES, WIDE)], lg.tensor(INDEX))
    rows.requires_grad_(), images.requires_grad_()
    made = [
        F.embedding(index, rows),
        rows[:, :3][index],
        rows.gather(0, index[:, None].expand(20, 40)),
        F.max_pool2d(images, 3, 2, 1),
        F.avg_pool2d(images, 2),
        F.unfold(images, 3),
        F.layer_norm(rows, (40,)),
        F.softmax(rows, 1),
    ]
    loss = sum((x.float() * x.float().detach().cos()).sum() for x in made)
    gradients = lg.autograd.grad(loss, [rows, images])
    return [
        *made,
        *gradients,
        wide.cumsum(1) / 20,
        wide.sort(1)[0],
        wide.argmax(1),
        wide.cummax(1)[1],
        wide.half().scatter_reduce(1, index.expand(3, 20), wide[:, :20].half(), "amax"),
        lg.cat([wide, wide], 1).roll(3, 1),
    ]


@pytest.mark.parametrize("program", [_products, _others], ids=["products", "others"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_floats(program: Any, dtype: str) -> None:
    def computed() -> list[np.ndarray]:
        made = [x.detach() for x in program(getattr(lg, dtype))]
        realize_all(made)
        return [x.double().numpy() for x in made]

    with lg.backend("numpy"):
        expected = computed()
    with emulating(Order.DESCENDING) as target:
        found = computed()
    assert target.driver.counts.products or program is _others
    tolerance = {"float16": 4e-3, "bfloat16": 3e-2}[dtype]
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        size = max(1.0, np.abs(other).max())
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * size, err_msg=str(number))


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_unsigned_numbers(dtype: str) -> None:
    bits = 8 * np.dtype(dtype).itemsize
    drawn = np.random.default_rng(4).integers(0, (1 << bits) - 1, 30, dtype=np.uint64)
    x = np.concatenate([drawn.astype(dtype), np.array([0, 1, (1 << bits) - 1], dtype)])

    def computed() -> list[np.ndarray]:
        given, index = lg.tensor(x), lg.tensor(INDEX)
        made = [
            given * given,
            given & given.flip(0),
            given == given.roll(1),
            given.sort()[0],
            given.argsort(descending=True),
            given[index],
            given.index_put((index,), given[:20]),
            given.scatter(0, index, given[:20]),
            lg.cat([given, given[3:]]),
            lg.where(given == given[0], given, given.flip(0)),
            given.to(lg.float64),
            (given.to(lg.float64) / 3).to(given.dtype),
        ]
        realize_all(made)
        return [value.numpy() for value in made]

    with lg.backend("numpy"):
        expected = computed()
    with emulating():
        found = computed()
    np.testing.assert_array_equal(found[3], np.sort(x))
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(one, other, err_msg=str(number))
