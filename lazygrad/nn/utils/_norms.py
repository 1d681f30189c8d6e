"""Norms of a weight's slices, which weight normalization divides by."""

from __future__ import annotations

from lazygrad.tensor import Tensor


def norm_except_dim(v: Tensor, pow: float = 2, dim: int = 0) -> Tensor:
    """The norms of all slices ``v[…, i, …]`` along a dimension, with the others kept as 1; of all of it for −1."""
    if dim == -1:
        return v.norm(pow)
    others = [axis for axis in range(v.dim()) if axis != dim % v.dim()]
    return v.norm(pow, dim=others, keepdim=True) if others else v.abs()


def normalized_weight(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """``v`` with its slices along a dimension scaled to the norms ``g``.

    Source: Salimans and Kingma, "Weight normalization", 2016.
    """
    return v * (g / norm_except_dim(v, 2, dim))
