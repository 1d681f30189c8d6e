"""Batches whose images are mixed in pairs, and their labels with them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from lazygrad.distributions import Beta
from lazygrad.nn.core.module import Module
from lazygrad.nn.functional import one_hot
from lazygrad.ops.public import tensor as new_tensor
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.draws import integer
from lazygrad.vision.transforms.v2._samples import is_picture, parts_of, with_parts

__all__ = ["CutMix", "MixUp"]


def _usual_labels(sample: Any) -> Any:
    """The second part of a pair, or what a dict has under a name like "labels".

    Raises:
        ValueError: neither.
    """
    if isinstance(sample, (list, tuple)) and len(sample) == 2:
        return sample[1]
    if isinstance(sample, dict):
        for key, value in sample.items():
            if "label" in str(key).lower():
                return value
    raise ValueError("Could not infer where the labels are in the sample. Try passing a callable as the labels_getter")


class _Mixing(Module):
    """Each image of a batch, with the one before it.

    Args:
        alpha: of the Beta distribution that shares are drawn from.
        num_classes: where labels are numbers of classes.
        labels_getter: finds the labels in a sample: a function, or the key of a dict.

    Raises:
        ValueError: Pillow's images; labels of another shape, or not of as many images; no number of classes.
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        num_classes: int | None = None,
        labels_getter: Callable[[Any], Any] | str = "default",
    ) -> None:
        super().__init__()
        self.alpha = float(alpha)
        self.num_classes = num_classes
        self._labels_getter = labels_getter
        self._dist = Beta(new_tensor([self.alpha]), new_tensor([self.alpha]))

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        if any(is_picture(part) for part in parts_of(sample)):
            raise ValueError(
                f"{type(self).__name__}() does not support PIL images, bounding boxes, keypoints and masks."
            )
        labels = self._labels(sample)
        images = next(part for part in parts_of(sample) if isinstance(part, Tensor) and part is not labels)
        if images.ndim != 4:
            raise ValueError(f"Expected a batched input with 4 dims, but got {images.ndim} dimensions instead.")
        if images.shape[0] != labels.shape[0]:
            raise ValueError(
                "The batch size of the image or video does not match the batch size of the labels: "
                f"{images.shape[0]} != {labels.shape[0]}."
            )
        mixed, share = self._mixed(images, float(self._dist.sample().item()))
        mixed_labels = self._mixed_labels(labels, share)
        return with_parts(sample, lambda part: mixed if part is images else mixed_labels if part is labels else part)

    def _labels(self, sample: Any) -> Tensor:
        getter = self._labels_getter
        if getter == "default":
            labels = _usual_labels(sample)
        else:
            labels = getter(sample) if callable(getter) else sample[getter]
        if not isinstance(labels, Tensor):
            raise ValueError(f"The labels must be a tensor, but got {type(labels)} instead.")
        if labels.ndim not in (1, 2):
            raise ValueError(f"labels should be of shape (batch,) or (batch, classes), but got {labels.shape} instead.")
        if labels.ndim == 2 and self.num_classes not in (None, labels.shape[-1]):
            raise ValueError(
                "When passing 2D labels, the number of elements in last dimension must match num_classes: "
                f"{labels.shape[-1]} != {self.num_classes}. You can Leave num_classes to None."
            )
        if labels.ndim == 1 and self.num_classes is None:
            raise ValueError("num_classes must be passed if the labels are index-based (1D)")
        return labels

    def _mixed_labels(self, labels: Tensor, share: float) -> Tensor:
        shares = one_hot(labels, num_classes=self.num_classes or -1) if labels.ndim == 1 else labels
        shares = shares if shares.is_floating_point() else shares.float()
        return shares.roll(1, 0) * (1.0 - share) + shares * share

    def _mixed(self, images: Tensor, share: float) -> tuple[Tensor, float]:
        """The batch, and how much of each image is its own."""
        raise NotImplementedError


class MixUp(_Mixing):
    """Sums of two images: Zhang et al., arXiv:1710.09412."""

    def _mixed(self, images: Tensor, share: float) -> tuple[Tensor, float]:
        return images.roll(1, 0) * (1.0 - share) + images * share, share


class CutMix(_Mixing):
    """Images with a part of another: Yun et al., arXiv:1905.04899."""

    def _mixed(self, images: Tensor, share: float) -> tuple[Tensor, float]:
        height, width = images.shape[-2:]
        x, y = integer(0, width), integer(0, height)
        half = 0.5 * math.sqrt(1.0 - share)
        across, down = int(half * width), int(half * height)
        left, right = max(x - across, 0), min(x + across, width)
        top, bottom = max(y - down, 0), min(y + down, height)
        mixed = images.clone()
        mixed[..., top:bottom, left:right] = images.roll(1, 0)[..., top:bottom, left:right]
        return mixed, 1.0 - (right - left) * (bottom - top) / (width * height)
