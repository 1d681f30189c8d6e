"""`torch.nn.grad`, `torch.nn._reduction` and calls of several modules."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
import lazygrad.nn._reduction
import lazygrad.nn.grad
from lazygrad.nn.parallel.parallel_apply import get_a_var, parallel_apply
from lazygrad.nn.parallel.scatter_gather import scatter_kwargs


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def _numbers(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"), [(1, 0, 1, 1), (2, 1, 1, 2), (3, 2, 2, 1), (2, 1, 2, 4)]
)
def test_gradients_are_torchs(
    torch: ModuleType, dimensions: int, stride: int, padding: int, dilation: int, groups: int
) -> None:
    size, weight_size = (2, 4, *(9, 8, 7)[:dimensions]), (8, 4 // groups, *(3, 2, 1)[:dimensions])

    def run(t: Any) -> list[Any]:
        t_conv = getattr(t.nn.functional, f"conv{dimensions}d")
        x, weight = (t.tensor(_numbers(shape), requires_grad=True) for shape in (size, weight_size))
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        out = t_conv(x, weight, **options)
        grad_output = t.tensor(_numbers(tuple(out.shape)), requires_grad=True)
        by_input = getattr(t.nn.grad, f"conv{dimensions}d_input")(x.shape, weight, grad_output, **options)
        by_weight = getattr(t.nn.grad, f"conv{dimensions}d_weight")(x, weight.shape, grad_output, **options)
        (by_input.square().sum() + by_weight.square().sum()).backward()
        return [
            value.tolist() for value in (by_input.detach(), by_weight.detach(), x.grad, weight.grad, grad_output.grad)
        ]

    for ours, theirs in zip(run(lg), run(torch), strict=True):
        np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=1e-9, atol=1e-9)


def test_gradients_without_gradients() -> None:
    weight = lg.ones(1, 1, 2, requires_grad=True)
    assert lg.nn.grad.conv1d_input((1, 1, 3), weight, lg.ones(1, 1, 2)).requires_grad
    with lg.no_grad():
        found = lg.nn.grad.conv1d_input([1, 1, 3], weight, lg.ones(1, 1, 2))
    assert not found.requires_grad and found.tolist() == [[[1, 2, 1]]]
    with pytest.raises(RuntimeError, match="shape"):
        lg.nn.grad.conv1d_input((1, 1, 3), weight, lg.ones(1, 1, 5))


def _outcome(function: Any, *arguments: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except ValueError as error:
            return str(error)
    return result, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("word", ["none", "mean", "sum", "elementwise_mean", "batch"])
def test_numbers_of_reductions(torch: ModuleType, word: str) -> None:
    assert _outcome(lg.nn._reduction.get_enum, word) == _outcome(torch.nn._reduction.get_enum, word)


@pytest.mark.parametrize("size_average", [None, False, True])
@pytest.mark.parametrize("reduce", [None, False, True])
def test_former_words_of_reductions(torch: ModuleType, size_average: Any, reduce: Any) -> None:
    for name in ("legacy_get_string", "legacy_get_enum"):
        for warn in (True, False):
            ours, theirs = (getattr(t.nn._reduction, name) for t in (lg, torch))
            assert _outcome(ours, size_average, reduce, warn) == _outcome(theirs, size_average, reduce, warn)


def test_modules_are_called_with_their_inputs() -> None:
    layers = [lg.nn.Flatten(), lg.nn.Identity()]
    first, second = parallel_apply(layers, [lg.ones(2, 2, 2), (lg.zeros(1),)], devices=[None, None])
    assert first.shape == (2, 4) and second.tolist() == [0]
    with pytest.raises(AssertionError, match="The number of modules 2 is not equal to the number of inputs 1"):
        parallel_apply(layers, [lg.ones(1)])
    with pytest.raises(AssertionError, match="number of kwargs_tup 1"):
        parallel_apply(layers, [1, 2], [{}])


def test_the_first_tensor_of_an_argument(torch: ModuleType) -> None:
    from torch.nn.parallel.parallel_apply import get_a_var as theirs

    for t, function in ((lg, get_a_var), (torch, theirs)):
        x = t.ones(1)
        assert function([1, {"a": (x,)}]) is x and function({"a": 1}) is None and function(3) is None


def test_arguments_of_calls_are_spread() -> None:
    parts, named = scatter_kwargs((lg.arange(4), 3), {"scale": lg.ones(2)}, ["cpu", "cpu"])
    assert [(part[0].tolist(), part[1]) for part in parts] == [([0, 1], 3), ([2, 3], 3)]
    assert [each["scale"].tolist() for each in named] == [[1], [1]]
    assert scatter_kwargs((), {"flag": True}, ["cpu", "cpu"]) == (((), ()), ({"flag": True}, {"flag": True}))
    assert scatter_kwargs((), None, ["cpu"]) == ((), ())
