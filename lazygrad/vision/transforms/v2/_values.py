"""What an image is made of: its type, dtype, channels, and noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PIL import Image

from lazygrad.ir.dtype import DType
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.converting import ToTensor as ToTensorOfImages
from lazygrad.vision.transforms.v2 import functional as F
from lazygrad.vision.transforms.v2._samples import Transform, is_array, is_picture, with_parts

__all__ = """
GaussianNoise Identity Lambda PILToTensor RGB RandomChannelPermutation ToDtype ToImage ToPILImage ToPureTensor
ToTensor
""".split()


class Identity(Transform):
    """Leaves the sample as it is."""

    def transform(self, image: Any) -> Any:
        return image


class Lambda(Transform):
    """A function of each part of a sample that is of one of the types."""

    def __init__(self, lambd: Callable[[Any], Any], *types: type) -> None:
        super().__init__()
        self.lambd = lambd
        self.types = types or (object,)

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        return with_parts(sample, lambda part: self.lambd(part) if isinstance(part, self.types) else part)


class ToImage(Transform):
    """Pillow's images and arrays [height, width, channels] as tensors [channels, height, width] of the same numbers."""

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        return with_parts(sample, lambda part: F.to_image(part) if is_picture(part) or is_array(part) else part)


class PILToTensor(Transform):
    """Pillow's images as tensors [channels, height, width] of the same numbers."""

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        return with_parts(sample, lambda part: F.pil_to_tensor(part) if is_picture(part) else part)


class ToTensor(Transform):
    """Pillow's images and arrays as tensors in [0, 1]."""

    def forward(self, *inputs: Any) -> Any:
        sample, convert = inputs if len(inputs) > 1 else inputs[0], ToTensorOfImages()
        return with_parts(sample, lambda part: convert(part) if is_picture(part) or is_array(part) else part)


class ToPILImage(Transform):
    """A tensor or an array as Pillow's image."""

    def __init__(self, mode: str | None = None) -> None:
        super().__init__()
        self.mode = mode

    def transform(self, image: Any) -> Any:
        return image if isinstance(image, Image.Image) else F.to_pil_image(image, self.mode)


class ToPureTensor(Identity):
    """Leaves tensors as they are: no other kind is given."""


class ToDtype(Transform):
    """The image in numbers of another dtype.

    Args:
        dtype: which one, or a dict of dtypes by type, of which that for tensors or for "others" is taken.
        scale: white stays white; otherwise the numbers stay.

    Raises:
        ValueError: neither.
    """

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        super().__init__()
        if not isinstance(dtype, (dict, DType)):
            raise ValueError(f"dtype must be a dict or a torch.dtype, got {type(dtype)} instead")
        self.dtype = dtype
        self.scale = scale

    def transform(self, image: Any) -> Any:
        dtype = self.dtype if isinstance(self.dtype, DType) else self.dtype.get(Tensor, self.dtype.get("others"))
        if dtype is None or not isinstance(image, Tensor):
            return image
        return F.to_dtype(image, dtype, self.scale)

    def extra_repr(self) -> str:
        return f"scale={self.scale}"


class RGB(Transform):
    """An image of one channel as three equal ones."""

    def transform(self, image: Any) -> Any:
        return F.grayscale_to_rgb(image)


class GaussianNoise(Transform):
    """Adds normal numbers to tensors of floats in [0, 1] or of bytes.

    Args:
        mean, sigma: of the numbers, white being 1.
        clip: bring what is out of range back to its end.
    """

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> None:
        super().__init__()
        self.mean = mean
        self.sigma = sigma
        self.clip = clip

    def transform(self, image: Any) -> Any:
        return F.gaussian_noise(image, self.mean, self.sigma, self.clip)

    def extra_repr(self) -> str:
        return f"mean={self.mean}, sigma={self.sigma}, clip={self.clip}"


class RandomChannelPermutation(Transform):
    """The channels in an order that is drawn."""

    def transform(self, image: Any) -> Any:
        return F.permute_channels(image, F.draw_order(F.get_dimensions(image)[0]))
