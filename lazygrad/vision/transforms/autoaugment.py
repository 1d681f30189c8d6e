"""Augmentations found by search, and by chance: AutoAugment, RandAugment, TrivialAugment, AugMix."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.ops.public import full, linspace
from lazygrad.ops.random.gamma import dirichlet
from lazygrad.ops.random.tensors import rand, randint
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import functional as F
from lazygrad.vision.transforms.draws import integer
from lazygrad.vision.transforms.interpolation import InterpolationMode

__all__ = ["AugMix", "AutoAugment", "AutoAugmentPolicy", "RandAugment", "TrivialAugmentWide"]

_NEAREST, _BILINEAR = InterpolationMode.NEAREST, InterpolationMode.BILINEAR

Magnitudes = tuple[list[float] | None, bool]
"""An operation's strengths, None for one that has none, and whether it goes both ways."""


class AutoAugmentPolicy(Enum):
    """The collection of images that AutoAugment was searched for on."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


# Pairs of operation, probability and strength: Cubuk et al., arXiv:1805.09501, tables 7 to 9.
_POLICIES = {
    AutoAugmentPolicy.IMAGENET: """
        Posterize 0.4 8, Rotate 0.6 9
        Solarize 0.6 5, AutoContrast 0.6
        Equalize 0.8, Equalize 0.6
        Posterize 0.6 7, Posterize 0.6 6
        Equalize 0.4, Solarize 0.2 4
        Equalize 0.4, Rotate 0.8 8
        Solarize 0.6 3, Equalize 0.6
        Posterize 0.8 5, Equalize 1.0
        Rotate 0.2 3, Solarize 0.6 8
        Equalize 0.6, Posterize 0.4 6
        Rotate 0.8 8, Color 0.4 0
        Rotate 0.4 9, Equalize 0.6
        Equalize 0.0, Equalize 0.8
        Invert 0.6, Equalize 1.0
        Color 0.6 4, Contrast 1.0 8
        Rotate 0.8 8, Color 1.0 2
        Color 0.8 8, Solarize 0.8 7
        Sharpness 0.4 7, Invert 0.6
        ShearX 0.6 5, Equalize 1.0
        Color 0.4 0, Equalize 0.6
        Equalize 0.4, Solarize 0.2 4
        Solarize 0.6 5, AutoContrast 0.6
        Invert 0.6, Equalize 1.0
        Color 0.6 4, Contrast 1.0 8
        Equalize 0.8, Equalize 0.6
    """,
    AutoAugmentPolicy.CIFAR10: """
        Invert 0.1, Contrast 0.2 6
        Rotate 0.7 2, TranslateX 0.3 9
        Sharpness 0.8 1, Sharpness 0.9 3
        ShearY 0.5 8, TranslateY 0.7 9
        AutoContrast 0.5, Equalize 0.9
        ShearY 0.2 7, Posterize 0.3 7
        Color 0.4 3, Brightness 0.6 7
        Sharpness 0.3 9, Brightness 0.7 9
        Equalize 0.6, Equalize 0.5
        Contrast 0.6 7, Sharpness 0.6 5
        Color 0.7 7, TranslateX 0.5 8
        Equalize 0.3, AutoContrast 0.4
        TranslateY 0.4 3, Sharpness 0.2 6
        Brightness 0.9 6, Color 0.2 8
        Solarize 0.5 2, Invert 0.0
        Equalize 0.2, AutoContrast 0.6
        Equalize 0.2, Equalize 0.6
        Color 0.9 9, Equalize 0.6
        AutoContrast 0.8, Solarize 0.2 8
        Brightness 0.1 3, Color 0.7 0
        Solarize 0.4 5, AutoContrast 0.9
        TranslateY 0.9 9, TranslateY 0.7 9
        AutoContrast 0.9, Solarize 0.8 3
        Equalize 0.8, Invert 0.1
        TranslateY 0.7 9, AutoContrast 0.9
    """,
    AutoAugmentPolicy.SVHN: """
        ShearX 0.9 4, Invert 0.2
        ShearY 0.9 8, Invert 0.7
        Equalize 0.6, Solarize 0.6 6
        Invert 0.9, Equalize 0.6
        Equalize 0.6, Rotate 0.9 3
        ShearX 0.9 4, AutoContrast 0.8
        ShearY 0.9 8, Invert 0.4
        ShearY 0.9 5, Solarize 0.2 6
        Invert 0.9, AutoContrast 0.8
        Equalize 0.6, Rotate 0.9 3
        ShearX 0.9 4, Solarize 0.3 3
        ShearY 0.8 8, Invert 0.7
        Equalize 0.9, TranslateY 0.6 6
        Invert 0.9, Equalize 0.6
        Contrast 0.3 3, Rotate 0.8 4
        Invert 0.8, TranslateY 0.0 2
        ShearY 0.7 6, Solarize 0.4 8
        Invert 0.6, Rotate 0.8 4
        ShearY 0.3 7, TranslateX 0.9 3
        ShearX 0.1 6, Invert 0.6
        Solarize 0.7 2, TranslateY 0.6 7
        ShearY 0.8 4, Invert 0.8
        ShearX 0.7 9, TranslateY 0.8 3
        ShearY 0.8 5, AutoContrast 0.7
        ShearX 0.7 2, Invert 0.1
    """,
}


def _policies(policy: AutoAugmentPolicy) -> list[list[tuple[str, float, int | None]]]:
    found = []
    for row in _POLICIES[policy].strip().splitlines():
        words = [part.split() for part in row.split(",")]
        found.append([(name, float(chance), int(rest[0]) if rest else None) for name, chance, *rest in words])
    return found


def _apply(img: Any, name: str, magnitude: float, interpolation: InterpolationMode, fill: Any) -> Any:
    """The result of one operation."""
    if name in _MOVES:
        options: dict[str, Any] = {"angle": 0.0, "translate": [0, 0], "scale": 1.0, "shear": [0.0, 0.0]}
        return F.affine(img, **{**options, **_MOVES[name](magnitude)}, interpolation=interpolation, fill=fill)
    if name == "Rotate":
        return F.rotate(img, magnitude, interpolation=interpolation, fill=fill)
    return _COLORS[name](img, magnitude)


def _degrees(slope: float) -> float:
    return math.degrees(math.atan(slope))


# Shears keep the corner where it is.
_MOVES: dict[str, Callable[[float], dict[str, Any]]] = {
    "ShearX": lambda slope: {"shear": [_degrees(slope), 0.0], "center": [0, 0]},
    "ShearY": lambda slope: {"shear": [0.0, _degrees(slope)], "center": [0, 0]},
    "TranslateX": lambda pixels: {"translate": [int(pixels), 0]},
    "TranslateY": lambda pixels: {"translate": [0, int(pixels)]},
}
_COLORS: dict[str, Callable[[Any, float], Any]] = {
    "Brightness": lambda img, magnitude: F.adjust_brightness(img, 1.0 + magnitude),
    "Color": lambda img, magnitude: F.adjust_saturation(img, 1.0 + magnitude),
    "Contrast": lambda img, magnitude: F.adjust_contrast(img, 1.0 + magnitude),
    "Sharpness": lambda img, magnitude: F.adjust_sharpness(img, 1.0 + magnitude),
    "Posterize": lambda img, magnitude: F.posterize(img, int(magnitude)),
    "Solarize": F.solarize,
    "AutoContrast": lambda img, magnitude: F.autocontrast(img),
    "Equalize": lambda img, magnitude: F.equalize(img),
    "Invert": lambda img, magnitude: F.invert(img),
    "Identity": lambda img, magnitude: img,
}


def _steps(end: float, bins: int, start: float = 0.0) -> list[float]:
    found: list[float] = linspace(start, end, bins).tolist()
    return found


def _space(
    bins: int, shear: float, across: float, down: float, turn: float, color: float, bits: int, lost: int
) -> dict[str, Magnitudes]:
    """The operations that all share, with the strengths of ``bins`` levels."""
    levels = [float(bits - round(level / ((bins - 1) / lost))) for level in range(bins)]
    return {
        "ShearX": (_steps(shear, bins), True),
        "ShearY": (_steps(shear, bins), True),
        "TranslateX": (_steps(across, bins), True),
        "TranslateY": (_steps(down, bins), True),
        "Rotate": (_steps(turn, bins), True),
        **{name: (_steps(color, bins), True) for name in ("Brightness", "Color", "Contrast", "Sharpness")},
        "Posterize": (levels, False),
        "Solarize": (_steps(0.0, bins, 255.0), False),
        "AutoContrast": (None, False),
        "Equalize": (None, False),
    }


def _fill(img: Any, fill: Any) -> Any:
    """A color as tensors want it: a number for each channel."""
    if not isinstance(img, Tensor) or fill is None:
        return fill
    if isinstance(fill, (int, float)):
        return [float(fill)] * F.get_dimensions(img)[0]
    return [float(value) for value in fill]


def _signed(magnitude: float, goes_both_ways: bool) -> float:
    return -magnitude if goes_both_ways and integer(0, 2) else magnitude


def _described(module: Module, *names: str) -> str:
    return f"{type(module).__name__}({', '.join(f'{name}={getattr(module, name)}' for name in names)})"


class AutoAugment(Module):
    """One of the 25 pairs of operations that were found best for a collection of images.

    Args:
        policy: for which one.
        interpolation: how pixels are made.
        fill: the color of what was outside.

    Raises:
        ValueError: there is no such policy.
    """

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: InterpolationMode = _NEAREST,
        fill: Any = None,
    ) -> None:
        super().__init__()
        if policy not in _POLICIES:
            raise ValueError(f"The provided policy {policy} is not recognized.")
        self.policy = policy
        self.interpolation = interpolation
        self.fill = fill
        self.policies = _policies(policy)

    @staticmethod
    def get_params(transform_num: int) -> tuple[int, Tensor, Tensor]:
        """Which pair; for each of its operations a number to compare with its probability, and a sign."""
        return integer(0, transform_num), rand(2), randint(0, 2, (2,))

    def forward(self, img: Any) -> Any:
        fill = _fill(img, self.fill)
        _, height, width = F.get_dimensions(img)
        which, chances, signs = self.get_params(len(self.policies))
        space = _space(10, 0.3, 150.0 / 331.0 * width, 150.0 / 331.0 * height, 30.0, 0.9, 8, 4)
        space["Invert"] = (None, False)
        for (name, probability, level), chance, sign in zip(
            self.policies[which], chances.tolist(), signs.tolist(), strict=True
        ):
            if chance <= probability:
                magnitudes, goes_both_ways = space[name]
                magnitude = magnitudes[level] if magnitudes is not None and level is not None else 0.0
                magnitude = -magnitude if goes_both_ways and sign == 0 else magnitude
                img = _apply(img, name, magnitude, self.interpolation, fill)
        return img

    def __repr__(self) -> str:
        return _described(self, "policy", "fill")


class RandAugment(Module):
    """Operations drawn one after the other, all of one strength: Cubuk et al., arXiv:1909.13719.

    Args:
        num_ops: how many.
        magnitude: their level, of ``num_magnitude_bins``.
        num_magnitude_bins: how many levels there are.
        interpolation: how pixels are made.
        fill: the color of what was outside.
    """

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: InterpolationMode = _NEAREST,
        fill: Any = None,
    ) -> None:
        super().__init__()
        self.num_ops = num_ops
        self.magnitude = magnitude
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation = interpolation
        self.fill = fill

    def forward(self, img: Any) -> Any:
        fill = _fill(img, self.fill)
        _, height, width = F.get_dimensions(img)
        across, down = 150.0 / 331.0 * width, 150.0 / 331.0 * height
        space: dict[str, Magnitudes] = {"Identity": (None, False)}
        space |= _space(self.num_magnitude_bins, 0.3, across, down, 30.0, 0.9, 8, 4)
        for _ in range(self.num_ops):
            name, (magnitudes, goes_both_ways) = list(space.items())[integer(0, len(space))]
            magnitude = magnitudes[self.magnitude] if magnitudes is not None else 0.0
            img = _apply(img, name, _signed(magnitude, goes_both_ways), self.interpolation, fill)
        return img

    def __repr__(self) -> str:
        return _described(self, "num_ops", "magnitude", "num_magnitude_bins", "interpolation", "fill")


class TrivialAugmentWide(Module):
    """One operation of any strength: Müller and Hutter, arXiv:2103.10158, with the wide space.

    Args:
        num_magnitude_bins: how many levels there are.
        interpolation: how pixels are made.
        fill: the color of what was outside.
    """

    def __init__(
        self, num_magnitude_bins: int = 31, interpolation: InterpolationMode = _NEAREST, fill: Any = None
    ) -> None:
        super().__init__()
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation = interpolation
        self.fill = fill

    def forward(self, img: Any) -> Any:
        fill = _fill(img, self.fill)
        space: dict[str, Magnitudes] = {"Identity": (None, False)}
        space |= _space(self.num_magnitude_bins, 0.99, 32.0, 32.0, 135.0, 0.99, 8, 6)
        name, (magnitudes, goes_both_ways) = list(space.items())[integer(0, len(space))]
        magnitude = magnitudes[integer(0, len(magnitudes))] if magnitudes is not None else 0.0
        return _apply(img, name, _signed(magnitude, goes_both_ways), self.interpolation, fill)

    def __repr__(self) -> str:
        return _described(self, "num_magnitude_bins", "interpolation", "fill")


class AugMix(Module):
    """A mixture of an image with results of chains of operations: Hendrycks et al., arXiv:1912.02781.

    Args:
        severity: the highest level drawn, of ten.
        mixture_width: how many chains.
        chain_depth: operations in each; one to three, by chance, if it is not positive.
        alpha: of the distributions that the shares are drawn from.
        all_ops: take those too that the tests of robustness use.
        interpolation: how pixels are made.
        fill: the color of what was outside.

    Raises:
        ValueError: a severity that is no level.
    """

    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: InterpolationMode = _BILINEAR,
        fill: Any = None,
    ) -> None:
        super().__init__()
        self._PARAMETER_MAX = 10
        if not 1 <= severity <= self._PARAMETER_MAX:
            raise ValueError(f"The severity must be between [1, {self._PARAMETER_MAX}]. Got {severity} instead.")
        self.severity = severity
        self.mixture_width = mixture_width
        self.chain_depth = chain_depth
        self.alpha = alpha
        self.all_ops = all_ops
        self.interpolation = interpolation
        self.fill = fill

    def _space(self, height: int, width: int) -> dict[str, Magnitudes]:
        space = _space(self._PARAMETER_MAX, 0.3, width / 3.0, height / 3.0, 30.0, 0.9, 4, 4)
        colors = {name: space.pop(name) for name in ("Brightness", "Color", "Contrast", "Sharpness")}
        return {**space, **colors} if self.all_ops else space

    def forward(self, orig_img: Any) -> Any:
        fill = _fill(orig_img, self.fill)
        _, height, width = F.get_dimensions(orig_img)
        img: Tensor = orig_img if isinstance(orig_img, Tensor) else F.pil_to_tensor(orig_img)
        space = list(self._space(height, width).items())
        batch = img.reshape(*[1] * max(4 - img.ndim, 0), *img.shape)
        each = (batch.shape[0], *[1] * (batch.ndim - 1))
        kept = dirichlet(full((batch.shape[0], 2), self.alpha))
        shares = dirichlet(full((batch.shape[0], self.mixture_width), self.alpha)) * kept[:, 1:]
        mixed = kept[:, 0].view(each) * batch
        for chain in range(self.mixture_width):
            changed = batch
            for _ in range(self.chain_depth if self.chain_depth > 0 else integer(1, 4)):
                name, (magnitudes, goes_both_ways) = space[integer(0, len(space))]
                magnitude = magnitudes[integer(0, self.severity)] if magnitudes is not None else 0.0
                changed = _apply(changed, name, _signed(magnitude, goes_both_ways), self.interpolation, fill)
            mixed = mixed + shares[:, chain].view(each) * changed
        result = mixed.view(img.shape).to(img.dtype)
        return result if isinstance(orig_img, Tensor) else F.to_pil_image(result)

    def __repr__(self) -> str:
        names = ("severity", "mixture_width", "chain_depth", "alpha", "all_ops", "interpolation", "fill")
        return _described(self, *names)
