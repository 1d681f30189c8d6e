"""The table of a model's layers, in the layout of torchinfo."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lazygrad.inspect.summary_layers import Layer
from lazygrad.tensor import Tensor

_NAME_WIDTH, _INDENT = 40, 5
TITLES = {
    "kernel_size": "Kernel Shape",
    "input_size": "Input Shape",
    "output_size": "Output Shape",
    "num_params": "Param #",
    "params_percent": "Param %",
    "mult_adds": "Mult-Adds",
    "trainable": "Trainable",
}
ROWS = ("depth", "var_names", "ascii_only", "hide_recursive_layers")


@dataclass(frozen=True)
class Layout:
    """What a table shows.

    Attributes:
        depth: layers further inside are left out.
        columns: names of `TITLES`.
        width: of each column.
        rows: names of `ROWS`.
        with_parameters: whether each layer's parameters have lines of their own.
    """

    depth: int
    columns: tuple[str, ...]
    width: int
    rows: frozenset[str]
    with_parameters: bool

    def name_of(self, layer: Layer) -> str:
        return layer.name("var_names" in self.rows, "depth" in self.rows)

    def branch(self, depth: int) -> str:
        """What stands before the name of a layer."""
        end, first, line = ("+ ", "+ ", "|    ") if "ascii_only" in self.rows else ("└─", "├─", "│    ")
        return (first if depth == 1 else line * (depth - 1) + end) if depth else ""

    def shows(self, layer: Layer) -> bool:
        return layer.depth <= self.depth and not (layer.is_repeated and "hide_recursive_layers" in self.rows)


class Summary:
    """The table: print it. Its numbers are attributes.

    Attributes:
        layers: in the order in which they were called.
        total_params, trainable_params: numbers in the model's parameters.
        total_mult_adds: of one call.
        input_bytes, param_bytes: what inputs and parameters take.
        output_bytes: what results of layers take, twice for their gradients.
    """

    def __init__(self, layers: list[Layer], inputs: Sequence[Tensor] | None, layout: Layout) -> None:
        self.layers, self._layout, self._was_called = layers, layout, inputs is not None
        new = [layer for layer in layers if not layer.is_repeated]
        leaves = [layer for layer in layers if layer.is_leaf]
        self.total_params = sum(layer.own_parameters() for layer in new)
        self.trainable_params = sum(layer.own_parameters(trainable=True) for layer in new)
        self.total_mult_adds = sum(layer.mult_adds for layer in leaves)
        self.input_bytes = sum(each.numel() * each.element_size() for each in inputs or ())
        self.output_bytes = sum(2 * layer.output_bytes for layer in leaves if layer.parameters())
        self.param_bytes = sum(
            each.numel() * each.element_size()
            for layer in leaves
            if not layer.is_repeated
            for each in layer.module.parameters()
        )

    def __str__(self) -> str:
        layout = self._layout
        line = "=" * (self._name_width() + len(layout.columns) * layout.width)
        about = " (var_name)" * ("var_names" in layout.rows) + ":depth-idx" * ("depth" in layout.rows)
        total, trainable = self.total_params, self.trainable_params
        rows = [self._row(f"Layer (type{about})", TITLES), line]
        for layer in filter(layout.shows, self.layers):
            rows += self._rows_of(layer)
        counts = [
            f"Total params: {total:,}",
            f"Trainable params: {trainable:,}",
            f"Non-trainable params: {total - trainable:,}",
        ]
        return "\n".join([line, *rows, line, *counts, *(self._of_the_call(line) if self._was_called else ()), line])

    __repr__ = __str__

    def _of_the_call(self, line: str) -> list[str]:
        megabytes = [each / 1e6 for each in (self.input_bytes, self.output_bytes, self.param_bytes)]
        unit, mult_adds = _readable(self.total_mult_adds)
        return [
            f"Total mult-adds ({unit}): {mult_adds}",
            line,
            f"Input size (MB): {megabytes[0]:.2f}",
            f"Forward/backward pass size (MB): {megabytes[1]:.2f}",
            f"Params size (MB): {megabytes[2]:.2f}",
            f"Estimated Total Size (MB): {sum(megabytes):.2f}",
        ]

    def _name_width(self) -> int:
        longest = max(len(self._layout.name_of(layer)) + _INDENT * layer.depth + 1 for layer in self.layers)
        return _NAME_WIDTH if longest < _NAME_WIDTH else math.ceil(longest / _INDENT) * _INDENT

    def _row(self, name: str, values: dict[str, str]) -> str:
        width = self._layout.width
        columns = [f"{values.get(column, ''):<{width}}" for column in self._layout.columns]
        return " ".join([f"{name:<{self._name_width()}}", *columns]).rstrip()

    def _rows_of(self, layer: Layer) -> list[str]:
        values = {
            "kernel_size": str(layer.kernel_size or "--"),
            "input_size": str(layer.input_size or "--"),
            "output_size": str(layer.output_size or "--"),
            "num_params": self._parameters_of(layer),
            "params_percent": self._share_of(layer),
            "mult_adds": self._mult_adds_of(layer),
            "trainable": layer.trainable,
        }
        rows = [self._row(self._layout.branch(layer.depth) + self._layout.name_of(layer), values)]
        return rows + self._parameter_rows(layer) if self._layout.with_parameters else rows

    def _parameter_rows(self, layer: Layer) -> list[str]:
        """A line for each parameter; of the model for its own ones only."""
        named = {name: each for name, each in layer.module.named_parameters() if layer.depth or "." not in name}
        rows = []
        for number, (name, parameter) in enumerate(named.items(), 1):
            size = list(parameter.shape)
            if name == "weight" and len(size) > 1:
                size[:2] = size[1], size[0]
            branch = "└─" if number == len(named) else "├─"
            values = {"kernel_size": str(size), "num_params": f"{branch}{parameter.numel():,}"}
            rows.append(self._row(self._layout.branch(layer.depth + 1) + name, values))
        return rows

    def _counted(self, layer: Layer) -> int:
        is_last = layer.is_leaf or layer.depth == self._layout.depth
        return layer.parameters() if is_last else layer.own_parameters()

    def _parameters_of(self, layer: Layer) -> str:
        if not layer.parameters():
            return "--"
        if layer.is_repeated:
            return "(recursive)"
        count = self._counted(layer)
        if layer.is_leaf or layer.depth == self._layout.depth:
            return f"{count:,}" if layer.parameters(trainable=True) else f"({count:,})"
        return f"{count:,}" if count else "--"

    def _share_of(self, layer: Layer) -> str:
        if self.total_params and layer.is_repeated:
            return "(recursive)"
        count = self._counted(layer)
        return f"{count / self.total_params:>7.2%}" if count else " " * 5 + "--"

    def _mult_adds_of(self, layer: Layer) -> str:
        if layer.is_leaf:
            return f"{layer.mult_adds:,}" if layer.mult_adds else "--"
        if layer.depth != self._layout.depth or not layer.mult_adds:
            return "--"
        return f"{sum(each.mult_adds for each in layer.below if each.is_leaf):,}"


def _readable(count: int) -> tuple[str, str]:
    unit, scale = ("T", 1e12) if count >= 1e12 else ("G", 1e9) if count >= 1e9 else ("M", 1e6)
    number = count / scale
    return unit, f"{int(number):,}" if number.is_integer() else f"{number:,.2f}"
