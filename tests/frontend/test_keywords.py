"""Arguments by PyTorch's names for them, which are others in a method than in the function, or by kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

Call = Callable[[Any, Any], Any]

CALLS: dict[str, Call] = {
    "split, a size": lambda f, x: x.split(split_size=2),
    "split, sizes": lambda f, x: x.split(split_size=[1, 2], dim=1),
    "split of the module": lambda f, x: f.split(x, split_size_or_sections=3),
    "split_with_sizes": lambda f, x: x.split_with_sizes(split_sizes=[1, 3]),
    "tensor_split, sections": lambda f, x: x.tensor_split(sections=3),
    "tensor_split, indices": lambda f, x: f.tensor_split(x, indices=[1, 3], dim=0),
    "tensor_split, a tensor": lambda f, x: x.tensor_split(tensor_indices_or_sections=f.tensor([1, 3])),
    "hsplit, sections": lambda f, x: x.hsplit(sections=3),
    "hsplit, indices": lambda f, x: f.hsplit(x, indices=[1]),
    "vsplit, sections": lambda f, x: f.vsplit(x, sections=2),
    "dsplit, indices": lambda f, x: x.reshape(2, 2, 3).dsplit(indices=[1]),
    "view, a dtype": lambda f, x: [x.view(dtype=f.int32)],
    "view, a size": lambda f, x: [x.view(size=(2, 6))],
    "resize_": lambda f, x: [x.clone().resize_(size=(2, 3))],
    "sum_to_size": lambda f, x: [x.sum_to_size(size=(1, 3))],
    "swapaxes_": lambda f, x: [x.clone().swapaxes_(axis0=0, axis1=1)],
    "uniform_": lambda f, x: [x.clone().uniform_(**{"from": 2, "to": 3})],
    "random_": lambda f, x: [x.clone().random_(**{"from": 2, "to": 9})],
    "linalg.norm": lambda f, x: [f.linalg.norm(x, axis=1, keepdims=True)],
    "linalg.vector_norm": lambda f, x: [f.linalg.vector_norm(x, ord=1, axis=0, keepdims=True)],
    "softmax": lambda f, x: [f.softmax(x, axis=1), x.softmax(axis=0), x.log_softmax(axis=0)],
    "cummax": lambda f, x: [*x.cummax(axis=0), *f.cummin(x, axis=1), x.logcumsumexp(axis=1)],
    "diff": lambda f, x: [x.diff(axis=1), f.trapezoid(x, axis=0), f.cumulative_trapezoid(x, axis=0)],
    "gradient": lambda f, x: f.gradient(x, axis=0),
    "select": lambda f, x: [x.select(axis=1, index=2), *x.unbind(axis=1), f.unbind_copy(x, axis=0)[0]],
    "unsqueeze_": lambda f, x: [x.clone().unsqueeze_(axis=1), x[:1].clone().squeeze_(axis=0)],
    "fft": lambda f, x: [f.fft.fft(x, axis=0), f.fft.rfft2(x, axis=(0, 1)), f.fft.fftshift(x, axis=1)],
    "random_ without end": lambda f, x: [x.clone().random_(**{"from": 2, "to": None})],
}


@pytest.mark.parametrize("name", CALLS)
def test_keywords_are_those_of_torch(name: str, torch: Any) -> None:
    results = []
    for framework in (lg, torch):
        framework.manual_seed(0)
        x = framework.arange(12, dtype=framework.float32).reshape(4, 3)
        results.append([part.numpy() for part in CALLS[name](framework, x)])
    assert len(results[0]) == len(results[1])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.split(2, split_size=2),
        lambda x: x.split(split_size=2, split_size_or_sections=2),
        lambda x: x.hsplit(),
        lambda x: x.hsplit(3, sections=3),
        lambda x: x.hsplit(sections=3, indices=[1]),
        lambda x: x.view(12, dtype=lg.int32),
        lambda x: x.view(lg.int32, 12),
        lambda x: x.view(size=(12,), dtype=lg.int32),
        lambda x: x.sum_to_size(1, 3, size=(1, 3)),
    ],
)
def test_one_argument_by_two_names_is_refused(call: Call) -> None:
    with pytest.raises(TypeError):
        call(lg.ones(4, 3))  # type: ignore[call-arg]
