"""Where the standard differs from PyTorch, whose functions the namespace is made of, and what it asks to refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

xp = lg.array_api


def test_promotion_does_not_look_at_ranks() -> None:
    single, double = lg.ones(3), lg.tensor(2.0, dtype=lg.float64)
    assert xp.add(single, double).dtype is lg.float64 and (single + double).dtype is lg.float32
    small, large = lg.ones(3, dtype=lg.int8), lg.tensor(300, dtype=lg.int16)
    assert xp.where(small > 0, small, large).dtype is lg.int16
    assert xp.less(small, large).tolist() == [True] * 3


def test_numbers_take_the_kind_of_the_array() -> None:
    x = lg.ones(2, dtype=lg.int8)
    assert xp.multiply(3, x).dtype is lg.int8 and xp.equal(x, 1).tolist() == [True, True]
    assert xp.atan2(1, lg.ones(2)).dtype is lg.float32 and xp.hypot(lg.ones(2), np.float32(0)).dtype is lg.float32
    with pytest.raises(TypeError, match="must be an array, but they are: int, float"):
        xp.add(1, 2.0)
    with pytest.raises(TypeError, match="add"):
        xp.add(x, "1")


def test_equal_compares_elements() -> None:
    x = lg.tensor([1.0, 2.0])
    assert xp.equal(x, x + lg.tensor([0.0, 1.0])).tolist() == [True, False]
    assert lg.equal(x, x) is True


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "count_nonzero"])
def test_no_axes_are_no_reduction(name: str) -> None:
    x = lg.tensor([[2.0, 0.0], [3.0, -1.0]])
    found = getattr(xp, name)(x, axis=())
    spread, truth = {"std", "var"}, {"any", "all", "count_nonzero"}
    expected = [[0, 0], [0, 0]] if name in spread else [[1, 0], [1, 1]] if name in truth else x.tolist()
    assert found.tolist() == expected
    assert getattr(xp, name)(x, axis=(), keepdims=True).shape == (2, 2)


def test_truth_is_boolean() -> None:
    x = lg.tensor([0, 3], dtype=lg.uint8)
    assert xp.any(x).dtype is lg.bool and xp.all(x).dtype is lg.bool and not xp.all(x)


def test_signs() -> None:
    assert math.isnan(xp.sign(lg.tensor(math.nan)).item())
    np.testing.assert_allclose(xp.sign(lg.tensor([3 + 4j, 0j])).numpy(), [0.6 + 0.8j, 0])


def test_expm1_of_infinite_complex_numbers() -> None:
    x = lg.tensor([complex(math.inf, 0), complex(-math.inf, math.nan), complex(1e-20, 0)], dtype=lg.complex128)
    assert xp.expm1(x).tolist() == [complex(math.inf, 0), -1 + 0j, 1e-20 + 0j]


def test_complex_numbers_are_told_apart() -> None:
    x = lg.tensor([[1j, 2], [1j, complex(0.0, -0.0)]])
    values, indices, inverse, counts = xp.unique_all(x)
    assert values.tolist() == [0, 1j, 2] and indices.tolist() == [3, 0, 1]
    assert inverse.tolist() == [[1, 2], [1, 0]] and counts.tolist() == [1, 2, 1]
    assert xp.unique_counts(lg.tensor([complex(math.nan, 0)] * 2)).counts.tolist() == [1, 1]
    assert xp.unique_values(lg.zeros(0, dtype=lg.complex64)).shape == (0,)


def test_conjugates_are_values() -> None:
    assert np.asarray(xp.conj(lg.tensor([1j]))).tolist() == [-1j]


def test_a_matrix_on_the_right_is_no_stack_of_vectors() -> None:
    a = lg.stack([2 * lg.eye(3), 4 * lg.eye(3), lg.eye(3)])
    b = lg.arange(9.0).reshape(3, 3)
    np.testing.assert_allclose(xp.linalg.solve(a, b).numpy(), np.linalg.solve(a.numpy(), b.numpy()[None]))


def test_inner_products_keep_the_dtype() -> None:
    x = lg.tensor([100, 100], dtype=lg.int16)
    assert xp.vecdot(x, x).dtype is lg.int16 and xp.linalg.trace(x.reshape(1, 2)).dtype is lg.int64


def test_norms_of_each_element() -> None:
    assert xp.linalg.vector_norm(lg.tensor([[-2.0, 3.0]]), axis=()).tolist() == [[2, 3]]


def test_cross_products_broadcast() -> None:
    x, y = np.arange(12.0).reshape(2, 2, 3), np.arange(3.0)[None]
    np.testing.assert_allclose(xp.linalg.cross(lg.tensor(x), lg.tensor(y)).numpy(), np.cross(x, y))


def test_nothing_keeps_its_kind() -> None:
    assert xp.arange(1, 0.0).dtype is lg.get_default_dtype() and xp.arange(1, 0).dtype is lg.int64


def test_isin_inverted() -> None:
    assert xp.isin(lg.tensor([1, 2]), 2, invert=True).tolist() == [True, False]
    assert xp.isin(2, lg.tensor([1, 2])).item() is True


_REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: xp.astype(lg.ones(1, dtype=lg.complex64), lg.float32), TypeError, "take real"),
    (lambda: xp.nonzero(lg.tensor(1)), ValueError, "no places"),
    (lambda: xp.squeeze(lg.ones(2, 1), 0), ValueError, "not of size 1"),
    (lambda: xp.expand_dims(lg.ones(2), axis=2 + 1), IndexError, "between -2 and 1"),
    (lambda: xp.expand_dims(lg.ones(2), axis=(0, -3)), ValueError, "twice"),
    (lambda: xp.broadcast_shapes((2,), (3,)), ValueError, "broadcast"),
    (lambda: xp.reshape(xp.matrix_transpose(lg.ones(2, 3)), (6,), copy=False), ValueError, "reshape"),
    (lambda: xp.vecdot(lg.ones(2, 3), lg.ones(1)), ValueError, "must have one size"),
    (lambda: xp.linalg.cross(lg.ones(2, 3), lg.ones(1)), ValueError, "must have size 3"),
    (lambda: xp.linalg.qr(lg.eye(2), mode="r"), ValueError, "reduced"),
    (lambda: xp.fft.fftfreq(3, dtype=lg.int64), ValueError, "real floating"),
    (lambda: lg.ones(1).__array_namespace__(api_version="1999.12"), ValueError, "unknown version"),
    (lambda: xp.isdtype(lg.int8, "number"), ValueError, "unknown kind"),
    (lambda: xp.finfo(lg.int8), TypeError, "finfo"),
]


@pytest.mark.parametrize(("program", "error", "words"), _REFUSED)
def test_refusals(program: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        program()


def test_versions() -> None:
    assert lg.ones(1).__array_namespace__(api_version="2023.12") is xp and xp.__array_api_version__ == "2025.12"


def test_reshape_without_a_copy_is_a_view() -> None:
    x = lg.zeros(2, 3)
    xp.reshape(x, (6,), copy=False)[0] = 1
    assert x[0, 0] == 1
    xp.reshape(x, (6,), copy=True)[0] = 2
    assert x[0, 0] == 1


def test_gradients_flow() -> None:
    x = lg.tensor([1.0, 4.0], requires_grad=True)
    xp.sum(xp.multiply(xp.sqrt(x), xp.asarray(2.0, dtype=xp.float64)), axis=()).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [1.0, 0.5])
