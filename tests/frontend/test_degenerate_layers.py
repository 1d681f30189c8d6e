"""Convolution, pooling and padding of degenerate shapes: results and gradients are PyTorch's, and so are refusals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.nn import functional as F
from tests.oracle.comparing import assert_alike

torch = pytest.importorskip("torch")

Extent = tuple[int, ...]


@dataclass(frozen=True)
class Layer:
    """One call of a function of `nn.functional` on tensors of these shapes."""

    name: str
    shapes: tuple[Extent, ...]
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        arguments = [*map(str, (*self.shapes, *self.arguments)), *(f"{k}={v}" for k, v in self.options.items())]
        return f"{self.name}({', '.join(arguments)})"


def convolution(name: str, *shapes: Extent, **options: Any) -> Layer:
    return Layer(name, shapes, (), options)


def layer(name: str, shape: Extent, *arguments: Any, **options: Any) -> Layer:
    return Layer(name, (shape,), arguments, options)


HUGE = 1 << 62

COMPUTED = [
    convolution("conv1d", (2, 0, 7), (4, 0, 2)),
    convolution("conv1d", (0, 7), (4, 0, 2), (4,)),
    convolution("conv2d", (2, 0, 5, 5), (4, 0, 3, 3), (4,), padding=1, stride=2),
    convolution("conv2d", (1, 0, 9, 9), (3, 0, 7, 7), padding=3),
    convolution("conv3d", (2, 0, 4, 5, 4), (4, 0, 2, 3, 2)),
    convolution("conv2d", (0, 2, 5, 5), (3, 2, 2, 2), (3,)),
    convolution("conv2d", (0, 2, 0, 5), (3, 2, 1, 2), padding=1),
    convolution("conv2d", (2, 3, 1, 1), (2, 3, 3, 3), padding=9, stride=9),
    convolution("conv2d", (2, 2, 5, 7), (4, 1, 1, 3), padding=(0, 5), dilation=(1, 7), groups=2),
    convolution("conv2d", (1, 2, 5, 5), (3, 2, 2, 2), stride=HUGE),
    convolution("conv2d", (1, 2, 5, 5), (3, 2, 1, 1), dilation=HUGE),
    convolution("conv2d", (2, 17, 5, 1), (17, 17, 2, 1), stride=(1, 3)),
    convolution("conv_transpose1d", (0, 2, 5), (2, 3, 2)),
    convolution("conv_transpose1d", (1, 2, 1), (2, 3, 2), stride=1000),
    convolution("conv_transpose2d", (2, 2, 1, 1), (2, 3, 3, 3), stride=7, padding=1),
    convolution("conv_transpose2d", (2, 3, 5, 4), (3, 2, 1, 1), dilation=2, output_padding=1),
    convolution("conv_transpose2d", (2, 4, 2, 3), (4, 2, 2, 2), stride=5, output_padding=4, groups=2),
    convolution("conv_transpose3d", (1, 1, 1, 1, 1), (1, 1, 1, 1, 1), stride=3),
    layer("max_pool1d", (0, 2, 7), 3),
    layer("max_pool2d", (2, 3, 1, 1), 1, stride=9),
    layer("max_pool2d", (1, 2, 7, 5), (7, 5)),
    layer("max_pool3d", (1, 1, 1, 2, 3), (1, 2, 3), padding=(0, 1, 1)),
    layer("avg_pool2d", (0, 2, 3, 3), 2, padding=1),
    layer("avg_pool2d", (2, 1, 7, 7), 2, stride=9, ceil_mode=True),
    layer("adaptive_avg_pool2d", (2, 3, 1, 5), (7, 1)),
    layer("adaptive_avg_pool1d", (0, 3, 5), 2),
    layer("adaptive_max_pool1d", (0, 4, 7), 3),
    layer("adaptive_max_pool2d", (0, 1, 1), (9, 1)),
    layer("interpolate", (0, 2, 3, 7), scale_factor=2.0),
    layer("unfold", (0, 2, 3, 3), 2),
    layer("pad", (1, 1, 7), [-9, 4], mode="replicate"),
    layer("pad", (1, 1, 7), [0, 2, 2, -3], mode="replicate"),
    layer("pad", (1, 3, 7), [0, 0, 2, -2], mode="replicate"),
    layer("pad", (2, 1, 7), [-8, 6], mode="reflect"),
    layer("pad", (2, 1, 7), [-5, 5], mode="reflect"),
    layer("pad", (0, 2, 3, 3), [-1, -1, -1, 0], mode="circular"),
    layer("pad", (1, 1, 2), [1, -3], mode="circular"),
    layer("pad", (3,), [-2, -1]),
    layer("pad", (0, 3), [1, 2, 2, 0], value=1.5),
]

REFUSED = [
    convolution("conv1d", (1, 2, 7), (4, 2, 0)),
    convolution("conv2d", (1, 2, 5, 5), (3, 2, 0, 2)),
    convolution("conv2d", (1, 2, 5, 5), (3, 2, 0, 0), dilation=5),
    convolution("conv3d", (1, 1, 3, 3, 3), (2, 1, 3, 0, 0)),
    convolution("conv_transpose2d", (1, 2, 5, 5), (2, 2, 0, 2)),
    convolution("conv_transpose1d", (2, 2, 3), (2, 2, 0), stride=9),
    convolution("conv1d", (1, 2, 7), (0, 2, 2)),
    convolution("conv2d", (1, 2, 5, 5), (0, 2, 2, 2), (0,)),
    convolution("conv2d", (0, 2, 5, 5), (0, 2, 2, 2)),
    convolution("conv2d", (1, 2, 5, 5), (1, 1, 2, 2), groups=2),
    convolution("conv_transpose2d", (2, 0, 3, 3), (0, 3, 2, 2)),
    convolution("conv_transpose1d", (1, 2, 5), (2, 0, 2)),
    convolution("conv_transpose2d", (1, 2, 5, 5), (2, 0, 2, 2), (0,)),
    convolution("conv_transpose3d", (1, 2, 5, 5, 5), (2, 0, 2, 2, 2)),
    convolution("conv2d", (1, 2, 0, 5), (3, 2, 1, 2), padding=1),
    convolution("conv_transpose2d", (1, 4, 7, 0), (4, 2, 1, 2), dilation=5),
    convolution("conv2d", (0, 2, 5, 5), (3, 2, 7, 2)),
    convolution("conv2d", (1, 0, 5, 5), (3, 0, 7, 2)),
    *[
        convolution("conv2d", (1, 2, 5, 5), (3, 2, 2, 2), **{name: value})
        for name, value in (("stride", 0), ("stride", -1), ("dilation", 0), ("dilation", -1), ("padding", -1),
                            ("groups", 0), ("groups", -1), ("padding", "full"), ("stride", (1, 2, 3)))
    ],
    convolution("conv_transpose2d", (1, 2, 5, 5), (2, 2, 2, 2), output_padding=1),
    convolution("conv_transpose2d", (1, 2, 5, 5), (2, 2, 2, 2), padding=9),
    *[
        layer("max_pool2d", (1, 2, 5, 5), *arguments, **options)
        for arguments, options in (((0,), {}), ((-1,), {}), ((2, 0), {}), ((2, -1), {}), ((2,), {"padding": 2}),
                                   ((2,), {"padding": -1}), ((2,), {"dilation": 0}), ((6,), {}))
    ],
    layer("avg_pool1d", (1, 2, 5), 0),
    layer("avg_pool2d", (1, 2, 5, 5), 2, 0),
    layer("avg_pool2d", (1, 2, 5, 5), 2, divisor_override=0),
    layer("avg_pool3d", (1, 4, 1, 2, 7), 5, padding=2),
    layer("lp_pool2d", (1, 2, 5, 5), 2.0, 0),
    layer("max_pool2d", (1, 0, 5, 5), 2),
    layer("max_pool2d", (1, 2, 0, 5), 2),
    layer("adaptive_max_pool2d", (1, 2, 0, 5), 2),
    layer("adaptive_avg_pool2d", (1, 4, 7, 0), (1, 9)),
    layer("adaptive_avg_pool3d", (1, 0, 2, 3, 3), 2),
    layer("adaptive_avg_pool2d", (1, 2, 3, 3), -1),
    layer("unfold", (1, 2, 5, 5), 0),
    layer("unfold", (1, 2, 5, 5), 2, stride=0),
    layer("fold", (1, 4, 4), 0, 2),
    layer("interpolate", (1, 2, 3, 3), size=0),
    layer("interpolate", (1, 2, 3, 3), scale_factor=0.1),
    layer("pad", (3,), [-2, -2]),
    layer("pad", (3,), [-5, 4]),
    layer("pad", (1, 1, 3, 0), [2, -1, 0, -1]),
    layer("pad", (2, 1, 7), [2, -9], mode="replicate"),
    layer("pad", (1, 1, 3), [3, 0], mode="reflect"),
    layer("pad", (1, 1, 3), [4, 0], mode="circular"),
    layer("pad", (1, 0, 3), [2, 1], mode="reflect"),
]  # fmt: skip


def computed(library: Any, functional: Any, call: Layer) -> list[Any]:
    """The result, and the gradients of its squares."""
    operands = []
    for seed, shape in enumerate(call.shapes):
        numbers = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
        operands.append(library.tensor(numbers, requires_grad=True))
    result = getattr(functional, call.name)(*operands, *call.arguments, **call.options)
    (result * result).sum().backward()
    return [result, *(operand.grad for operand in operands)]


@pytest.mark.parametrize("call", COMPUTED, ids=str)
def test_results_and_gradients_are_those_of_torch(call: Layer) -> None:
    assert_alike(lambda t: computed(t, t.nn.functional, call), torch, lg, slack=10.0)


@pytest.mark.parametrize("call", REFUSED, ids=str)
def test_what_torch_refuses_is_refused_with_the_same_class_of_error(call: Layer) -> None:
    with pytest.raises(Exception) as theirs:
        computed(torch, torch.nn.functional, call)
    with pytest.raises(theirs.type):
        computed(lg, F, call)
