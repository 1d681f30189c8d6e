"""Weight normalization by a hook that computes the weight before each call; `parametrizations.weight_norm` is newer."""

from __future__ import annotations

from typing import Any, TypeVar

from lazygrad.ir.user_warning import warn_user
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.nn.utils._hooks import find_hook, require_shape
from lazygrad.nn.utils._norms import norm_except_dim, normalized_weight
from lazygrad.tensor import Tensor

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]

AnyModule = TypeVar("AnyModule", bound=Module)


class WeightNorm:
    """The hook: writes ``name`` from ``name_g``, norms, and ``name_v``, directions.

    Args:
        name: of the weight.
        dim: along which slices have norms of their own; None or −1: one norm for all.
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight from its norms and directions."""
        return normalized_weight(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Replaces a parameter by two, and registers the hook.

        Raises:
            RuntimeError: there is such a hook already.
            ValueError: the parameter is a lazy module's, and has no shape yet.
        """
        warn_user(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
        )
        if find_hook(module, WeightNorm, name) is not None:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        require_shape(weight, "WeightNorm", "weight")
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, hook.dim).detach()))
        module.register_parameter(f"{name}_v", Parameter(weight.detach()))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Makes the present weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: AnyModule, name: str = "weight", dim: int | None = 0) -> AnyModule:
    """Splits a weight into norms and directions, which are trained in its place.

    Args:
        module: the module that has it.
        name: of the weight.
        dim: along which slices have norms of their own; None: one norm for all.

    Returns:
        The module.
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: AnyModule, name: str = "weight") -> AnyModule:
    """Undoes `weight_norm`.

    Raises:
        ValueError: the weight is not normalized so.
    """
    found = find_hook(module, WeightNorm, name)
    if found is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    number, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[number]
    return module
