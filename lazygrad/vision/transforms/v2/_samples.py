"""Which part of a sample is its image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor


def is_picture(value: Any) -> bool:
    return isinstance(value, Image.Image)


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def parts_of(sample: Any) -> list[Any]:
    """What a sample of nested lists, tuples and dicts holds."""
    if isinstance(sample, dict):
        return [part for value in sample.values() for part in parts_of(value)]
    if isinstance(sample, (list, tuple)):
        return [part for value in sample for part in parts_of(value)]
    return [sample]


def with_parts(sample: Any, change: Callable[[Any], Any]) -> Any:
    """The sample with what ``change`` makes of each part."""
    if isinstance(sample, dict):
        return type(sample)((key, with_parts(value, change)) for key, value in sample.items())
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return type(sample)(*(with_parts(value, change) for value in sample))
    if isinstance(sample, (list, tuple)):
        return type(sample)(with_parts(value, change) for value in sample)
    return change(sample)


def image_of(sample: Any) -> Any:
    """Pillow's image in a sample, else its first tensor; None where there is neither.

    Raises:
        NotImplementedError: several of Pillow's images, which would have to be changed alike.
    """
    parts = parts_of(sample)
    pictures = [part for part in parts if is_picture(part)]
    if len(pictures) > 1:
        raise NotImplementedError(
            "lazygrad transforms one image of a sample: draw the parameters by get_params, and give each image to "
            "transforms.functional"
        )
    return next(iter(pictures), next((part for part in parts if is_tensor(part)), None))


class Transform(Module):
    """Changes the image of a sample, and leaves labels and whatever else there is as they are."""

    def transform(self, image: Any) -> Any:
        """The changed image."""
        raise NotImplementedError

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        image = image_of(sample)
        if image is None:
            return sample
        changed = self.transform(image)
        return with_parts(sample, lambda part: changed if part is image else part)


class OfSamples(Transform):
    """Lets a transform of images, the class after this one, take samples."""

    def transform(self, image: Any) -> Any:
        return super(Transform, self).forward(image)
