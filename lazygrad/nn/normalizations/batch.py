"""Batch normalization layers."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.module import Module
from lazygrad.nn.normalizations.running_statistics import ChannelNormalization
from lazygrad.tensor import Tensor

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _BatchNorm(ChannelNormalization):
    """Batch normalization for inputs of any rank."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        updates_statistics = self.training and self.track_running_stats
        if updates_statistics and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
        # In training the statistics are only passed to be updated, in evaluation they are what is normalized with.
        passes_statistics = updates_statistics or not self.training
        return F.batch_norm(
            input,
            self.running_mean if passes_statistics else None,
            self.running_var if passes_statistics else None,
            self.weight,
            self.bias,
            self.training or (self.running_mean is None and self.running_var is None),
            self._update_factor(updates_statistics),
            self.eps,
        )

    def _update_factor(self, updates_statistics: bool) -> float:
        """The share of a batch in the running statistics; without momentum, all batches count the same."""
        if self.momentum is not None:
            return self.momentum
        return 1.0 / float(self.num_batches_tracked) if updates_statistics else 0.0


class BatchNorm1d(_BatchNorm):
    """Batch normalization of vectors or signals, see `BatchNorm2d`.

    Shapes:
        (N, C) or (N, C, L) → the same.
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalizes every channel to mean 0 and variance 1 over the batch, then scales and offsets it.

    In training the statistics are the batch's (the biased variance) and the running ones are updated with the unbiased
    variance: ``running = (1 − momentum)·running + momentum·batch``. In evaluation the running ones are used.
    Source: Ioffe and Szegedy, "Batch Normalization", 2015.

    Args:
        num_features: number of channels C.
        eps: added to the variance.
        momentum: share of a batch in the running statistics; None gives every batch the same share.
        affine: whether scale and offset are learned.
        track_running_stats: whether running statistics are kept; without them evaluation uses the batch's.
        device: where parameters and statistics live.
        dtype: their dtype, the default one when left out.
        bias: whether the offset is learned.

    Shapes:
        ``weight``, ``bias``, ``running_mean``, ``running_var`` (C), (N, C, H, W) → the same.

    Raises:
        ValueError: the input has another rank.
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of volumes, see `BatchNorm2d`.

    Shapes:
        (N, C, D, H, W) → the same.
    """

    _ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all processes. There is one process, so it is that of its batch.

    Args:
        num_features, eps, momentum, affine, track_running_stats, device, dtype, bias: as for `BatchNorm2d`.
        process_group: kept as an attribute.

    Shapes:
        (N, C, …) → the same.

    Raises:
        ValueError: the input has fewer than two dimensions, or no channels.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any | None = None,
        device: DeviceLike = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any | None = None) -> Module:
        """``module`` with a SyncBatchNorm, which has the same parameters and buffers, for each batch normalization."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = cls._like(module, process_group)
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted

    @staticmethod
    def _like(module: _BatchNorm, process_group: Any | None) -> SyncBatchNorm:
        converted = SyncBatchNorm(
            module.num_features,
            module.eps,
            module.momentum,
            module.affine,
            module.track_running_stats,
            process_group,
            bias=module.bias is not None,
        )
        for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
            setattr(converted, name, getattr(module, name))
        converted.training = module.training
        return converted
