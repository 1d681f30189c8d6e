"""Instance normalization layers."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn import functional as F
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.normalizations.running_statistics import ChannelNormalization
from lazygrad.tensor import Tensor

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(ChannelNormalization):
    """Instance normalization for inputs of any rank, with or without the batch dimension."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: DeviceLike = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        unbatched = input.dim() == self._ranks[0]
        self._check_channels(input, 0 if unbatched else 1)
        if unbatched:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _check_channels(self, input: Tensor, dim: int) -> None:
        channels = input.size(dim)
        if channels == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: {channels}."
            )
        warn_user(
            f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
            f"num_features, which is not used because affine=False",
        )

    def _normalized(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        if local_metadata.get("version") is None and not self.track_running_stats:
            error_msgs.extend(self._drop_former_statistics(state_dict, prefix))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _drop_former_statistics(self, state_dict: dict[str, Any], prefix: str) -> list[str]:
        """Removes what files older than PyTorch 0.4.0 hold; returns the complaint about it."""
        found = [name for name in ("running_mean", "running_var") if prefix + name in state_dict]
        for name in found:
            state_dict.pop(prefix + name)
        if not found:
            return []
        names, kind = " and ".join(f'"{prefix}{name}"' for name in found), type(self).__name__
        return [
            f"Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. A state_dict that "
            f"was saved before PyTorch 0.4.0 may hold them: remove these keys, or set track_running_stats=True if the "
            f"running statistics are needed."
        ]


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of signals, see `InstanceNorm2d`.

    Shapes:
        (N, C, L) or (C, L) → the same.
    """

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalizes every channel of every instance to mean 0 and variance 1 by its own statistics.

    With ``track_running_stats``, training moves running statistics towards the mean over the batch's instances, and
    evaluation normalizes with them. Source: Ulyanov, Vedaldi and Lempitsky, "Instance Normalization", 2016.

    Args:
        num_features: number of channels C.
        eps: added to the variance.
        momentum: share of a batch in the running statistics; None for 0.
        affine: whether a scale and an offset of each channel are learned.
        track_running_stats: whether running statistics are kept.
        device: where parameters and statistics live.
        dtype: their dtype, the default one when left out.
        bias: whether the offset is learned.

    Shapes:
        ``weight``, ``bias``, ``running_mean``, ``running_var`` (C), (N, C, H, W) or (C, H, W) → the same.

    Raises:
        ValueError: the input has another rank, or another number of channels than the parameters.
    """

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of volumes, see `InstanceNorm2d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same.
    """

    _ranks = (4, 5)
