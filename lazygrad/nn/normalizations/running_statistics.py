"""What batch and instance normalization share: scale and offset of every channel, and its running statistics."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType, int64
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.normalizations.layer import AffineModule
from lazygrad.ops.creation.filled import ones, zeros
from lazygrad.ops.creation.from_data import tensor
from lazygrad.tensor import Tensor


class ChannelNormalization(AffineModule):
    """Arguments, parameters, buffers and their saved form.

    A class derived from it says in ``_ranks`` how many dimensions its input may have, or overrides
    ``_check_input_dim``, as classes written for PyTorch do.
    """

    _version = 2  # since then num_batches_tracked is saved
    _ranks: tuple[int, ...] = ()

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

    def _check_input_dim(self, input: Tensor) -> None:
        if not self._ranks:
            raise NotImplementedError(f"{type(self).__name__} does not define _check_input_dim")
        if input.dim() not in self._ranks:
            expected = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

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
