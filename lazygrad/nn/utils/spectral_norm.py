"""Spectral normalization by a hook that computes the weight before each call; see also `parametrizations`."""

from __future__ import annotations

from typing import Any, TypeVar

from lazygrad.grad_mode import no_grad
from lazygrad.linalg import multi_dot
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.nn.utils._hooks import find_hook, require_shape
from lazygrad.ops.layers.normalization import normalize
from lazygrad.ops.linalg.products import dot, mv
from lazygrad.tensor import Tensor

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]

AnyModule = TypeVar("AnyModule", bound=Module)


class SpectralNorm:
    """The hook: writes ``name`` from ``name_orig``, divided by the largest singular value.

    That is estimated by power iteration, which goes on from the vectors ``name_u`` and ``name_v`` of the call before.

    Args:
        name: of the weight.
        n_power_iterations: per call in training mode.
        dim: which dimension is the rows of the matrix; the others are its columns.
        eps: the smallest norm that vectors are divided by.

    Raises:
        ValueError: no iterations.
    """

    _version: int = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix with the rows of dimension ``dim``."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(axis for axis in range(weight.dim()) if axis != self.dim))
        return weight.reshape(weight.shape[0], -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The normalized weight; iterations write to the module's vectors."""
        weight, u, v = (getattr(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                next_u, next_v = u, v
                for _ in range(self.n_power_iterations):
                    next_v = normalize(mv(matrix.t(), next_u), dim=0, eps=self.eps)
                    next_u = normalize(mv(matrix, next_v), dim=0, eps=self.eps)
                u.copy_(next_u)
                v.copy_(next_v)
            u, v = next_u, next_v  # values: the next call's iterations must not change what this one's gradient reads
        return weight / dot(u, mv(matrix, v))

    def remove(self, module: Module) -> None:
        """Makes the present weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, matrix: Tensor, u: Tensor, sigma: Tensor) -> Tensor:
        """The v with which u gives the singular value ``sigma``."""
        transposed = matrix.t()
        v = multi_dot([transposed.mm(matrix).pinverse(), transposed, u.unsqueeze(1)]).squeeze(1)
        return v * (sigma / dot(u, mv(matrix, v)))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Replaces a parameter by its original and two vectors, and registers the hooks.

        Raises:
            RuntimeError: there is such a hook already.
            ValueError: the parameter is None, or a lazy module's without a shape.
        """
        if find_hook(module, SpectralNorm, name) is not None:
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        require_shape(weight, "SpectralNorm", "spectral")
        with no_grad():
            rows, columns = hook.reshape_weight_to_matrix(weight).shape
            u = normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
            v = normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.detach())  # a hook before the first call may want to see it
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """Brings state dictionaries without ``name_v``, of before version 1, into the present form."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        hook = self.fn
        version = local_metadata.get("spectral_norm", {}).get(f"{hook.name}.version")
        if version is not None and version >= 1:
            return
        key = prefix + hook.name
        if version is None and key not in state_dict and all(key + end in state_dict for end in ("_orig", "_u", "_v")):
            return  # the present form, saved without metadata
        missing = [key + end for end in ("_orig", "", "_u") if key + end not in state_dict]
        if missing:
            missing_keys.extend(missing if strict else [])
            return
        with no_grad():
            original, weight = state_dict[f"{key}_orig"], state_dict.pop(key)
            matrix = hook.reshape_weight_to_matrix(original)
            sigma = (original / weight).mean()
            state_dict[f"{key}_v"] = hook._solve_v_and_rescale(matrix, state_dict[f"{key}_u"], sigma)


class SpectralNormStateDictHook:
    """Writes the form's version into the metadata."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any]) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = f"{self.fn.name}.version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: AnyModule,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> AnyModule:
    """Divides a weight by its largest singular value.

    Source: Miyato et al., "Spectral normalization for generative adversarial networks", 2018.

    Args:
        module: the module that has it.
        name: of the weight.
        n_power_iterations: per call in training mode.
        eps: the smallest norm that vectors are divided by.
        dim: the output channels' dimension: 1 for transposed convolutions, 0 for others.

    Returns:
        The module.
    """
    SpectralNorm.apply(module, name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return module


def output_dim(module: Module) -> int:
    """Which dimension of a layer's weight are its output channels."""
    return 1 if getattr(module, "transposed", False) else 0


def remove_spectral_norm(module: AnyModule, name: str = "weight") -> AnyModule:
    """Undoes `spectral_norm`.

    Raises:
        ValueError: the weight is not normalized so.
    """
    found = find_hook(module, SpectralNorm, name)
    if found is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    number, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[number]
    for registry in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for key in [key for key, each in registry.items() if getattr(each.function, "fn", None) is hook]:
            del registry[key]
    return module
