"""Modules taken apart into a function and its parameters, as programs of before PyTorch 2 write it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from lazygrad.nn.core.functional_call import functional_call
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.public import empty_like, stack
from lazygrad.tensor import Tensor

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "make_functional",
    "make_functional_with_buffers",
]

_Tensors = tuple[Tensor, ...]


class FunctionalModuleWithBuffers(Module):
    """A module called with its parameters and buffers: ``f(params, buffers, *args)``. It holds no values itself.

    Attributes:
        param_names, buffer_names: of the tensors, in the order in which they are given.
    """

    def __init__(self, stateless_model: Module, param_names: tuple[str, ...], buffer_names: tuple[str, ...]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = param_names, buffer_names

    def forward(self, params: Iterable[Tensor], buffers: Iterable[Tensor], *args: Any, **kwargs: Any) -> Any:
        tensors = dict(zip(self.param_names, params, strict=True)) | dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, tensors, args, kwargs)


class FunctionalModule(Module):
    """A module called with its parameters: ``f(params, *args)``. It holds no values itself.

    Attributes:
        param_names: of the tensors, in the order in which they are given.
    """

    def __init__(self, stateless_model: Module, param_names: tuple[str, ...]) -> None:
        super().__init__()
        self.stateless_model, self.param_names = stateless_model, param_names

    def forward(self, params: Iterable[Tensor], *args: Any, **kwargs: Any) -> Any:
        return functional_call(self.stateless_model, dict(zip(self.param_names, params, strict=True)), args, kwargs)


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, _Tensors, _Tensors]:
    """A module as a function, with copies of its parameters and buffers. The module stays as it is.

    Args:
        model: any module.
        disable_autograd_tracking: whether the parameters require no gradients.
    """
    own = copy.deepcopy(model)
    params, buffers = dict(own.named_parameters()), dict(own.named_buffers())
    if disable_autograd_tracking:
        for parameter in params.values():
            parameter.requires_grad_(False)
    _empty(own)
    made = FunctionalModuleWithBuffers(own, tuple(params), tuple(buffers))
    return made, tuple(params.values()), tuple(buffers.values())


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, _Tensors]:
    """`make_functional_with_buffers` for a module without buffers.

    Raises:
        RuntimeError: the module has buffers.
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    with_buffers, params, _ = make_functional_with_buffers(model, disable_autograd_tracking)
    return FunctionalModule(with_buffers.stateless_model, with_buffers.param_names), params


def combine_state_for_ensemble(models: Sequence[Module]) -> tuple[FunctionalModuleWithBuffers, _Tensors, _Tensors]:
    """One of several models as a function, and the parameters and buffers of all, stacked along dimension 0.

    Call it by `vmap`. The stacks require no gradients.

    Raises:
        RuntimeError: no models, or models that differ in class or mode.
    """
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functions, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    return functions[0], _stacked(params), _stacked(buffers)


def _stacked(tensors: Iterable[_Tensors]) -> _Tensors:
    return tuple(stack(each).detach() for each in zip(*tensors, strict=True))


def _empty(model: Module) -> None:
    """Puts tensors without values in the places of all others; one that had several places has one that has them."""
    made: dict[int, Tensor] = {}
    for module in model.modules():
        for kept in (module._parameters, module._buffers):
            for name, tensor in kept.items():
                if tensor is not None:
                    if id(tensor) not in made:
                        empty = empty_like(tensor, device="meta")
                        is_parameter = isinstance(tensor, Parameter)
                        made[id(tensor)] = Parameter(empty, tensor.requires_grad) if is_parameter else empty
                    kept[name] = made[id(tensor)]  # type: ignore[assignment]
