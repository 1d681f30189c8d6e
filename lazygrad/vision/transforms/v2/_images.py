"""The transforms of images, for samples: the same draws, parameters and results."""

from __future__ import annotations

from typing import Any

from lazygrad.vision import transforms as images
from lazygrad.vision.transforms import functional as F
from lazygrad.vision.transforms.draws import integer
from lazygrad.vision.transforms.v2._samples import OfSamples

__all__ = """
AugMix AutoAugment CenterCrop ColorJitter ConvertImageDtype ElasticTransform FiveCrop GaussianBlur Grayscale
LinearTransformation Normalize Pad RandAugment RandomAdjustSharpness RandomAffine RandomAutocontrast
RandomCrop RandomEqualize RandomErasing RandomGrayscale RandomHorizontalFlip RandomInvert RandomPerspective
RandomPosterize RandomResizedCrop RandomRotation RandomSolarize RandomVerticalFlip Resize TenCrop
TrivialAugmentWide
""".split()


class Resize(OfSamples, images.Resize):
    """See `lazygrad.vision.transforms.Resize`."""


class CenterCrop(OfSamples, images.CenterCrop):
    """See `lazygrad.vision.transforms.CenterCrop`."""


class FiveCrop(OfSamples, images.FiveCrop):
    """See `lazygrad.vision.transforms.FiveCrop`."""


class TenCrop(OfSamples, images.TenCrop):
    """See `lazygrad.vision.transforms.TenCrop`."""


class Pad(OfSamples, images.Pad):
    """See `lazygrad.vision.transforms.Pad`."""


class RandomHorizontalFlip(OfSamples, images.RandomHorizontalFlip):
    """See `lazygrad.vision.transforms.RandomHorizontalFlip`."""


class RandomVerticalFlip(OfSamples, images.RandomVerticalFlip):
    """See `lazygrad.vision.transforms.RandomVerticalFlip`."""


class RandomResizedCrop(OfSamples, images.RandomResizedCrop):
    """See `lazygrad.vision.transforms.RandomResizedCrop`."""


class RandomRotation(OfSamples, images.RandomRotation):
    """See `lazygrad.vision.transforms.RandomRotation`."""


class RandomAffine(OfSamples, images.RandomAffine):
    """See `lazygrad.vision.transforms.RandomAffine`."""


class RandomPerspective(OfSamples, images.RandomPerspective):
    """See `lazygrad.vision.transforms.RandomPerspective`."""


class ElasticTransform(OfSamples, images.ElasticTransform):
    """See `lazygrad.vision.transforms.ElasticTransform`."""


class RandomErasing(OfSamples, images.RandomErasing):
    """See `lazygrad.vision.transforms.RandomErasing`."""


class ColorJitter(OfSamples, images.ColorJitter):
    """See `lazygrad.vision.transforms.ColorJitter`."""


class Grayscale(OfSamples, images.Grayscale):
    """See `lazygrad.vision.transforms.Grayscale`."""


class RandomGrayscale(OfSamples, images.RandomGrayscale):
    """See `lazygrad.vision.transforms.RandomGrayscale`."""


class GaussianBlur(OfSamples, images.GaussianBlur):
    """See `lazygrad.vision.transforms.GaussianBlur`."""


class RandomInvert(OfSamples, images.RandomInvert):
    """See `lazygrad.vision.transforms.RandomInvert`."""


class RandomAutocontrast(OfSamples, images.RandomAutocontrast):
    """See `lazygrad.vision.transforms.RandomAutocontrast`."""


class RandomEqualize(OfSamples, images.RandomEqualize):
    """See `lazygrad.vision.transforms.RandomEqualize`."""


class RandomPosterize(OfSamples, images.RandomPosterize):
    """See `lazygrad.vision.transforms.RandomPosterize`."""


class RandomSolarize(OfSamples, images.RandomSolarize):
    """See `lazygrad.vision.transforms.RandomSolarize`."""


class RandomAdjustSharpness(OfSamples, images.RandomAdjustSharpness):
    """See `lazygrad.vision.transforms.RandomAdjustSharpness`."""


class ConvertImageDtype(OfSamples, images.ConvertImageDtype):
    """See `lazygrad.vision.transforms.ConvertImageDtype`."""


class Normalize(OfSamples, images.Normalize):
    """See `lazygrad.vision.transforms.Normalize`."""


class LinearTransformation(OfSamples, images.LinearTransformation):
    """See `lazygrad.vision.transforms.LinearTransformation`."""


class RandomCrop(OfSamples, images.RandomCrop):
    """See `lazygrad.vision.transforms.RandomCrop`; nothing is drawn for a side that has the right size already."""

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Top, left, height and width of the part.

        Raises:
            ValueError: the image is smaller.
        """
        _, height, width = F.get_dimensions(img)
        down, right = height - output_size[0], width - output_size[1]
        if down < 0 or right < 0:
            raise ValueError(f"Required crop size {output_size} is larger than input image size {(height, width)}")
        top = integer(0, down + 1) if down > 0 else 0
        left = integer(0, right + 1) if right > 0 else 0
        return top, left, output_size[0], output_size[1]


class AutoAugment(OfSamples, images.AutoAugment):
    """See `lazygrad.vision.transforms.AutoAugment`; torchvision's v2 draws otherwise."""


class RandAugment(OfSamples, images.RandAugment):
    """See `lazygrad.vision.transforms.RandAugment`; torchvision's v2 draws otherwise."""


class TrivialAugmentWide(OfSamples, images.TrivialAugmentWide):
    """See `lazygrad.vision.transforms.TrivialAugmentWide`; torchvision's v2 draws otherwise."""


class AugMix(OfSamples, images.AugMix):
    """See `lazygrad.vision.transforms.AugMix`; torchvision's v2 draws otherwise."""
