"""The ways of pruning."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from lazygrad.nn.utils.prune.base import BasePruningMethod
from lazygrad.ops.creation.like import zeros_like
from lazygrad.ops.random.tensors import rand, rand_like
from lazygrad.ops.reductions.norm import norm
from lazygrad.ops.reductions.sorting import kthvalue, topk
from lazygrad.tensor import Tensor


class Identity(BasePruningMethod):
    """Prunes nothing, but gives the parameter the form of a pruned one."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> BasePruningMethod:  # type: ignore[override]
        """See `BasePruningMethod.apply`."""
        return super().apply(module, name)


class RandomUnstructured(BasePruningMethod):
    """Prunes elements that are drawn.

    Args:
        amount: how many, or which share of all.

    Raises:
        TypeError: no number.
        ValueError: a negative number, or a share above 1.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count(self.amount, t.numel())
        return (
            _without(default_mask, topk(rand_like(t).reshape(-1), k=count).indices) if count else default_mask.clone()
        )

    @classmethod
    def apply(cls, module: Any, name: str, amount: float) -> BasePruningMethod:  # type: ignore[override]
        """See `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(BasePruningMethod):
    """Prunes the elements that are smallest in magnitude; argument and errors as for `RandomUnstructured`."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count(self.amount, t.numel())
        if not count:
            return default_mask.clone()
        return _without(default_mask, topk(t.abs().reshape(-1), k=count, largest=False).indices)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: float, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        """See `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prunes slices that are drawn.

    Args:
        amount: how many, or which share of all.
        dim: along which dimension they lie.

    Raises:
        TypeError, ValueError: see `RandomUnstructured`.
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        slices, count = _slices(t, self.dim, self.amount)
        if count == 0:
            return default_mask
        drawn = rand(slices)
        kept = drawn > kthvalue(drawn, k=count).values
        return _only(t, self.dim, kept) * default_mask.to(dtype=t.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]
        """See `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prunes the slices whose norm is smallest.

    Args:
        amount: how many, or which share of all.
        n: the norm's order, see `lazygrad.norm`.
        dim: along which dimension the slices lie.

    Raises:
        TypeError, ValueError: see `RandomUnstructured`.
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        slices, count = _slices(t, self.dim, self.amount)
        if count == 0:
            return default_mask
        norms = norm(t, p=self.n, dim=[axis for axis in range(t.dim()) if axis != self.dim % t.dim()])
        kept = topk(norms, k=slices - count, largest=True).indices
        return _only(t, self.dim, kept) * default_mask.to(dtype=t.dtype)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        """See `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes what a given mask does not keep."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Tensor) -> BasePruningMethod:  # type: ignore[override]
        """See `BasePruningMethod.apply`."""
        return super().apply(module, name, mask=mask)


def _without(mask: Tensor, places: Tensor) -> Tensor:
    """A copy of a mask with zeros at some places, counted row-major."""
    flat = mask.clone().reshape(-1)
    flat[places] = 0
    return flat.reshape(mask.shape)


def _only(t: Tensor, dim: int, kept: Tensor) -> Tensor:
    """A mask of a tensor's shape that keeps some slices along a dimension, given by numbers or flags."""
    mask = zeros_like(t)
    mask[tuple(kept if axis == dim % t.dim() else slice(None) for axis in range(t.dim()))] = 1
    return mask


def _slices(t: Tensor, dim: int, amount: float) -> tuple[int, int]:
    """How many slices there are along a dimension, and how many of them are pruned."""
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
    return t.shape[dim], _count(amount, t.shape[dim])


def _count(amount: Any, size: int) -> int:
    """How many of ``size`` things are pruned."""
    if not isinstance(amount, Integral):
        return round(amount * size)
    if int(amount) > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return int(amount)


def _check_amount(amount: Any) -> None:
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    is_right = int(amount) >= 0 if isinstance(amount, Integral) else 0.0 <= float(amount) <= 1.0
    if not is_right:
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
