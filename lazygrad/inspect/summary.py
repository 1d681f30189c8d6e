"""What a model consists of: a table of its layers, with shapes and counts, in the layout of torchinfo."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import DType, float32
from lazygrad.nn.core.module import Module
from lazygrad.ops.public import zeros
from lazygrad.tensor import Tensor

_NAME_WIDTH, _COLUMN_WIDTH, _INDENT = 40, 25, 5


@dataclass(eq=False)
class Layer:
    """A module, as it was called.

    Attributes:
        module: the module.
        depth: how many modules it lies in.
        output_size: the shape of its (first) result; None where it was not called, as a list of modules.
        output_bytes: what that takes.
        is_repeated: whether it was called before.
        index: the how manieth of its depth, from 1.
        below: the layers that follow and lie deeper.
    """

    module: Module
    depth: int
    output_size: list[int] | None = None
    output_bytes: int = 0
    is_repeated: bool = False
    index: int = 0
    below: list[Layer] = field(default_factory=list)

    @property
    def name(self) -> str:
        kind = type(self.module).__name__
        return f"{kind}: {self.depth}-{self.index}" if self.depth else kind

    @property
    def is_leaf(self) -> bool:
        return not any(True for _ in self.module.children())

    def parameters(self, trainable: bool = False) -> int:
        """How many numbers its parameters have; only of those with gradients, if so asked."""
        return sum(each.numel() for each in self.module.parameters() if each.requires_grad or not trainable)

    def own_parameters(self, trainable: bool = False) -> int:
        """How many of them no layer below has."""
        if self.is_leaf:
            return self.parameters(trainable)
        counted = sum(layer.own_parameters(trainable) for layer in self.below if not layer.is_repeated)
        return max(self.parameters(trainable) - counted, 0)

    @property
    def mult_adds(self) -> int:
        """Multiplications with parameters, additions of biases counted as such."""
        found = 0
        size = self.output_size or [0]
        for path, parameter in self.module.named_parameters():
            name = path.rpartition(".")[2]
            if name not in ("weight", "bias"):
                times = math.prod(size[:2]) if "weight" in name or "bias" in name else 0
            elif "Conv" in type(self.module).__name__:
                times = math.prod(size[:1] + size[2:])
            else:
                times = size[0]
            found += times * parameter.numel()
        return found


class Summary:
    """The table: print it. Its numbers are attributes.

    Attributes:
        layers: in the order in which they were called.
        total_params, trainable_params: numbers in the model's parameters.
        total_mult_adds: of one call.
        input_bytes, param_bytes: what inputs and parameters take.
        output_bytes: what results of layers take, twice for their gradients.
    """

    def __init__(self, layers: list[Layer], inputs: Sequence[Tensor], depth: int) -> None:
        self.layers, self._depth = layers, depth
        new = [layer for layer in layers if not layer.is_repeated]
        leaves = [layer for layer in layers if layer.is_leaf]
        self.total_params = sum(layer.own_parameters() for layer in new)
        self.trainable_params = sum(layer.own_parameters(trainable=True) for layer in new)
        self.total_mult_adds = sum(layer.mult_adds for layer in leaves)
        self.input_bytes = sum(each.numel() * each.element_size() for each in inputs)
        self.output_bytes = sum(2 * layer.output_bytes for layer in leaves if layer.parameters())
        self.param_bytes = sum(
            each.numel() * each.element_size()
            for layer in leaves
            if not layer.is_repeated
            for each in layer.module.parameters()
        )

    def __str__(self) -> str:
        width = self._name_width()
        line = "=" * (width + 2 * _COLUMN_WIDTH)
        rows = [_row(width, "Layer (type:depth-idx)", "Output Shape", "Param #")]
        rows.append(line)
        rows += [self._row_of(width, layer) for layer in self.layers if layer.depth <= self._depth]
        total, trainable = self.total_params, self.trainable_params
        megabytes = [each / 1e6 for each in (self.input_bytes, self.output_bytes, self.param_bytes)]
        unit, mult_adds = _readable(self.total_mult_adds)
        return "\n".join(
            [
                line,
                *rows,
                line,
                f"Total params: {total:,}",
                f"Trainable params: {trainable:,}",
                f"Non-trainable params: {total - trainable:,}",
                f"Total mult-adds ({unit}): {mult_adds}",
                line,
                f"Input size (MB): {megabytes[0]:.2f}",
                f"Forward/backward pass size (MB): {megabytes[1]:.2f}",
                f"Params size (MB): {megabytes[2]:.2f}",
                f"Estimated Total Size (MB): {sum(megabytes):.2f}",
                line,
            ]
        )

    __repr__ = __str__

    def _name_width(self) -> int:
        longest = max(len(layer.name) + _INDENT * layer.depth + 1 for layer in self.layers)
        return _NAME_WIDTH if longest < _NAME_WIDTH else math.ceil(longest / _INDENT) * _INDENT

    def _row_of(self, width: int, layer: Layer) -> str:
        depth = layer.depth
        start = ("├─" if depth == 1 else "│    " * (depth - 1) + "└─") if depth else ""
        size = "--" if layer.output_size is None else str(layer.output_size)
        return _row(width, start + layer.name, size, self._parameters_of(layer))

    def _parameters_of(self, layer: Layer) -> str:
        if not layer.parameters():
            return "--"
        if layer.is_repeated:
            return "(recursive)"
        if layer.is_leaf or layer.depth == self._depth:
            return f"{layer.parameters():,}" if layer.parameters(trainable=True) else f"({layer.parameters():,})"
        return f"{layer.own_parameters():,}" if layer.own_parameters() else "--"


def summary(
    model: Module,
    input_size: Any = None,
    input_data: Any = None,
    dtypes: Sequence[DType] | None = None,
    depth: int = 3,
    mode: str = "eval",
    **kwargs: Any,
) -> Summary:
    """The layers of a model, with the shapes of their results. The call is recorded, and nothing is computed.

    Args:
        model: is called once, without gradients.
        input_size: the shape of its input, or a list of several; batches included. Either this
        input_data: or the inputs themselves: a tensor, or a list or a dict of arguments.
        dtypes: of the inputs whose shapes are given; float32 if None.
        depth: layers further inside are not shown, but counted.
        mode: "eval", or "train" to call it as it is in training.
        kwargs: more arguments of the model.

    Raises:
        ValueError: neither or both of shapes and inputs; another mode.
    """
    if (input_size is None) == (input_data is None):
        raise ValueError("summary: give input_size or input_data, and not both")
    if mode not in ("eval", "train"):
        raise ValueError(f"summary: mode must be 'eval' or 'train', not {mode!r}")
    if input_data is None:
        sizes = [input_size] if isinstance(input_size[0], int) else list(input_size)
        kinds = [float32] * len(sizes) if dtypes is None else list(dtypes)
        input_data = [zeros(*size, dtype=kind) for size, kind in zip(sizes, kinds, strict=True)]
    positional = [] if isinstance(input_data, dict) else input_data
    positional = [positional] if isinstance(positional, Tensor) else list(positional)
    named = {**input_data, **kwargs} if isinstance(input_data, dict) else kwargs
    layers = _called(model, positional, named, mode == "train")
    return Summary(layers, [each for each in (*positional, *named.values()) if isinstance(each, Tensor)], depth)


def _called(model: Module, positional: list[Any], named: dict[str, Any], train: bool) -> list[Layer]:
    parents: dict[Module, Module | None] = {model: None}
    for module in model.modules():
        parents.update(dict.fromkeys(module.children(), module))
    layers: list[Layer] = []
    under_way: list[Layer] = []

    def before(module: Module, inputs: Any) -> None:
        layer = Layer(module, _depth(module, parents), is_repeated=any(each.module is module for each in layers))
        layers.append(layer)
        under_way.append(layer)

    def after(module: Module, inputs: Any, outputs: Any) -> None:
        layer = under_way.pop()
        result = _first_tensor(outputs)
        layer.output_size = [] if result is None else list(result.shape)
        layer.output_bytes = 0 if result is None else result.numel() * result.element_size()

    hooks = [handle for module in parents for handle in (
        module.register_forward_pre_hook(before), module.register_forward_hook(after)
    )]  # fmt: skip
    modes = {module: module.training for module in parents}
    try:
        model.train(train)
        with no_grad():
            model(*positional, **named)
    finally:
        for handle in hooks:
            handle.remove()
        for module, was_training in modes.items():
            module.training = was_training
    return _numbered(_with_containers(layers, parents))


def _depth(module: Module, parents: dict[Module, Module | None]) -> int:
    above = parents[module]
    return 0 if above is None else 1 + _depth(above, parents)


def _first_tensor(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, dict):
        value = list(value.values())[::-1]
    if isinstance(value, (list, tuple)):
        return next((found for found in map(_first_tensor, value) if found is not None), None)
    return None


def _with_containers(layers: list[Layer], parents: dict[Module, Module | None]) -> list[Layer]:
    """Modules that were not called, such as lists of modules, before the first of those in them."""
    found: list[Layer] = []
    path: list[Module] = []  # the modules that the last layer lies in, and itself
    for layer in layers:
        above = _path(layer.module, parents)
        for depth, module in enumerate(above[:-1]):
            if path[depth : depth + 1] != [module]:
                found.append(Layer(module, depth, is_repeated=any(each.module is module for each in found)))
        found.append(layer)
        path = above
    return found


def _path(module: Module, parents: dict[Module, Module | None]) -> list[Module]:
    above = parents[module]
    return [module] if above is None else [*_path(above, parents), module]


def _numbered(layers: list[Layer]) -> list[Layer]:
    counts: dict[int, int] = {}
    for position, layer in enumerate(layers):
        counts[layer.depth] = layer.index = counts.get(layer.depth, 0) + 1
        for other in layers[position + 1 :]:
            if other.depth <= layer.depth:
                break
            layer.below.append(other)
    return layers


def _row(width: int, name: str, size: str, parameters: str) -> str:
    return f"{name:<{width}} {size:<{_COLUMN_WIDTH}} {parameters:<{_COLUMN_WIDTH}}".rstrip()


def _readable(count: int) -> tuple[str, str]:
    unit, scale = ("T", 1e12) if count >= 1e12 else ("G", 1e9) if count >= 1e9 else ("M", 1e6)
    number = count / scale
    return unit, f"{int(number):,}" if number.is_integer() else f"{number:,.2f}"
