"""The modules of a model as they are called, with their shapes and counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lazygrad.grad_mode import no_grad
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor


@dataclass(eq=False)
class Layer:
    """A module, as it was called.

    Attributes:
        module: the module.
        depth: how many modules it lies in.
        var_name: the attribute of the module above that holds it; of the model its class.
        input_size, output_size: the shapes of its first argument and result; None where it was not called, as a list
            of modules.
        output_bytes: what the result takes.
        is_repeated: whether it was called before.
        index: the how manieth of its depth, from 1.
        below: the layers that follow and lie deeper.
    """

    module: Module
    depth: int
    var_name: str = ""
    input_size: list[int] | None = None
    output_size: list[int] | None = None
    output_bytes: int = 0
    is_repeated: bool = False
    index: int = 0
    below: list[Layer] = field(default_factory=list)

    def name(self, with_variable: bool = False, with_depth: bool = True) -> str:
        """Its class, with the attribute that holds it and its place where asked for."""
        variable = f" ({self.var_name})" if with_variable else ""
        place = f": {self.depth}-{self.index}" if with_depth and self.depth else ""
        return f"{type(self.module).__name__}{variable}{place}"

    @property
    def is_leaf(self) -> bool:
        return not any(True for _ in self.module.children())

    @property
    def kernel_size(self) -> list[int] | int | None:
        """That of a convolution or a pooling."""
        size = getattr(self.module, "kernel_size", None)
        return list(size) if isinstance(size, Sequence) else size

    @property
    def trainable(self) -> str:
        """Whether its parameters have gradients: True, False, Partial, or -- for none."""
        count, trainable = self.parameters(), self.parameters(trainable=True)
        if not count:
            return "--"
        return "False" if not trainable else "True" if trainable == count else "Partial"

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


def called(
    model: Module, positional: list[Any], named: dict[str, Any], train: bool, batch_dim: int | None
) -> list[Layer]:
    """The layers in the order in which a call of the model begins them."""
    parents = _parents(model)
    layers: list[Layer] = []
    under_way: list[Layer] = []

    def before(module: Module, inputs: Any) -> None:
        layers.append(_layer(module, parents, layers))
        under_way.append(layers[-1])

    def after(module: Module, inputs: Any, outputs: Any) -> None:
        layer = under_way.pop()
        layer.input_size, _ = _size(inputs, batch_dim)
        layer.output_size, element = _size(outputs, batch_dim)
        layer.output_bytes = element * math.prod(layer.output_size)

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


def uncalled(model: Module) -> list[Layer]:
    """The layers in the order in which the model has them, without shapes."""
    layers: list[Layer] = []

    def add(module: Module, depth: int, name: str) -> None:
        layers.append(Layer(module, depth, name, is_repeated=any(each.module is module for each in layers)))
        for below, child in module._modules.items():
            if child is not None:
                add(child, depth + 1, below)

    add(model, 0, type(model).__name__)
    return _numbered(layers)


Parents = dict[Module, tuple[Module | None, str]]


def _parents(model: Module) -> Parents:
    """The module that each lies in, and its name there."""
    parents: Parents = {model: (None, type(model).__name__)}
    for module in model.modules():
        parents.update({child: (module, name) for name, child in module.named_children()})
    return parents


def _layer(module: Module, parents: Parents, before: list[Layer]) -> Layer:
    path = _path(module, parents)
    return Layer(module, len(path) - 1, parents[module][1], is_repeated=any(each.module is module for each in before))


def _size(value: Any, batch_dim: int | None) -> tuple[list[int], int]:
    """The shape of the first tensor in a value and the bytes of its elements; one sample of each batch, if so asked."""
    found = _first_tensor(value)
    if found is None:
        return [], 0
    size = list(found.shape)
    if batch_dim is not None and not isinstance(value, Tensor) and batch_dim < len(size):
        size[batch_dim] = 1
    return size, found.element_size()


def _first_tensor(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, dict):
        value = list(value.values())[::-1]
    if isinstance(value, (list, tuple)):
        return next((found for found in map(_first_tensor, value) if found is not None), None)
    return None


def _with_containers(layers: list[Layer], parents: Parents) -> list[Layer]:
    """Modules that were not called, such as lists of modules, before the first of those in them."""
    found: list[Layer] = []
    path: list[Module] = []  # the modules that the last layer lies in, and itself
    for layer in layers:
        above = _path(layer.module, parents)
        for depth, module in enumerate(above[:-1]):
            if path[depth : depth + 1] != [module]:
                found.append(_layer(module, parents, found))
        found.append(layer)
        path = above
    return found


def _path(module: Module, parents: Parents) -> list[Module]:
    above = parents[module][0]
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
