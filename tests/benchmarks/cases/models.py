"""Models in PyTorch's words, for either framework; all contenders start from the parameters of `inputs.initial`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.benchmarks.frameworks import Framework
from tests.benchmarks.inputs import initial


def _initialized(framework: Framework, model: Any) -> Any:
    """The model, its parameters replaced by those that every contender starts from."""
    shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    model.load_state_dict({n: framework.tensor(initial(n, shape)) for n, shape in shapes.items()}, strict=False)
    return model


def mlp(framework: Framework, widths: tuple[int, ...]) -> Any:
    """Linear layers of these widths with ReLU between them, [batch, widths[0]] → [batch, widths[-1]]."""
    nn = framework.nn
    layers: list[Any] = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return _initialized(framework, nn.Sequential(*layers[:-1]))


def cnn(framework: Framework, channels: tuple[int, int], pixels: int, classes: int) -> Any:
    """Twice convolution, batch normalization, ReLU, pooling; then linear. [batch, 1, pixels, pixels] → logits."""
    nn = framework.nn

    def stage(inputs: int, outputs: int) -> list[Any]:
        return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]

    first, second = channels
    output = nn.Linear(second * (pixels // 4) ** 2, classes)
    return _initialized(framework, nn.Sequential(*stage(1, first), *stage(first, second), nn.Flatten(), output))


def gpt(framework: Framework, vocabulary: int, context: int, width: int, heads: int, blocks: int) -> Any:
    """Pre-norm transformer with learned positions, [batch, context] → [batch, context, vocabulary]."""
    lib, nn = framework.lib, framework.nn

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention_norm = nn.LayerNorm(width)
            self.query_key_value = nn.Linear(width, 3 * width)
            self.attention_output = nn.Linear(width, width)
            self.mlp_norm = nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def attention(self, x: Any) -> Any:
            split = [part.unflatten(2, (heads, -1)).transpose(1, 2) for part in self.query_key_value(x).split(width, 2)]
            mixed = nn.functional.scaled_dot_product_attention(*split, is_causal=True)
            return self.attention_output(mixed.transpose(1, 2).flatten(2))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.attention_norm(x))
            return x + self.mlp(self.mlp_norm(x))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.characters = nn.Embedding(vocabulary, width)
            self.positions = nn.Embedding(context, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(blocks)))
            self.norm = nn.LayerNorm(width)
            self.output = nn.Linear(width, vocabulary)

        def forward(self, characters: Any) -> Any:
            x = self.characters(characters) + self.positions(lib.arange(context))
            return self.output(self.norm(self.blocks(x)))

    return _initialized(framework, GPT())


def lstm(framework: Framework, features: int, hidden: int, classes: int) -> Any:
    """A cell applied step by step, [batch, time, features] → logits [batch, classes] of the last state."""
    lib, nn = framework.lib, framework.nn

    class LSTM(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.from_input = nn.Linear(features, 4 * hidden)
            self.from_hidden = nn.Linear(hidden, 4 * hidden, bias=False)
            self.output = nn.Linear(hidden, classes)

        def cell(self, x: Any, state: Any, memory: Any) -> tuple[Any, Any]:
            enter, forget, candidate, leave = (self.from_input(x) + self.from_hidden(state)).chunk(4, dim=1)
            memory = forget.sigmoid() * memory + enter.sigmoid() * candidate.tanh()
            return leave.sigmoid() * memory.tanh(), memory

        def forward(self, sequence: Any) -> Any:
            state = memory = lib.zeros(sequence.shape[0], hidden)
            for x in sequence.unbind(1):
                state, memory = self.cell(x, state, memory)
            return self.output(state)

    return _initialized(framework, LSTM())


def library_lstm(framework: Framework, features: int, hidden: int, classes: int) -> Any:
    """torch's own ``nn.LSTM`` with the parameters of `lstm`; its second bias stays zero."""
    nn = framework.nn

    class LSTM(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.recurrent = nn.LSTM(features, hidden, batch_first=True)
            self.output = nn.Linear(hidden, classes)

        def forward(self, sequence: Any) -> Any:
            states, _ = self.recurrent(sequence)
            return self.output(states[:, -1])

    model = LSTM()
    ours = lstm(framework, features, hidden, classes)
    recurrent = model.recurrent
    sources = {
        recurrent.weight_ih_l0: ours.from_input.weight,
        recurrent.weight_hh_l0: ours.from_hidden.weight,
        recurrent.bias_ih_l0: ours.from_input.bias,
        model.output.weight: ours.output.weight,
        model.output.bias: ours.output.bias,
    }
    with framework.lib.no_grad():
        for target, source in sources.items():
            target.copy_(source)
        recurrent.bias_hh_l0.zero_()
    recurrent.bias_hh_l0.requires_grad_(False)
    return model


def unet(framework: Framework, width: int) -> Any:
    """Two levels down and up again with skips, [batch, 3, height, height] → [batch, 1, height, height] logits."""
    lib, nn = framework.lib, framework.nn

    def double(inputs: int, outputs: int) -> Any:
        first, second = nn.Conv2d(inputs, outputs, 3, padding=1), nn.Conv2d(outputs, outputs, 3, padding=1)
        return nn.Sequential(first, nn.ReLU(), second, nn.ReLU())

    class Up(nn.Module):
        """Doubles height and width by a transposed convolution of stride 2."""

        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(lib.zeros(inputs, outputs, 2, 2))

        def forward(self, x: Any) -> Any:
            return nn.functional.conv_transpose2d(x, self.weight, stride=2)

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down1, self.down2 = double(3, width), double(width, 2 * width)
            self.bottom = double(2 * width, 4 * width)
            self.up2, self.merge2 = Up(4 * width, 2 * width), double(4 * width, 2 * width)
            self.up1, self.merge1 = Up(2 * width, width), double(2 * width, width)
            self.output = nn.Conv2d(width, 1, 1)
            self.pool = nn.MaxPool2d(2)

        def forward(self, x: Any) -> Any:
            level1 = self.down1(x)
            level2 = self.down2(self.pool(level1))
            bottom = self.bottom(self.pool(level2))
            level2 = self.merge2(lib.cat([self.up2(bottom), level2], 1))
            return self.output(self.merge1(lib.cat([self.up1(level2), level1], 1)))

    return _initialized(framework, UNet())


def resnet(framework: Framework, width: int, classes: int) -> Any:
    """Three residual blocks at full, half and quarter size, [batch, 3, height, height] → logits [batch, classes]."""
    nn = framework.nn

    def convolution(inputs: int, outputs: int, stride: int = 1, kernel: int = 3) -> Any:
        layer = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        return nn.Sequential(layer, nn.BatchNorm2d(outputs))

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.first, self.second = convolution(inputs, outputs, stride), convolution(outputs, outputs)
            self.shortcut = convolution(inputs, outputs, stride, kernel=1) if stride > 1 else nn.Identity()
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.relu(self.second(self.relu(self.first(x))) + self.shortcut(x))

    stem = [convolution(3, width), nn.ReLU()]
    blocks = [Block(width, width, 1), Block(width, 2 * width, 2), Block(2 * width, 4 * width, 2)]
    layers = [*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * width, classes)]
    return _initialized(framework, nn.Sequential(*layers))
