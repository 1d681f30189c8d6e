"""Layers in plain jax.numpy: parameters in a dictionary under torch's names, channels last.

Linear weights are stored [in, out] and filters [height, width, in, out], as is usual there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import initial
from tests.benchmarks.layouts import filters_last

Tree = dict[str, Any]


class Model:
    """Declares parameters while it is made, then maps ``(parameters, statistics, inputs)`` to output and statistics.

    Attributes:
        parameters: initial values by torch's names.
        statistics: running means and variances by the name of their layer.
    """

    def __init__(self, framework: Framework) -> None:
        self.jax, self.lib, self.tensor = framework.jax, framework.lib, framework.tensor
        self.parameters: Tree = {}
        self.statistics: Tree = {}

    def __call__(self, parameters: Tree, statistics: Tree, inputs: Any) -> tuple[Any, Tree]:
        raise NotImplementedError

    def add_linear(self, name: str, inputs: int, outputs: int, bias: bool = True) -> None:
        self.add(f"{name}.weight", initial(f"{name}.weight", (outputs, inputs)).T)
        if bias:
            self.add(f"{name}.bias", initial(f"{name}.bias", (outputs,)))

    def add_filters(self, name: str, inputs: int, outputs: int, kernel: int = 3, bias: bool = True) -> None:
        self.add(f"{name}.weight", filters_last(initial(f"{name}.weight", (outputs, inputs, kernel, kernel))))
        if bias:
            self.add(f"{name}.bias", initial(f"{name}.bias", (outputs,)))

    def add_norm(self, name: str, width: int) -> None:
        for kind in ("weight", "bias"):
            self.add(f"{name}.{kind}", initial(f"{name}.{kind}", (width,)))

    def add_batch_norm(self, name: str, channels: int) -> None:
        self.add_norm(name, channels)
        self.statistics[name] = (self.lib.zeros(channels), self.lib.ones(channels))

    def add_embedding(self, name: str, rows: int, width: int) -> None:
        self.add(f"{name}.weight", initial(f"{name}.weight", (rows, width)))

    def add(self, name: str, array: np.ndarray) -> None:
        self.parameters[name] = self.tensor(np.ascontiguousarray(array))

    def linear(self, parameters: Tree, name: str, x: Any) -> Any:
        y = x @ parameters[f"{name}.weight"]
        return y + parameters[f"{name}.bias"] if f"{name}.bias" in parameters else y

    def convolution(self, parameters: Tree, name: str, x: Any, stride: int = 1) -> Any:
        filters = parameters[f"{name}.weight"]
        padding = [(filters.shape[0] // 2,) * 2] * 2
        y = self.jax.lax.conv_general_dilated(
            x, filters, (stride, stride), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        return y + parameters[f"{name}.bias"] if f"{name}.bias" in parameters else y

    def pool(self, x: Any) -> Any:
        """Largest of 2×2, as the maximum of four strided slices: XLA's ``reduce_window`` is many times slower here."""
        rows = self.lib.maximum(x[:, ::2], x[:, 1::2])
        return self.lib.maximum(rows[:, :, ::2], rows[:, :, 1::2])

    def layer_norm(self, parameters: Tree, name: str, x: Any) -> Any:
        mean = x.mean(-1, keepdims=True)
        variance = self.lib.square(x - mean).mean(-1, keepdims=True)
        normalized = (x - mean) * self.jax.lax.rsqrt(variance + 1e-5)
        return normalized * parameters[f"{name}.weight"] + parameters[f"{name}.bias"]

    def batch_norm(self, parameters: Tree, statistics: Tree, name: str, x: Any) -> Any:
        """Normalizes by the batch's moments and puts the new running ones into ``statistics``."""
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        running_mean, running_variance = statistics[name]
        unbiased = variance * (x.size / x.shape[-1] / (x.size / x.shape[-1] - 1))
        statistics[name] = (0.9 * running_mean + 0.1 * mean, 0.9 * running_variance + 0.1 * unbiased)
        scale = parameters[f"{name}.weight"] * self.jax.lax.rsqrt(variance + 1e-5)
        return (x - mean) * scale + parameters[f"{name}.bias"]
