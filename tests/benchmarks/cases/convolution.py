"""3×3 convolutions that keep size and number of channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.case import Case, Prepare, Program, Scale, Work, at, compiled, contenders
from tests.benchmarks.cases.stateless import forward_program, gradient_program
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import normal
from tests.benchmarks.layouts import channels_first, channels_last, filters_first, filters_last


class Size(NamedTuple):
    images: int
    channels: int
    pixels: int

    @property
    def elements(self) -> int:
        return self.images * self.channels * self.pixels**2

    def work(self, products: int) -> Work:
        """Forward is one product of images and filters; backward reads the cotangent too and makes two more."""
        filters = 9 * self.channels**2
        touched = 2 * self.elements + filters if products == 1 else 4 * self.elements + 2 * filters
        return Work(bytes=4 * touched, flops=2.0 * products * self.elements * 9 * self.channels)

    def arrays(self, scale: Scale) -> list[np.ndarray]:
        """Images, filters and the output's cotangent, in torch's layout."""
        images, channels, pixels = at(scale, tuple(self), (2, 3, 6))
        picture = (images, channels, pixels, pixels)
        return [normal(*picture), normal(channels, channels, 3, 3, seed=1), normal(*picture, seed=2)]


def _convolve(framework: Framework, images: Any, filters: Any) -> Any:
    return framework.nn.functional.conv2d(images, filters, padding=1)


def _jax_convolve(framework: Framework, images: Any, filters: Any) -> Any:
    """Channels last, the layout that XLA's convolutions on a CPU are made for."""
    layout = ("NHWC", "HWIO", "NHWC")
    return framework.jax.lax.conv_general_dilated(images, filters, (1, 1), "SAME", dimension_numbers=layout)


def _jax(prepare: Prepare, to_torch: Sequence[Callable[[Any], Any]]) -> Prepare:
    def jitted(framework: Framework, scale: Scale) -> Program:
        program = compiled(prepare)(framework, scale)
        as_torch = lambda outputs: [move(output) for move, output in zip(to_torch, outputs, strict=True)]  # noqa: E731
        return replace(program, as_torch=as_torch)

    return jitted


def _forward(size: Size) -> Case:
    def inputs(scale: Scale) -> list[np.ndarray]:
        return size.arrays(scale)[:2]

    def jax_inputs(scale: Scale) -> list[np.ndarray]:
        images, filters = inputs(scale)
        return [channels_last(images), filters_last(filters)]

    field = contenders(
        forward_program(_convolve, inputs), _jax(forward_program(_jax_convolve, jax_inputs), [channels_first])
    )
    return Case(f"conv2d_{size.pixels}", f"conv2d 3×3, {_title(size)}", field, size.work(1), target=0.9)


def _forward_and_backward(size: Size) -> Case:
    def jax_inputs(scale: Scale) -> list[np.ndarray]:
        images, filters, cotangent = size.arrays(scale)
        return [channels_last(images), filters_last(filters), channels_last(cotangent)]

    to_torch = [channels_first, channels_first, filters_first]
    field = contenders(
        gradient_program(_convolve, size.arrays), _jax(gradient_program(_jax_convolve, jax_inputs), to_torch)
    )
    title = f"conv2d 3×3 forward and backward, {_title(size)}"
    return Case(f"conv2d_{size.pixels}_backward", title, field, size.work(3), target=0.9, tolerance=3e-4)


def _title(size: Size) -> str:
    return "×".join(map(str, (*size, size.pixels)))


_SIZES = (Size(64, 32, 28), Size(16, 64, 56))
CASES = [case for size in _SIZES for case in (_forward(size), _forward_and_backward(size))]
