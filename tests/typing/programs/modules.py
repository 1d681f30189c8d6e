"""Modules of one's own: parameters, buffers, hooks and containers."""

import math
from collections.abc import Iterator
from typing import Any, assert_type

import lazygrad as lg
from lazygrad import Tensor, nn


class Scale(nn.Module):
    shift: Tensor

    def __init__(self, features: int, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(lg.ones(features))
        self.register_buffer("shift", lg.zeros(features))
        self.blocks = nn.ModuleList([nn.Linear(features, features) for _ in range(2)])
        self.reset()

    def reset(self) -> None:
        nn.init.kaiming_uniform_(self.blocks[0].weight, a=math.sqrt(5))
        with lg.no_grad():
            self.gain.fill_(1.0)

    def forward(self, x: Tensor) -> Tensor:
        x = x * lg.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        for block in self.blocks:
            x = x + block(x)
        return self.gain * x + self.shift


module = Scale(4)
assert_type(module.gain, nn.Parameter)
assert_type(module.gain.data.mul_(2), Tensor)
assert_type(module.eps, float)
assert_type(module.training, bool)
assert_type(module.parameters(), Iterator[nn.Parameter])
assert_type(module.to(lg.float64), Scale)
assert_type(module.eval(), Scale)
count = sum(parameter.numel() for parameter in module.parameters())
assert_type(count, int)


def report(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
    print(type(module).__name__, output.shape)


handle = module.register_forward_hook(report)
print(module(lg.randn(2, 4)))
handle.remove()
