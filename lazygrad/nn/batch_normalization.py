"""Batch normalization layers."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType, int64
from lazygrad.nn import functional as F
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.normalization import AffineModule
from lazygrad.ops.creation.filled import ones, zeros
from lazygrad.ops.creation.from_data import tensor
from lazygrad.tensor import Tensor

__all__ = ["BatchNorm1d", "BatchNorm2d"]


class _BatchNorm(AffineModule):
    """Batch normalization for inputs of any rank."""

    _version = 2  # since then num_batches_tracked is saved
    _ranks: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._register_running_stats(device, dtype)
        self._register_affine((num_features,), affine, affine and bias, device, dtype)

    def _register_running_stats(self, device: DeviceLike, dtype: DType | None) -> None:
        tracked = self.track_running_stats
        mean = zeros(self.num_features, device=device, dtype=dtype) if tracked else None
        variance = ones(self.num_features, device=device, dtype=dtype) if tracked else None
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", variance)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if tracked else None)

    def reset_running_stats(self) -> None:
        """Forgets what was seen so far: mean 0, variance 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Resets the running statistics, the scale and the offset."""
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in self._ranks:
            expected = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")
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

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *args: Any
    ) -> None:
        key = f"{prefix}num_batches_tracked"
        if self.track_running_stats and (local_metadata.get("version") or 1) < 2 and key not in state_dict:
            state_dict[key] = self.num_batches_tracked
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)


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
