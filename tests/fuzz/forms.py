"""Programs that need every form of kernel, for inputs of any extent, also 0 and 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import lazygrad as lg
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor

Form = Callable[[Tensor], Tensor]

EXTENTS = ((33, 17), (131, 2), (0, 4), (1, 1), (7, 13), (64, 65), (4, 0))

_ELEMENTS: list[Form] = [
    lambda x: lg.exp(-x.abs()) * 2 + 1,
    lambda x: x.half() * 3 - x.double().half(),
    lambda x: (x > 0) & (x.int() % 3 == 1),
    lambda x: x.t() + 1,
    lambda x: x.t() * x.flip(0).t() - x.flip(0, 1).t(),
    lambda x: x[::2] * 2 - x[::2].flip(1),
    lambda x: x[:, :1] * x[:1],
    lambda x: x.unsqueeze(1).expand(-1, 3, -1) * lg.arange(3.0).reshape(1, 3, 1),
    lambda x: x.diagonal() * 2,
    lambda x: F.dropout(x, 0.0) + lg.arange(x.shape[1]),
]
_MASKED: list[Form] = [
    lambda x: F.pad(x, (1, 2)) * 2,
    lambda x: F.pad(x, (0, 0, 2, 1), value=3.0) - F.pad(x, (0, 0, 0, 3)),
    lambda x: F.pad(x, (2, -1)).sum(1) if x.shape[1] else x,
    lambda x: F.pad(F.pad(x, (-1, 1)), (1, 1, 1, 1)).sum(0) if x.shape[1] else x,
    lambda x: F.pad(x.t(), (3, 0, 0, 1)) + 1,
    lambda x: lg.cat([x, x + 1, F.pad(x, (0, 0, 1, 0))], 0),
    lambda x: lg.tril(x, -1) - lg.triu(x),
]
_ROWS: list[Form] = [
    lambda x: lg.softmax(x, 1),
    lambda x: lg.softmax(x, 0),
    lambda x: x - x.amax(1, keepdim=True) if x.shape[1] else x,
    lambda x: x - x.amax(0) if x.shape[0] else x,
    lambda x: (x * x).sum(1).sqrt(),
    lambda x: x.half().sum(0),
    lambda x: lg.log_softmax(x.t(), 1),
    lambda x: F.layer_norm(x, (x.shape[1],)),
    lambda x: (x > 0).any(0),
    lambda x: x.int().sum(1),
    lambda x: lg.logsumexp(x.reshape(-1), 0) if x.numel() else x,
]
_TOTALS: list[Form] = [
    lambda x: x.sum(),
    lambda x: x.cumsum(0) * 2,
    lambda x: (x * 2).double().sum(),
    lambda x: (x - x.mean()).sum(0),
    lambda x: x.abs().amax() if x.numel() else x,
    lambda x: x.t().sum((0, 1)),
    lambda x: (x * x).prod(),
]


def _columns(x: Tensor) -> Tensor:
    """Sums of columns in the kernel that walks the rows: the gradients of weight and bias."""
    weight, bias = lg.ones(x.shape[1], requires_grad=True), lg.zeros(x.shape[1], requires_grad=True)
    normalized = F.layer_norm(x.detach().requires_grad_(), (x.shape[1],), weight, bias)
    gradients = lg.autograd.grad((normalized * x).sum(), [weight, bias])
    return lg.cat([*gradients])


PROGRAMS = [*_ELEMENTS, *_MASKED, *_ROWS, _columns, *_TOTALS]


def results(extent: tuple[int, int]) -> list[np.ndarray]:
    """What the programs make of an input of that extent, all of it computed by one plan."""
    numbers = np.random.default_rng(0).integers(-8, 8, extent).astype(np.float32) / 4
    x = lg.tensor(numbers).realize()
    tensors = [program(x) for program in PROGRAMS]
    lg.realize_all(tensors)
    return [tensor.numpy(force=True) for tensor in tensors]
