"""Small models whose reports the tests read, and what must hold in every report."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable

import lazygrad as lg
from lazygrad import nn
from lazygrad.inspect.report.model import Program, Value
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor

_SURROUNDS = re.compile(r"(def |\"\"\"|.* = scratch\(|for |\w+ = (min\(|\w+\[|buffer\d+)|$)")


class Net(nn.Module):
    """A residual layer, repeated."""

    def __init__(self, layers: int = 3) -> None:
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.blocks = nn.Sequential(*(nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(layers)))
        self.norm = nn.LayerNorm(8)

    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        return self.norm(h + self.blocks(h))


def regression() -> Tensor:
    """A loss, whose gradients are pending."""
    model = nn.Linear(6, 1)
    loss = F.mse_loss(model(lg.ones(4, 6)), lg.ones(4, 1))
    loss.backward()
    MODELS_ALIVE.append(model)
    return loss


def classifier() -> Tensor:
    net = Net()
    loss = F.cross_entropy(net(lg.ones(4, 6)), lg.tensor([0, 1, 2, 3]))
    loss.backward()
    MODELS_ALIVE.append(net)
    return loss


def convolution() -> Tensor:
    model = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    return model(lg.ones(2, 1, 8, 8)).sum()


def recurrence() -> Tensor:
    model = nn.LSTM(4, 5)
    output, _ = model(lg.ones(3, 2, 4))
    loss = output.square().mean()
    loss.backward()
    MODELS_ALIVE.append(model)
    return loss


def attention() -> Tensor:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    loss = layer(lg.ones(2, 5, 8)).sum()
    loss.backward()
    MODELS_ALIVE.append(layer)
    return loss


MODELS_ALIVE: list[nn.Module] = []  # gradients are computed for those who can ask for them
MODELS: dict[str, Callable[[], Tensor]] = {
    function.__name__: function for function in (regression, classifier, convolution, recurrence, attention)
}


def holds_together(program: Program) -> None:
    """Every link leads somewhere, in both directions."""
    for place in program.places:
        assert place.text == linecache.getline(place.file, place.line).strip() != ""
    for value in [*program.recorded, *program.primitive]:
        if value.is_gradient:
            assert value.forward is not None or _is_history(program, value), f"{value.title} has no forward node"
    for value in program.primitive:
        if value.is_gradient and value.forward is not None:
            forward = program.recorded[value.forward]
            assert forward.place == value.place
            of_line = {other.op for other in program.recorded if other.place == value.place and not other.is_gradient}
            assert forward.op == value.title.split()[2] or value.title.split()[2] not in of_line
    for number, step in enumerate(program.steps):
        assert all(program.primitive[node].step == number for node in step.nodes)
        for node in step.nodes:
            value = program.primitive[node]
            assert value.sources and (value.place is not None or _is_a_number(program, value)), f"{value} has no line"
        for source in program.sources:
            ranges = step.sources.get(source.target, [])
            lines = [line for first, last in ranges for line in range(first, last + 1)]
            made = {node for line in lines for node in source.lines.get(line, ())}
            assert not ranges or set(step.nodes) <= made, f"step {number} of {source.target} lacks lines"
    for source in program.sources:
        if source.target == "numpy":
            _every_line_is_mapped(program, source.text.splitlines(), source.lines)


def _is_history(program: Program, value: Value) -> bool:
    """Whether the line was computed by an earlier program, and nothing of it is read."""
    return all(other.place != value.place for other in program.recorded if not other.is_gradient)


def _is_a_number(program: Program, value: Value) -> bool:
    """Whether it only stores a number, as of ``lg.zeros(())``: these are recorded without their line."""
    return value.op == "contiguous" and all(program.primitive[i].op in ("constant", "scalar") for i in value.inputs)


def _every_line_is_mapped(program: Program, lines: list[str], mapped: dict[int, list[int]]) -> None:
    for step in program.steps:
        for first, last in step.sources["numpy"]:
            for number in range(first, last + 1):
                assert number in mapped or _SURROUNDS.match(lines[number - 1].strip()), lines[number - 1]
