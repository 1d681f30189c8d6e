"""Normalization of each sample, under PyTorch's path."""

from lazygrad.nn.normalization import GroupNorm, LayerNorm, RMSNorm

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]
