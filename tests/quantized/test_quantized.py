"""Quantized tensors, and what training puts in their place, against PyTorch's."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad
from tests.oracle.comparing import assert_alike, raised

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

Program = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _quietly() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _numbers(t: Any, *shape: int, dtype: str = "float32", grad: bool = False) -> Any:
    """Numbers around zero, some of them halfway between two of a grid of tenths."""
    values = np.random.default_rng(0).normal(0, 4, shape)
    values.reshape(-1)[:6] = [0.05, 0.15, -0.05, -0.25, 0.0, 1e9]
    return t.tensor(values, dtype=getattr(t, dtype), requires_grad=grad)


def _text(q: Any) -> str:
    """The representation on one line: the framework's name decides where lines end."""
    return " ".join(repr(q).replace("torch.", "lazygrad.").split())


def _facts(t: Any, q: Any) -> Any:
    per_tensor = str(q.qscheme()).endswith("per_tensor_affine")
    own = (
        [q.q_scale(), q.q_zero_point()]
        if per_tensor
        else [q.q_per_channel_scales(), q.q_per_channel_zero_points(), q.q_per_channel_axis()]
    )
    return [
        q.int_repr(), q.dequantize(), t.int_repr(q), t.dequantize(q), own, list(q.shape), q.dim(), q.numel(),
        q.is_quantized, str(q.dtype).rpartition(".")[2], str(q.qscheme()).rpartition(".")[2], _text(q),
        isinstance(q, t.Tensor), isinstance(q.dtype, t.dtype), q.clone().int_repr(),
    ]  # fmt: skip


_MADE: dict[str, Program] = {
    "qint8": lambda t: t.quantize_per_tensor(_numbers(t, 4, 5), 0.1, 3, t.qint8),
    "quint8": lambda t: t.quantize_per_tensor(_numbers(t, 20), 0.07, 128, t.quint8),
    "qint32": lambda t: t.quantize_per_tensor(_numbers(t, 3, 6)[1:], 1e-4, -5, t.qint32),
    "tensors for the grid": lambda t: t.quantize_per_tensor(_numbers(t, 8), t.tensor(0.1), t.tensor(3), t.qint8),
    "per channel": lambda t: t.quantize_per_channel(
        _numbers(t, 3, 5), t.tensor([0.1, 0.02, 1.0]), t.tensor([0, 5, -3]), 0, t.qint8
    ),
    "per column": lambda t: t.quantize_per_channel(
        _numbers(t, 4, 2, 2), t.tensor([0.1, 0.3]).double(), t.tensor([10, 200]), 1, t.quint8
    ),
    "dynamic": lambda t: t.quantize_per_tensor_dynamic(_numbers(t, 30)[6:], t.quint8, False),
    "dynamic of fewer bits": lambda t: t.quantize_per_tensor_dynamic(_numbers(t, 30)[6:], t.qint8, True),
    "dynamic of positive numbers": lambda t: t.quantize_per_tensor_dynamic(
        _numbers(t, 30)[6:].abs() + 1, t.qint8, False
    ),
    "reshaped": lambda t: t.quantize_per_tensor(_numbers(t, 4, 5), 0.1, 3, t.qint8).reshape(5, 4).transpose(0, 1),
    "a part": lambda t: t.quantize_per_tensor(_numbers(t, 4, 5), 0.1, 3, t.qint8)[1:, 2].view(3, 1).permute(1, 0),
}


@pytest.mark.parametrize("name", _MADE)
def test_quantized_tensors(name: str) -> None:
    assert_alike(lambda t: _facts(t, _MADE[name](t)), torch, lazygrad, 0)


def test_rounding_is_that_of_torch() -> None:
    """Ties and inverses that are rounded: no number of many is off by one."""
    values = np.random.default_rng(1).uniform(-5, 5, 20_000).astype(np.float32)
    for scale in (0.1, 0.033, 1 / 3, 0.07):
        assert_alike(
            lambda t, s=scale: t.quantize_per_tensor(t.tensor(values), s, 7, t.qint8).int_repr(), torch, lazygrad
        )


_FAKE: dict[str, Program] = {
    "per tensor": lambda t: (t.fake_quantize_per_tensor_affine, (0.1, 3, -128, 127), (4, 5), "float32"),
    "few bits": lambda t: (t.fake_quantize_per_tensor_affine, (0.5, 2, 0, 7), (20,), "float32"),
    "float64": lambda t: (t.fake_quantize_per_tensor_affine, (0.1, 3, 0, 255), (20,), "float64"),
    "float16": lambda t: (t.fake_quantize_per_tensor_affine, (0.1, 3, 0, 255), (3, 7), "float16"),
    "tensors for the grid": lambda t: (
        t.fake_quantize_per_tensor_affine,
        (t.tensor(0.1), t.tensor(3, dtype=t.int32), 0, 255),
        (4, 5),
        "float32",
    ),
    "per channel": lambda t: (
        t.fake_quantize_per_channel_affine,
        (t.tensor([0.1, 0.02, 1.0]), t.tensor([0, 5, 3], dtype=t.int32), 0, 0, 15),
        (3, 5),
        "float32",
    ),
    "per column": lambda t: (
        t.fake_quantize_per_channel_affine,
        (t.tensor([0.1, 0.3]), t.tensor([1.0, 2.0]), 1, -8, 7),
        (4, 2, 3),
        "float32",
    ),
}


@pytest.mark.parametrize("name", _FAKE)
def test_fake_quantization_passes_gradients_inside_the_grid(name: str) -> None:
    def program(t: Any) -> Any:
        function, arguments, shape, dtype = _FAKE[name](t)
        x = _numbers(t, *shape, dtype=dtype, grad=True)
        y = function(x, *arguments)
        y.backward(t.arange(x.numel(), dtype=x.dtype).reshape(x.shape))
        return y, x.grad

    assert_alike(program, torch, lazygrad, 0.1)


_ERRORS: dict[str, Program] = {
    "an ordinary dtype": lambda t: t.quantize_per_tensor(t.ones(3), 0.1, 0, t.int8),
    "float64": lambda t: t.quantize_per_tensor(t.ones(3).double(), 0.1, 0, t.qint8),
    "integers": lambda t: t.quantize_per_tensor(t.ones(3).long(), 0.1, 0, t.qint8),
    "a zero point above": lambda t: t.quantize_per_tensor(t.ones(3), 0.1, 300, t.qint8),
    "a zero point below": lambda t: t.quantize_per_tensor(t.ones(3), 0.1, -1, t.quint8),
    "other numbers of scales": lambda t: t.quantize_per_channel(t.ones(2, 3), t.ones(3), t.zeros(2), 0, t.qint8),
    "too few scales": lambda t: t.quantize_per_channel(t.ones(2, 3), t.ones(2), t.zeros(2), 1, t.qint8),
    "no such axis": lambda t: t.quantize_per_channel(t.ones(2, 3), t.ones(2), t.zeros(2), 2, t.qint8),
    "a scale of many": lambda t: t.quantize_per_channel(t.ones(2), t.ones(2), t.zeros(2), 0, t.qint8).q_scale(),
    "scales of one": lambda t: t.quantize_per_tensor(t.ones(2), 0.1, 0, t.qint8).q_per_channel_scales(),
    "integers of an ordinary tensor": lambda t: t.int_repr(t.ones(2)),
    "arithmetic": lambda t: (
        t.quantize_per_tensor(t.ones(2), 0.1, 0, t.qint8) + t.quantize_per_tensor(t.ones(2), 0.1, 0, t.qint8)
    ),
    "numpy": lambda t: t.quantize_per_tensor(t.ones(2), 0.1, 0, t.qint8).numpy(),
    "fake: integers": lambda t: t.fake_quantize_per_tensor_affine(t.ones(2).long(), 0.1, 0, 0, 255),
    "fake: an empty grid": lambda t: t.fake_quantize_per_tensor_affine(t.ones(2), 0.1, 0, 5, 1),
    "fake: a zero point outside": lambda t: t.fake_quantize_per_tensor_affine(t.ones(2), 0.1, 300, 0, 255),
    "fake: other lengths": lambda t: t.fake_quantize_per_channel_affine(
        t.ones(2, 3), t.ones(3), t.zeros(3, dtype=t.int32), 0, 0, 255
    ),
    "fake: zero points of int64": lambda t: t.fake_quantize_per_channel_affine(
        t.ones(2, 3), t.ones(2), t.zeros(2, dtype=t.int64), 0, 0, 255
    ),
    "fake: zero points outside": lambda t: t.fake_quantize_per_channel_affine(
        t.ones(2, 3), t.ones(2), t.tensor([300, 0], dtype=t.int32), 0, 0, 255
    ).tolist(),
    "fake: no such axis": lambda t: t.fake_quantize_per_channel_affine(
        t.ones(2, 3), t.ones(2), t.zeros(2, dtype=t.int32), 2, 0, 255
    ),
    "fake: an axis from behind": lambda t: t.fake_quantize_per_channel_affine(
        t.ones(2, 3), t.ones(2), t.zeros(2, dtype=t.int32), -2, 0, 255
    ),
}


@pytest.mark.parametrize("name", _ERRORS)
def test_errors(name: str) -> None:
    expected = raised(lambda: _ERRORS[name](torch))
    assert expected != "nothing raised"
    assert raised(lambda: _ERRORS[name](lazygrad)) == expected


def test_quantized_tensors_are_copied_and_pickled() -> None:
    q = lazygrad.quantize_per_tensor(lazygrad.ones(3), 0.5, 1, lazygrad.qint8)
    for other in (copy.deepcopy(q), pickle.loads(pickle.dumps(q))):
        assert other.dtype is lazygrad.qint8
        assert other.int_repr().tolist() == [3, 3, 3]
        assert other.dequantize().tolist() == [1.0, 1.0, 1.0]


def test_several_are_dequantized_together() -> None:
    q = lazygrad.quantize_per_tensor(lazygrad.ones(3), 0.5, 1, lazygrad.qint8)
    assert [part.tolist() for part in lazygrad.dequantize([q, q[:1]])] == [[1.0, 1.0, 1.0], [1.0]]
    assert lazygrad.dequantize(lazygrad.ones(1)).tolist() == [1.0]


def test_training_with_a_grid_plans_once() -> None:
    layer, optimizer_rate, data = lazygrad.nn.Linear(4, 2), 0.1, lazygrad.rand(8, 4)
    optimizer = lazygrad.optim.SGD(layer.parameters(), lr=optimizer_rate)

    def step(scale: float) -> float:
        weight = lazygrad.fake_quantize_per_tensor_affine(layer.weight, scale, 0, -8, 7)
        loss = (lazygrad.nn.functional.linear(data, weight, layer.bias) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    first = step(0.11)
    step(0.12)
    before = lazygrad.cache_info().misses
    losses = [step(0.1 + 0.001 * k) for k in range(5)]
    assert lazygrad.cache_info().misses == before
    assert losses[-1] < first
