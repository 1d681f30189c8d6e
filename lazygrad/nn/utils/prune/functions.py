"""Pruning parameters of modules; each function returns the module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from lazygrad.nn.core.module import Module
from lazygrad.nn.utils._hooks import find_hook
from lazygrad.nn.utils.convert_parameters import parameters_to_vector
from lazygrad.nn.utils.prune.base import BasePruningMethod, PruningContainer
from lazygrad.nn.utils.prune.methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
)
from lazygrad.ops.creation.like import ones_like
from lazygrad.tensor import Tensor

AnyModule = TypeVar("AnyModule", bound=Module)


def identity(module: AnyModule, name: str) -> AnyModule:
    """See `Identity`."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: AnyModule, name: str, amount: float) -> AnyModule:
    """See `RandomUnstructured`."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: AnyModule, name: str, amount: float, importance_scores: Tensor | None = None) -> AnyModule:
    """See `L1Unstructured`."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: AnyModule, name: str, amount: float, dim: int) -> AnyModule:
    """See `RandomStructured`."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: AnyModule, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> AnyModule:
    """See `LnStructured`."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: AnyModule, name: str, mask: Tensor) -> AnyModule:
    """See `CustomFromMask`."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prunes several parameters as if they were one vector.

    Args:
        parameters: modules, with the names of their parameters.
        pruning_method: an unstructured one.
        importance_scores: decide in place of the parameters' values.
        kwargs: for the method.

    Raises:
        TypeError: ``parameters`` cannot be iterated, ``importance_scores`` is no dictionary, or another method.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    listed = [(module, name, getattr(module, name)) for module, name in parameters]
    method: Any = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "temp"
    values = parameters_to_vector([scores.get((module, name), tensor) for module, name, tensor in listed])
    masks = [getattr(module, f"{name}_mask", ones_like(tensor)) for module, name, tensor in listed]
    mask = PruningContainer(method).compute_mask(values.detach(), parameters_to_vector(masks).detach())
    start = 0
    for module, name, tensor in listed:
        custom_from_mask(module, name, mask=mask[start : start + tensor.numel()].view_as(tensor))
        start += tensor.numel()


def remove(module: AnyModule, name: str) -> AnyModule:
    """Makes a pruned tensor the parameter again, for good.

    Raises:
        ValueError: it is not pruned.
    """
    found = find_hook(module, BasePruningMethod, name, "_tensor_name")  # type: ignore[type-abstract]
    if found is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    number, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[number]
    return module


def is_pruned(module: Module) -> bool:
    """Whether any parameter in a module is pruned."""
    return any(
        isinstance(hook, BasePruningMethod) for each in module.modules() for hook in each._forward_pre_hooks.values()
    )
