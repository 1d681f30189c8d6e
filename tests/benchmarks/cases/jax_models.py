"""The models of `models` in plain jax.numpy; see `jax_layers`."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from tests.benchmarks.cases.jax_layers import Model, Tree
from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import initial


class MLP(Model):
    def __init__(self, framework: Framework, widths: tuple[int, ...]) -> None:
        super().__init__(framework)
        self.layers = [str(2 * index) for index in range(len(widths) - 1)]
        for name, inputs, outputs in zip(self.layers, widths[:-1], widths[1:], strict=True):
            self.add_linear(name, inputs, outputs)

    def __call__(self, parameters: Tree, statistics: Tree, inputs: Any) -> tuple[Any, Tree]:
        *hidden, last = self.layers
        x = inputs
        for name in hidden:
            x = self.jax.nn.relu(self.linear(parameters, name, x))
        return self.linear(parameters, last, x), statistics


class CNN(Model):
    """Takes images with channels last; its linear layer reads the features as torch flattens them."""

    def __init__(self, framework: Framework, channels: tuple[int, int], pixels: int, classes: int) -> None:
        super().__init__(framework)
        for first_layer, inputs, outputs in ((0, 1, channels[0]), (4, *channels)):
            self.add_filters(str(first_layer), inputs, outputs)
            self.add_batch_norm(str(first_layer + 1), outputs)
        self.add_linear("9", channels[1] * (pixels // 4) ** 2, classes)

    def __call__(self, parameters: Tree, statistics: Tree, inputs: Any) -> tuple[Any, Tree]:
        statistics, x = dict(statistics), inputs
        for first_layer in (0, 4):
            x = self.convolution(parameters, str(first_layer), x)
            x = self.pool(self.jax.nn.relu(self.batch_norm(parameters, statistics, str(first_layer + 1), x)))
        flat = x.transpose(0, 3, 1, 2).reshape(x.shape[0], -1)
        return self.linear(parameters, "9", flat), statistics


class GPT(Model):
    def __init__(
        self, framework: Framework, vocabulary: int, context: int, width: int, heads: int, blocks: int
    ) -> None:
        super().__init__(framework)
        self.heads, self.blocks = heads, [f"blocks.{index}" for index in range(blocks)]
        self.add_embedding("characters", vocabulary, width)
        self.add_embedding("positions", context, width)
        for block in self.blocks:
            for name, inputs, outputs in (
                ("query_key_value", width, 3 * width),
                ("attention_output", width, width),
                ("mlp.0", width, 4 * width),
                ("mlp.2", 4 * width, width),
            ):
                self.add_linear(f"{block}.{name}", inputs, outputs)
            self.add_norm(f"{block}.attention_norm", width)
            self.add_norm(f"{block}.mlp_norm", width)
        self.add_norm("norm", width)
        self.add_linear("output", width, vocabulary)

    def __call__(self, parameters: Tree, statistics: Tree, inputs: Any) -> tuple[Any, Tree]:
        x = parameters["characters.weight"][inputs] + parameters["positions.weight"]
        for block in self.blocks:
            x = x + self.attention(parameters, block, self.layer_norm(parameters, f"{block}.attention_norm", x))
            hidden = self.linear(parameters, f"{block}.mlp.0", self.layer_norm(parameters, f"{block}.mlp_norm", x))
            x = x + self.linear(parameters, f"{block}.mlp.2", self.jax.nn.gelu(hidden, approximate=False))
        return self.linear(parameters, "output", self.layer_norm(parameters, "norm", x)), statistics

    def attention(self, parameters: Tree, block: str, x: Any) -> Any:
        batch, context, width = x.shape
        projected = self.linear(parameters, f"{block}.query_key_value", x)
        shape = (batch, context, self.heads, width // self.heads)
        query, key, value = (part.reshape(shape) for part in self.lib.split(projected, 3, axis=-1))
        scores = self.lib.einsum("bqhd,bkhd->bhqk", query, key) / sqrt(width // self.heads)
        past = self.lib.tril(self.lib.ones((context, context), bool))
        weights = self.jax.nn.softmax(self.lib.where(past, scores, -np.inf), axis=-1)
        mixed = self.lib.einsum("bhqk,bkhd->bqhd", weights, value).reshape(batch, context, width)
        return self.linear(parameters, f"{block}.attention_output", mixed)


class LSTM(Model):
    """The loop over time is a ``scan``; all inputs are projected before it."""

    def __init__(self, framework: Framework, features: int, hidden: int, classes: int) -> None:
        super().__init__(framework)
        self.hidden = hidden
        self.add_linear("from_input", features, 4 * hidden)
        self.add_linear("from_hidden", hidden, 4 * hidden, bias=False)
        self.add_linear("output", hidden, classes)

    def __call__(self, parameters: Tree, statistics: Tree, inputs: Any) -> tuple[Any, Tree]:
        sigmoid, tanh = self.jax.nn.sigmoid, self.lib.tanh

        def cell(carried: tuple[Any, Any], projected: Any) -> tuple[tuple[Any, Any], None]:
            state, memory = carried
            gates = projected + self.linear(parameters, "from_hidden", state)
            enter, forget, candidate, leave = self.lib.split(gates, 4, axis=1)
            memory = sigmoid(forget) * memory + sigmoid(enter) * tanh(candidate)
            return (sigmoid(leave) * tanh(memory), memory), None

        zeros = self.lib.zeros((inputs.shape[0], self.hidden))
        projected = self.linear(parameters, "from_input", inputs.transpose(1, 0, 2))
        (state, _), _ = self.jax.lax.scan(cell, (zeros, zeros), projected)
        return self.linear(parameters, "output", state), statistics


class UNet(Model):
    DOUBLES = (("down1", 3, 1), ("down2", 1, 2), ("bottom", 2, 4), ("merge2", 4, 2), ("merge1", 2, 1))
    """Name, inputs and outputs; the channels in multiples of the width, but for the image's three."""

    def __init__(self, framework: Framework, width: int) -> None:
        super().__init__(framework)
        for name, inputs, outputs in self.DOUBLES:
            self.add_filters(f"{name}.0", inputs if name == "down1" else inputs * width, outputs * width)
            self.add_filters(f"{name}.2", outputs * width, outputs * width)
        for name, inputs, outputs in (("up2", 4 * width, 2 * width), ("up1", 2 * width, width)):
            self.add(f"{name}.weight", initial(f"{name}.weight", (inputs, outputs, 2, 2)))
        self.add_filters("output", width, 1, kernel=1)

    def __call__(self, parameters: Tree, statistics: Tree, inputs: Any) -> tuple[Any, Tree]:
        level1 = self.double(parameters, "down1", inputs)
        level2 = self.double(parameters, "down2", self.pool(level1))
        bottom = self.double(parameters, "bottom", self.pool(level2))
        join = self.lib.concatenate
        level2 = self.double(parameters, "merge2", join([self.up(parameters, "up2", bottom), level2], -1))
        merged = self.double(parameters, "merge1", join([self.up(parameters, "up1", level2), level1], -1))
        return self.convolution(parameters, "output", merged), statistics

    def double(self, parameters: Tree, name: str, x: Any) -> Any:
        for layer in (f"{name}.0", f"{name}.2"):
            x = self.jax.nn.relu(self.convolution(parameters, layer, x))
        return x

    def up(self, parameters: Tree, name: str, x: Any) -> Any:
        """Windows of a 2×2 transposed convolution of stride 2 do not overlap: it is one product."""
        filters = parameters[f"{name}.weight"]
        images, height, width, _ = x.shape
        windows = self.lib.einsum("nhwc,coij->nhiwjo", x, filters)
        return windows.reshape(images, 2 * height, 2 * width, filters.shape[1])


class ResNet(Model):
    def __init__(self, framework: Framework, width: int, classes: int) -> None:
        super().__init__(framework)
        self.add_normalized("0", 3, width)
        self.blocks = (("2", width, width, 1), ("3", width, 2 * width, 2), ("4", 2 * width, 4 * width, 2))
        for name, inputs, outputs, stride in self.blocks:
            self.add_normalized(f"{name}.first", inputs, outputs)
            self.add_normalized(f"{name}.second", outputs, outputs)
            if stride > 1:
                self.add_normalized(f"{name}.shortcut", inputs, outputs, kernel=1)
        self.add_linear("7", 4 * width, classes)

    def add_normalized(self, name: str, inputs: int, outputs: int, kernel: int = 3) -> None:
        self.add_filters(f"{name}.0", inputs, outputs, kernel, bias=False)
        self.add_batch_norm(f"{name}.1", outputs)

    def __call__(self, parameters: Tree, statistics: Tree, inputs: Any) -> tuple[Any, Tree]:
        statistics, relu = dict(statistics), self.jax.nn.relu

        def normalized(name: str, x: Any, stride: int = 1) -> Any:
            x = self.convolution(parameters, f"{name}.0", x, stride)
            return self.batch_norm(parameters, statistics, f"{name}.1", x)

        x = relu(normalized("0", inputs))
        for name, _, _, stride in self.blocks:
            shortcut = normalized(f"{name}.shortcut", x, stride) if stride > 1 else x
            x = relu(normalized(f"{name}.second", relu(normalized(f"{name}.first", x, stride))) + shortcut)
        return self.linear(parameters, "7", x.mean((1, 2))), statistics
