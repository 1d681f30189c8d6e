"""Random numbers are drawn in the order in which PyTorch's tensors lie in memory, elementwise results included."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from lazygrad.ir.memory_format import memory_order
from lazygrad.ir.view import View
from lazygrad.ops.arguments.memory_strides import view_in_pytorch
from tests.oracle.comparing import assert_alike
from tests.selection import share

pytestmark = pytest.mark.host_memory("the masks of other devices are drawn inside graphs, by Philox")

Step = Callable[[Any, Any], Any]

_STEPS: list[Step] = [
    lambda t, x: x + 1, lambda t, x: 2 * x, lambda t, x: 1 - x, lambda t, x: x.relu(), lambda t, x: -x,
    lambda t, x: t.nn.functional.gelu(x), lambda t, x: t.nn.functional.silu(x), lambda t, x: x.sigmoid(),
    lambda t, x: x.tanh(), lambda t, x: x / 3, lambda t, x: x**2, lambda t, x: x.clamp(-1, 1),
    lambda t, x: t.nn.functional.hardswish(x), lambda t, x: x.clone(), lambda t, x: x.contiguous(),
    lambda t, x: x.double().float(), lambda t, x: x.detach(), lambda t, x: t.where(x > 0, x, 0.0),
    lambda t, x: x.softmax(-1), lambda t, x: x.cumsum(0), lambda t, x: x.flip(0), lambda t, x: x * x.sigmoid(),
    lambda t, x: t.nn.functional.layer_norm(x, x.shape[-1:]), lambda t, x: x - x.mean(-1, keepdim=True),
    lambda t, x: t.nn.functional.dropout(x, 0.5), lambda t, x: (x + 1).mul_(2), lambda t, x: x.lerp(x * 2, 0.3),
    lambda t, x: t.nn.functional.logsigmoid(x), lambda t, x: t.maximum(x, x * 0), lambda t, x: t.addcmul(x, x, x),
    lambda t, x: t.nn.functional.normalize(x, dim=-1), lambda t, x: x + t.nn.functional.softplus(x),
]  # fmt: skip


def _numbers(t: Any, shape: list[int]) -> Any:
    count = 1
    for size in shape:
        count *= size
    return (t.arange(float(count)).reshape(shape) - 3) / 2


def _inverse(order: list[int]) -> list[int]:
    return [order.index(axis) for axis in range(len(order))]


def _drawn_step(draw: random.Random, shape: list[int]) -> tuple[Step, list[int]]:
    """A step of a program for a tensor of ``shape``, and the shape after it."""
    rank, kind = len(shape), draw.random()
    axis, order = draw.randrange(rank), draw.sample(range(rank), rank)
    if kind < 0.5:
        return draw.choice(_STEPS), shape
    if kind < 0.65:
        return lambda t, x: x.permute(order), [shape[axis] for axis in order]
    if kind < 0.7:
        length = draw.randint(1, shape[axis])
        return lambda t, x: x.narrow(axis, 0, length), [*shape[:axis], length, *shape[axis + 1 :]]
    if kind < 0.74 and rank < 5:
        return lambda t, x: x.unsqueeze(axis), [*shape[:axis], 1, *shape[axis:]]
    if kind < 0.76:
        counts = [draw.choice([1, 1, 2]) for _ in shape]
        return lambda t, x: x.repeat(counts), [count * size for count, size in zip(counts, shape, strict=True)]
    if kind < 0.78:
        again = [*shape[:axis], 2 * shape[axis], *shape[axis + 1 :]]
        wide = [*shape[:axis], 2, *shape[axis:]]
        return lambda t, x: x.unsqueeze(axis).expand(wide).reshape(again), again
    if kind < 0.83 and axis + 1 < rank:
        joined = [*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]]
        return lambda t, x: x.flatten(axis, axis + 1), joined
    is_first = draw.random() < 0.5
    if kind < 0.9:
        other = [size if draw.random() < 0.7 else 1 for size in shape][draw.choice([0, 0, 1]) if rank > 1 else 0 :]
        return lambda t, x: _numbers(t, other) * x if is_first else x + _numbers(t, other), shape

    def with_permuted(t: Any, x: Any) -> Any:
        operand = _numbers(t, [shape[axis] for axis in order]).permute(_inverse(order))
        return operand + x if is_first else x * operand

    return with_permuted, shape


@pytest.mark.parametrize("seed", range(share(600)))
def test_random_programs_lie_in_memory_as_in_torch(seed: int, torch: Any, candidate: Any) -> None:
    draw = random.Random(seed)
    start = shape = [draw.choice([1, 2, 3, 4, 5]) for _ in range(draw.choice([2, 3, 3, 4]))]
    steps = []
    for _ in range(draw.randint(2, 7)):
        step, shape = _drawn_step(draw, shape)
        steps.append(step)
    orders = []
    for t in (torch, candidate):
        x = _numbers(t, start)
        for step in steps:
            x = step(t, x)
        view = view_in_pytorch(x) if t is candidate else View(tuple(x.shape), x.stride())
        orders.append([axis for axis in memory_order(view) if view.shape[axis] > 1])
    assert orders[0] == orders[1]


def _turned(t: Any) -> Any:
    return t.arange(24.0).reshape(2, 3, 4).transpose(1, 2) / 24


def _image(t: Any) -> Any:
    return t.arange(48.0).reshape(2, 3, 2, 4).contiguous(memory_format=t.channels_last)


class _Mixing:
    """A block as SegFormer has them: tokens seen as an image whose channels are last, and back."""

    def __init__(self, t: Any) -> None:
        t.manual_seed(0)
        self.t, self.inner = t, t.nn.Linear(6, 8)
        self.depthwise = t.nn.Conv2d(8, 8, 3, padding=1, groups=8)

    def __call__(self, tokens: Any) -> Any:
        functional = self.t.nn.functional
        x = self.inner(tokens)
        image = self.depthwise(x.transpose(1, 2).view(-1, 8, 4, 4))
        return functional.dropout(functional.gelu(image.flatten(2).transpose(1, 2)), 0.4)


def _flowing(t: Any) -> Any:
    """Channels first for convolutions, last for what is normalized, as text encoders of speech models have it."""
    t.manual_seed(0)
    convolution, norm = t.nn.Conv1d(3, 3, 3, padding=1), t.nn.LayerNorm(3)
    x = t.arange(24.0).reshape(2, 3, 4) / 24
    for _ in range(2):
        y = t.nn.functional.dropout(t.relu(convolution(x)), 0.3)
        x = norm((x + y).transpose(1, -1)).transpose(1, -1)
        x = t.nn.functional.dropout(x * 2 + 1, 0.3)
    return x


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "dropout": lambda t: t.nn.functional.dropout(_turned(t) + 1),
    "dropout of what is written to": lambda t: t.nn.functional.dropout((_turned(t) + 1).mul_(3)),
    "dropout beside a filled tensor": lambda t: t.nn.functional.dropout(t.ones(2, 4, 3) + _turned(t)),
    "dropout in place": lambda t: t.nn.functional.dropout(_turned(t) + 1, inplace=True),
    "dropout twice": lambda t: t.nn.functional.dropout(t.nn.functional.dropout(_turned(t) + 1).relu()),
    "dropout of a part": lambda t: t.nn.functional.dropout((_turned(t) + 1)[:, 1:]),
    "dropout of a row-major copy": lambda t: t.nn.functional.dropout((_turned(t) + 1).contiguous()),
    "dropout of a view without gaps": lambda t: t.nn.functional.dropout((_turned(t) + 1).transpose(1, 2)),
    "alpha dropout": lambda t: t.nn.functional.alpha_dropout(_turned(t) + 1, 0.5, True),
    "channels": lambda t: t.nn.functional.dropout1d(_turned(t) + 1),
    "rand_like": lambda t: t.rand_like(_turned(t) * 2),
    "randn_like": lambda t: t.randn_like(_turned(t) * 2),
    "randint_like": lambda t: t.randint_like(_turned(t) * 2, 9),
    "filled in place": lambda t: (_turned(t) * 2).uniform_(),
    "empty_like": lambda t: t.empty_like(_turned(t).exp()).normal_(),
    "empty_like, channels last": lambda t: t.empty_like(_image(t)).normal_(),
    "dropout, channels last": lambda t: t.nn.functional.dropout(_image(t) + 1),
    "bernoulli": lambda t: t.bernoulli(_turned(t) * 1),
    "with its gradient": lambda t: _gradient(t),
    "a block of SegFormer": lambda t: _Mixing(t)(t.arange(192.0).reshape(2, 16, 6) / 192),
    "convolutions and norms": _flowing,
}


def _gradient(t: Any) -> Any:
    x = t.arange(24.0).reshape(2, 3, 4).requires_grad_()
    t.nn.functional.dropout(x.transpose(1, 2) * 2).square().sum().backward()
    return x.grad


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_go_where_torch_puts_them(name: str, torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> Any:
        t.manual_seed(3)
        return PROGRAMS[name](t).detach().contiguous()

    assert_alike(outcome, torch, candidate)


def test_long_chains_are_walked_once(candidate: Any) -> None:
    """Each draw asks for the order of all that was recorded before it."""
    x = candidate.ones(2, 3).t() + 1
    for _ in range(3000):
        x = x + 1
    assert view_in_pytorch(x).shape == (3, 2)
