"""Batch and instance normalization of as many channels as their first input has."""

from __future__ import annotations

from lazygrad.ir.dtype import DType, int64
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.lazy import LazyModuleMixin
from lazygrad.nn.normalizations.batch import BatchNorm1d, BatchNorm2d, BatchNorm3d
from lazygrad.nn.normalizations.instance import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from lazygrad.nn.normalizations.running_statistics import ChannelNormalization
from lazygrad.nn.parameter import UninitializedBuffer, UninitializedParameter
from lazygrad.ops.creation.from_data import tensor
from lazygrad.tensor import Tensor

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _LazyNormalization(LazyModuleMixin, ChannelNormalization):
    """What lazy normalizations share.

    Arguments are those of the class that it becomes; scale, offset and running statistics are there by default.
    """

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Resets the running statistics, the scale and the offset, once their sizes are known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Gives parameters and statistics shapes and values."""
        self.num_features = input.shape[1]
        if self.has_uninitialized_params():
            shape = (self.num_features,)
            self._materialize(weight=shape, bias=shape, running_mean=shape, running_var=shape)
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNormalization, BatchNorm1d):
    """A `BatchNorm1d` whose ``num_features`` is that of its first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormalization, BatchNorm2d):
    """A `BatchNorm2d` whose ``num_features`` is that of its first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormalization, BatchNorm3d):
    """A `BatchNorm3d` whose ``num_features`` is that of its first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormalization, InstanceNorm1d):
    """An `InstanceNorm1d` whose ``num_features`` is that of its first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormalization, InstanceNorm2d):
    """An `InstanceNorm2d` whose ``num_features`` is that of its first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormalization, InstanceNorm3d):
    """An `InstanceNorm3d` whose ``num_features`` is that of its first input."""

    cls_to_become = InstanceNorm3d
