"""What several families of networks share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from lazygrad import nn
from lazygrad.tensor import Tensor


def _make_divisible(v: float, divisor: int, min_value: int | None = None) -> int:
    """The multiple of ``divisor`` nearest to ``v`` that is not below 90 % of it, nor below ``min_value``."""
    nearest = max(divisor if min_value is None else min_value, int(v + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * v else nearest


def initialize(
    model: nn.Module,
    convolution: Callable[[Tensor], Any] | None = None,
    linear: Callable[[Tensor], Any] | None = None,
) -> None:
    """Draws the weights of convolutions and of linear layers anew, in the order of ``model.modules()``.

    Args:
        model: whose layers.
        convolution, linear: what is done to their weights; None keeps the layers' own draws, biases included.
    """
    for module in model.modules():
        draw = convolution if isinstance(module, nn.Conv2d) else linear if isinstance(module, nn.Linear) else None
        if draw is None:
            continue
        draw(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def kaiming_fan_out(weight: Tensor) -> None:
    """He et al., arXiv:1502.01852, by the number of outputs."""
    nn.init.kaiming_normal_(weight, mode="fan_out", nonlinearity="relu")


def normal_0_01(weight: Tensor) -> None:
    nn.init.normal_(weight, 0, 0.01)


def truncated_0_02(weight: Tensor) -> None:
    nn.init.trunc_normal_(weight, std=0.02)


class IntermediateLayerGetter(nn.ModuleDict):
    """The first children of a network, one after the other; calling it gives what some of them return.

    Args:
        model: whose children are called in their order, each with the result of the one before.
        return_layers: names of children, and under which name their results are returned.

    Raises:
        ValueError: there is no such child.
    """

    def __init__(self, model: nn.Module, return_layers: Mapping[str, str]) -> None:
        children = dict(model.named_children())
        if not set(return_layers) <= set(children):
            raise ValueError("return_layers are not present in model")
        last = max((list(children).index(name) for name in return_layers), default=0)
        super().__init__(OrderedDict(list(children.items())[: last + 1]))
        self.return_layers = return_layers

    def forward(self, x: Tensor) -> OrderedDict[str, Tensor]:
        found: OrderedDict[str, Tensor] = OrderedDict()
        for name, module in self.items():
            x = module(x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found
