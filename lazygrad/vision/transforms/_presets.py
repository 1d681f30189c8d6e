"""What published weights want done to images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import float32
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import functional as F
from lazygrad.vision.transforms.interpolation import InterpolationMode


class ImageClassification(Module):
    """An image resized, cropped in the middle, in [0, 1], and normalized.

    Args:
        crop_size: of the result's sides.
        resize_size: of the smaller side before the crop.
        mean, std: of each channel.
        interpolation, antialias: see `lazygrad.vision.transforms.functional.resize`.
    """

    def __init__(
        self,
        *,
        crop_size: int,
        resize_size: int = 256,
        mean: Sequence[float] = (0.485, 0.456, 0.406),
        std: Sequence[float] = (0.229, 0.224, 0.225),
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        super().__init__()
        self.crop_size = [crop_size]
        self.resize_size = [resize_size]
        self.mean = list(mean)
        self.std = list(std)
        self.interpolation = interpolation
        self.antialias = antialias

    def forward(self, img: Any) -> Tensor:
        """Pillow's image or a tensor [..., channels, height, width], as a tensor of float32."""
        resized = F.resize(img, self.resize_size, interpolation=self.interpolation, antialias=self.antialias)
        cropped = F.center_crop(resized, self.crop_size)
        planes = cropped if isinstance(cropped, Tensor) else F.pil_to_tensor(cropped)
        return F.normalize(F.convert_image_dtype(planes, float32), mean=self.mean, std=self.std)

    def __repr__(self) -> str:
        names = ("crop_size", "resize_size", "mean", "std", "interpolation")
        lines = [f"    {name}={getattr(self, name)}" for name in names]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])

    def describe(self) -> str:
        """What it does, in words."""
        return (
            f"Takes Pillow images and tensors [..., C, H, W]. The smaller side becomes {self.resize_size} by "
            f"{self.interpolation}, the middle {self.crop_size} is cut out, values are brought to [0.0, 1.0], then "
            f"normalized by mean={self.mean} and std={self.std}."
        )
