"""Modules as functions of their parameters: `functional_call` and `stack_module_state`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.nn.core.functional_call import State, functional_call
from lazygrad.nn.core.module import Module
from lazygrad.nn.normalizations.batch import _BatchNorm
from lazygrad.ops.shapes.joining import stack
from lazygrad.tensor import Tensor

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def stack_module_state(models: Sequence[Module] | Any) -> tuple[State, State]:
    """The parameters and the buffers of several models of one class, each name's tensors stacked along dimension 0.

    Use it with `functional_call` inside `vmap` to run an ensemble at once.

    Args:
        models: at least one; all in the same mode.

    Returns:
        Two dictionaries by dotted name. Stacked parameters are leaves that require gradients if the originals do.

    Raises:
        RuntimeError: no models, or models that differ in class or mode or in what requires gradients.
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(states: Sequence[dict[str, Any]]) -> State:
    return {name: _stacked_leaf(name, [state[name] for state in states]) for name in states[0]}


def _stacked_leaf(name: str, tensors: list[Tensor]) -> Tensor:
    flags = {tensor.requires_grad for tensor in tensors}
    if len(flags) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return stack(tensors).detach().requires_grad_(flags.pop())


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Let every batch normalization in a module normalize by its batch alone: no running statistics, which `vmap` over
    a module could not update.

    Returns:
        The module, changed in place.
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
