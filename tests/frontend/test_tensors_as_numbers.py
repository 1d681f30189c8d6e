"""A tensor without dimensions where PyTorch takes a number of Python: its value counts, in each call anew."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

_X = np.random.default_rng(0).random((4, 6), dtype=np.float32)
_IMAGES = np.random.default_rng(1).random((2, 4, 6, 6), dtype=np.float32)
_V = np.random.default_rng(2).random(12, dtype=np.float32)

Call = Callable[[Any, Any, Any, Any, Any], Any]
"""Of a framework, a matrix, images, a vector, and 1, 2 or 3 as a tensor."""

CALLS: dict[str, Call] = {
    "kthvalue": lambda t, x, i, v, k: t.kthvalue(x, k).values,
    "topk": lambda t, x, i, v, k: t.topk(x, k).values,
    "narrow": lambda t, x, i, v, k: x.narrow(1, k, k),
    "roll": lambda t, x, i, v, k: t.roll(x, k, 1),
    "cumsum": lambda t, x, i, v, k: i.cumsum(k),
    "cumprod": lambda t, x, i, v, k: i.cumprod(k),
    "sum": lambda t, x, i, v, k: i.sum(k),
    "mean": lambda t, x, i, v, k: i.mean(dim=k),
    "prod": lambda t, x, i, v, k: i.prod(k),
    "std": lambda t, x, i, v, k: i.std(k),
    "correction of std": lambda t, x, i, v, k: x.std(correction=k - 1),
    "logsumexp": lambda t, x, i, v, k: i.logsumexp(k),
    "softmax": lambda t, x, i, v, k: i.softmax(k),
    "sort": lambda t, x, i, v, k: i.sort(k).values,
    "argmax": lambda t, x, i, v, k: i.argmax(k),
    "median": lambda t, x, i, v, k: i.median(k).values,
    "mode": lambda t, x, i, v, k: i.mode(k).values,
    "squeeze": lambda t, x, i, v, k: i[:, :, :1].squeeze(k),
    "stack": lambda t, x, i, v, k: t.stack([i, i], k),
    "split": lambda t, x, i, v, k: t.stack([part.sum() for part in v.split(k)]),
    "tril": lambda t, x, i, v, k: x.tril(k),
    "triu": lambda t, x, i, v, k: x.triu(k),
    "diag": lambda t, x, i, v, k: t.diag(x, k),
    "diagonal": lambda t, x, i, v, k: t.diagonal(x, k),
    "diag_embed": lambda t, x, i, v, k: t.diag_embed(v, k),
    "size of unfold": lambda t, x, i, v, k: v.unfold(0, k, 1),
    "step of unfold": lambda t, x, i, v, k: v.unfold(0, 2, k),
    "linspace": lambda t, x, i, v, k: t.linspace(0, 1, k),
    "one_hot": lambda t, x, i, v, k: t.nn.functional.one_hot(t.zeros(2, dtype=t.int64), k),
    "pad": lambda t, x, i, v, k: t.nn.functional.pad(x, (0, k)),
    "value of pad": lambda t, x, i, v, k: t.nn.functional.pad(x, (1, 1), value=k),
    "avg_pool2d": lambda t, x, i, v, k: t.nn.functional.avg_pool2d(i, k),
    "padding of conv2d": lambda t, x, i, v, k: t.nn.functional.conv2d(i, i[:1], padding=k),
    "stride of conv2d": lambda t, x, i, v, k: t.nn.functional.conv2d(i, i[:1, :, :2, :2], stride=k),
    "dilation of conv2d": lambda t, x, i, v, k: t.nn.functional.conv2d(i, i[:1, :, :2, :2], dilation=k),
    "pixel_shuffle": lambda t, x, i, v, k: t.nn.functional.pixel_shuffle(i[:, :1].repeat(1, 36, 1, 1), k),
    "group_norm": lambda t, x, i, v, k: t.nn.functional.group_norm(i[:, :1].repeat(1, 6, 1, 1), k),
    "eps of layer_norm": lambda t, x, i, v, k: t.nn.functional.layer_norm(x, (6,), eps=k),
    "hardshrink": lambda t, x, i, v, k: t.nn.functional.hardshrink(x * 4, k),
    "ignore_index": lambda t, x, i, v, k: t.nn.functional.cross_entropy(x, t.tensor([0, 1, 2, 3]), ignore_index=k),
    "label_smoothing": lambda t, x, i, v, k: t.nn.functional.cross_entropy(x, x.argmax(1), label_smoothing=k / 8),
    "norm": lambda t, x, i, v, k: x.norm(k),
    "vector_norm": lambda t, x, i, v, k: t.linalg.vector_norm(x, k),
    "renorm": lambda t, x, i, v, k: x.renorm(k, 0, 1.0),
    "cdist": lambda t, x, i, v, k: t.cdist(x, x + 1, k),
    "normalize": lambda t, x, i, v, k: t.nn.functional.normalize(x, p=k),
    "cosine_similarity": lambda t, x, i, v, k: t.nn.functional.cosine_similarity(i, i + 1, dim=k),
    "cross": lambda t, x, i, v, k: t.linalg.cross(i[:, :3, :3, :3], i[:, :3, :3, 1:4], dim=k),
    "fft": lambda t, x, i, v, k: t.fft.fft(x, n=k).abs(),
    "stft": lambda t, x, i, v, k: t.stft(v, 4, k, window=t.ones(4), return_complex=True).abs(),
    "normal": lambda t, x, i, v, k: t.normal(0, k, (3,)),
    "random_": lambda t, x, i, v, k: t.zeros(4).random_(k + 3),
    "exponential_": lambda t, x, i, v, k: t.empty(3).exponential_(k),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_each_call_takes_the_value_of_its_own(torch: Any, call: Call) -> None:
    def program(framework: Any) -> list[Any]:
        framework.manual_seed(0)
        arrays = [framework.tensor(array) for array in (_X, _IMAGES, _V)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [call(framework, *arrays, framework.tensor(k - 1) + 1) for k in (1, 2, 3, 2)]

    assert_alike(program, torch, lg, numbers=1e-5, floor=1e-5)


def test_padding_to_the_longest_of_a_batch() -> None:
    """As functions that collate samples do it, with lengths from a tensor."""
    padded = [lg.nn.functional.pad(lg.ones(3), (0, 5 - n)).shape[0] for n in lg.tensor([3, 5, 4, 2])]
    assert padded == [5, 3, 4, 6] and all(type(size) is int for size in padded)
