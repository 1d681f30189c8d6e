"""Parametrizations of weights: orthogonal ones, weight and spectral normalization."""

from __future__ import annotations

from typing import Any, TypeVar

from lazygrad.grad_mode import no_grad
from lazygrad.nn.core.module import Module
from lazygrad.nn.utils._norms import norm_except_dim, normalized_weight
from lazygrad.nn.utils._orthogonal import MAPS, _Orthogonal
from lazygrad.nn.utils.parametrize import register_parametrization
from lazygrad.nn.utils.spectral_norm import output_dim
from lazygrad.ops.layers.normalization import normalize
from lazygrad.ops.linalg.matrix_functions import vdot
from lazygrad.ops.linalg.products import mv
from lazygrad.tensor import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

AnyModule = TypeVar("AnyModule", bound=Module)


def orthogonal(
    module: AnyModule, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> AnyModule:
    """Keeps a matrix orthogonal: QᴴQ = 1 where it has at least as many rows as columns, else QQᴴ = 1.

    Source: Lezcano-Casado, "Trivializations for gradient-based optimization on manifolds", 2019.

    Args:
        module: the module that has it.
        name: of a matrix, or of a batch of matrices.
        orthogonal_map: ``"matrix_exp"``, ``"cayley"``, both of a skew-Hermitian matrix, or ``"householder"``; when left
            out the first for square or complex matrices, the last for others.
        use_trivialization: multiply by a fixed orthogonal matrix, so that values can be assigned.

    Raises:
        ValueError: no such tensor, a vector, an unknown map, or ``"householder"`` of a complex one.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.dim() < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions.")
    if orthogonal_map is None:
        is_square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if is_square or weight.dtype.is_complex else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    register_parametrization(module, name, parametrization, unsafe=True)
    return module


def weight_norm(module: AnyModule, name: str = "weight", dim: int | None = 0) -> AnyModule:
    """Splits a weight into norms, ``original0``, and directions, ``original1``, which are trained in its place.

    Source: Salimans and Kingma, "Weight normalization", 2016. State dictionaries with ``name_g`` and ``name_v`` load.

    Args:
        module: the module that has it.
        name: of the weight.
        dim: along which slices have norms of their own; None: one norm for all.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module._register_load_state_dict_pre_hook(_OlderNames(name))
    return module


def spectral_norm(
    module: AnyModule,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> AnyModule:
    """Divides a weight by its largest singular value, which is estimated by power iteration.

    Source: Miyato et al., "Spectral normalization for generative adversarial networks", 2018.

    Args:
        module: the module that has it.
        name: of the weight; a vector is divided by its norm.
        n_power_iterations: per use in training mode.
        eps: the smallest norm that vectors are divided by.
        dim: which dimension is the rows of the matrix: by default 1 for transposed convolutions, 0 for others.

    Raises:
        ValueError: no such tensor, or no iterations.
        IndexError: ``dim`` is not among the weight's.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = output_dim(module) if dim is None else dim
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return normalized_weight(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


class _OlderNames:
    """Lets state dictionaries load in which norms and directions have the names that the older hook gives them."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        older = [f"{prefix}{self.name}{suffix}" for suffix in ("_g", "_v")]
        if all(key in state_dict for key in older):
            for number, key in enumerate(older):
                state_dict[f"{prefix}parametrizations.{self.name}.original{number}"] = state_dict.pop(key)


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.dim()
        if not -rank <= dim < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            rows, columns = matrix.shape
            with no_grad():
                u = matrix.new_empty(rows).normal_(0, 1)
                v = matrix.new_empty(columns).normal_(0, 1)
                self.register_buffer("_u", normalize(u, dim=0, eps=eps))
                self.register_buffer("_v", normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(axis for axis in range(weight.dim()) if axis != self.dim))
        return weight.flatten(1)

    def _power_method(self, matrix: Tensor, iterations: int) -> tuple[Tensor, Tensor]:
        """The next vectors, which are also written to the buffers."""
        with no_grad():
            u, v = self._u, self._v
            for _ in range(iterations):
                u = normalize(mv(matrix, v), dim=0, eps=self.eps)
                v = normalize(mv(matrix.mH, u), dim=0, eps=self.eps)
            self._u.copy_(u)
            self._v.copy_(v)
        return u, v

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        # Values, not the buffers: the next iteration must not change what this one's gradient reads.
        u, v = (
            self._power_method(matrix, self.n_power_iterations) if self.training else (self._u.clone(), self._v.clone())
        )
        return weight / vdot(u, mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value
