"""The arithmetic and the memory of models, for their roofline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from tests.benchmarks.case import Work

FLOAT = 4
ADAM_ARRAYS = 6
"""Parameter and two moments, each read and written; a gradient need not leave the cache."""
SGD_ARRAYS = 2


@dataclass(frozen=True)
class Products:
    """Matrix products of a model's forward pass.

    Attributes:
        parameters: numbers in its weights and biases.
        flops: a multiplication and an addition being two.
    """

    parameters: int
    flops: float

    def __add__(self, other: Products) -> Products:
        return Products(self.parameters + other.parameters, self.flops + other.flops)

    def inference(self) -> Work:
        """Every parameter is read once."""
        return Work(bytes=FLOAT * self.parameters, flops=self.flops)

    def training(self, arrays_per_parameter: int = ADAM_ARRAYS) -> Work:
        """Backward makes two products of each forward one; activations stay in the cache."""
        return Work(bytes=FLOAT * arrays_per_parameter * self.parameters, flops=3 * self.flops)


def total(parts: Iterable[Products]) -> Products:
    return sum(parts, Products(0, 0.0))


def linear(rows: int, inputs: int, outputs: int) -> Products:
    return Products(inputs * outputs + outputs, 2.0 * rows * inputs * outputs)


def mlp(rows: int, widths: tuple[int, ...]) -> Products:
    return total(linear(rows, inputs, outputs) for inputs, outputs in pairwise(widths))


def convolution(images: int, pixels: int, inputs: int, outputs: int, kernel: int = 3) -> Products:
    """``pixels`` is height and width of the output."""
    weights = inputs * outputs * kernel**2
    return Products(weights + outputs, 2.0 * images * pixels**2 * weights)


def gpt(batch: int, vocabulary: int, context: int, width: int, blocks: int) -> Products:
    """Scores and their mixing are two products of [context, width] for each sequence and block, unmasked."""
    rows = batch * context
    block = total(linear(rows, i * width, o * width) for i, o in ((1, 3), (1, 1), (1, 4), (4, 1)))
    attention = Products(4 * width, 4.0 * rows * context * width)
    embeddings = Products((vocabulary + context) * width, 0.0)
    return total([embeddings, linear(rows, width, vocabulary), *[block, attention] * blocks])
