"""Transforms whose pixels come from between pixels: turned, sheared, seen from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.ops.public import cat, rand
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import functional as F
from lazygrad.vision.transforms.arguments import angles, check_sequence, fill_for, fill_option
from lazygrad.vision.transforms.draws import between, happens, integer
from lazygrad.vision.transforms.interpolation import InterpolationMode, interpolation_mode

__all__ = ["ElasticTransform", "RandomAffine", "RandomPerspective", "RandomRotation"]


class RandomRotation(Module):
    """An image turned by a random angle.

    Args:
        degrees: least and largest angle; one number stands for that and its negative.
        interpolation, expand, center, fill: see `functional.rotate`.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(
        self,
        degrees: Any,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        expand: bool = False,
        center: Sequence[int] | None = None,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.interpolation = interpolation_mode(interpolation)
        self.degrees = angles(degrees, "degrees")
        if center is not None:
            check_sequence(center, "center", (2,))
        self.center = center
        self.expand = expand
        self.fill = fill_option(fill)

    @staticmethod
    def get_params(degrees: Sequence[float]) -> float:
        """The angle."""
        return between(float(degrees[0]), float(degrees[1]))

    def forward(self, img: Any) -> Any:
        fill = fill_for(img, self.fill)
        angle = self.get_params(self.degrees)
        return F.rotate(img, angle, self.interpolation, self.expand, self.center, fill)

    def __repr__(self) -> str:
        center = "" if self.center is None else f", center={self.center}"
        return (
            f"{type(self).__name__}(degrees={self.degrees}, interpolation={self.interpolation.value}, "
            f"expand={self.expand}{center}, fill={self.fill})"
        )


class RandomAffine(Module):
    """An image turned, moved, enlarged and sheared at random.

    Args:
        degrees: least and largest angle; one number stands for that and its negative.
        translate: largest shares of width and height that it is moved by.
        scale: least and largest factor.
        shear: least and largest angle along x, and along y if there are four numbers.
        interpolation, fill, center: see `functional.affine`.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(
        self,
        degrees: Any,
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: Any = None,
        interpolation: InterpolationMode = InterpolationMode.NEAREST,
        fill: Any = 0,
        center: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self.interpolation = interpolation_mode(interpolation)
        self.degrees = angles(degrees, "degrees")
        if translate is not None:
            check_sequence(translate, "translate", (2,))
            if any(not 0.0 <= share <= 1.0 for share in translate):
                raise ValueError("translation values should be between 0 and 1")
        self.translate = translate
        if scale is not None:
            check_sequence(scale, "scale", (2,))
            if any(factor <= 0 for factor in scale):
                raise ValueError("scale values should be positive")
        self.scale = scale
        self.shear = None if shear is None else angles(shear, "shear", (2, 4))
        self.fill = fill_option(fill)
        if center is not None:
            check_sequence(center, "center", (2,))
        self.center = center

    @staticmethod
    def get_params(
        degrees: Sequence[float],
        translate: Sequence[float] | None,
        scale_ranges: Sequence[float] | None,
        shears: Sequence[float] | None,
        img_size: Sequence[int],
    ) -> tuple[float, tuple[int, int], float, tuple[float, float]]:
        """The angle, the way in pixels, the factor, and the angles of shearing; ``img_size`` is width and height."""
        angle = between(float(degrees[0]), float(degrees[1]))
        way, scale, shear_x, shear_y = (0, 0), 1.0, 0.0, 0.0
        if translate is not None:
            right, down = float(translate[0] * img_size[0]), float(translate[1] * img_size[1])
            way = round(between(-right, right)), round(between(-down, down))
        if scale_ranges is not None:
            scale = between(scale_ranges[0], scale_ranges[1])
        if shears is not None:
            shear_x = between(shears[0], shears[1])
            shear_y = between(shears[2], shears[3]) if len(shears) == 4 else 0.0
        return angle, way, scale, (shear_x, shear_y)

    def forward(self, img: Any) -> Any:
        fill = fill_for(img, self.fill)
        _, height, width = F.get_dimensions(img)
        drawn = self.get_params(self.degrees, self.translate, self.scale, self.shear, [width, height])
        return F.affine(img, *drawn, interpolation=self.interpolation, fill=fill, center=self.center)

    def __repr__(self) -> str:
        said = [f"degrees={self.degrees}"]
        said += [
            f"{name}={getattr(self, name)}"
            for name in ("translate", "scale", "shear")
            if getattr(self, name) is not None
        ]
        if self.interpolation is not InterpolationMode.NEAREST:
            said.append(f"interpolation={self.interpolation.value}")
        said += [f"fill={self.fill}"] * (self.fill != 0) + [f"center={self.center}"] * (self.center is not None)
        return f"{type(self).__name__}({', '.join(said)})"


class RandomPerspective(Module):
    """An image seen from elsewhere with probability ``p``.

    Args:
        distortion_scale: largest share of half the image that a corner moves by.
        p: how likely.
        interpolation, fill: see `functional.perspective`.

    Raises:
        TypeError: other arguments.
    """

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.p = p
        self.interpolation = interpolation_mode(interpolation)
        self.distortion_scale = distortion_scale
        self.fill = fill_option(fill)

    @staticmethod
    def get_params(width: int, height: int, distortion_scale: float) -> tuple[list[list[int]], list[list[int]]]:
        """The corners, and where they come to lie: top left, top right, bottom right, bottom left."""
        across, down = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        left, top = (0, across + 1), (0, down + 1)
        right, bottom = (width - across - 1, width), (height - down - 1, height)
        ends = [[integer(*x), integer(*y)] for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], ends

    def forward(self, img: Any) -> Any:
        fill = fill_for(img, self.fill)
        _, height, width = F.get_dimensions(img)
        if not happens(self.p):
            return img
        start, end = self.get_params(width, height, self.distortion_scale)
        return F.perspective(img, start, end, self.interpolation, fill)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p})"


class ElasticTransform(Module):
    """An image each of whose pixels is moved a little, by ways that are alike for neighbors.

    Args:
        alpha: how far, in pixels, along x and y.
        sigma: how far ways are alike, along x and y.
        interpolation, fill: see `functional.elastic_transform`.

    Raises:
        TypeError, ValueError: other arguments.
    """

    def __init__(
        self,
        alpha: Any = 50.0,
        sigma: Any = 5.0,
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        super().__init__()
        self.alpha = _two_floats(alpha, "alpha")
        self.sigma = _two_floats(sigma, "sigma")
        self.interpolation = interpolation_mode(interpolation)
        if not isinstance(fill, (int, float, list, tuple)):
            raise TypeError(f"fill should be int or float or a list or tuple of them. Got {type(fill)}")
        self.fill = [float(fill)] if isinstance(fill, (int, float)) else [float(each) for each in fill]

    @staticmethod
    def get_params(alpha: Sequence[float], sigma: Sequence[float], size: Sequence[int]) -> Tensor:
        """The ways, of shape [1, height, width, 2], 2 being the whole width or height."""
        ways = []
        for axis in (0, 1):
            way = rand(1, 1, *size) * 2 - 1
            if sigma[axis] > 0.0:
                taps = int(8 * sigma[axis] + 1) | 1
                way = F.gaussian_blur(way, [taps, taps], list(sigma))
            ways.append(way * alpha[axis] / size[1 - axis])
        return cat(ways, 1).permute(0, 2, 3, 1)

    def forward(self, tensor: Any) -> Any:
        _, height, width = F.get_dimensions(tensor)
        ways = self.get_params(self.alpha, self.sigma, [height, width])
        return F.elastic_transform(tensor, ways, self.interpolation, self.fill)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(alpha={self.alpha}, sigma={self.sigma}, interpolation={self.interpolation}, "
            f"fill={self.fill})"
        )


def _two_floats(given: Any, name: str) -> list[float]:
    if isinstance(given, float):
        return [given, given]
    if not isinstance(given, Sequence):
        raise TypeError(f"{name} should be float or a sequence of floats. Got {type(given)}")
    if len(given) != 2:
        raise ValueError(f"If {name} is a sequence its length should be 2. Got {len(given)}")
    if not all(isinstance(each, float) for each in given):
        raise TypeError(f"{name} should be a sequence of floats. Got {given}")
    return list(given)
