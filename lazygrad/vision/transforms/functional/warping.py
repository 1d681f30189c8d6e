"""Where pixels come from: turned, sheared, seen from elsewhere."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.ir.dtype import float32
from lazygrad.linalg import lstsq
from lazygrad.ops.creation.sharing import from_numpy
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import pictures, tensors
from lazygrad.vision.transforms.functional.conversion import pil_to_tensor, to_pil_image
from lazygrad.vision.transforms.functional.kinds import functions_of, get_dimensions
from lazygrad.vision.transforms.grids import affine_grid, perspective_grid, rotated_size
from lazygrad.vision.transforms.interpolation import InterpolationMode, interpolation_mode

_BILINEAR, _NEAREST = InterpolationMode.BILINEAR, InterpolationMode.NEAREST


__all__ = ["rotate", "affine", "perspective", "elastic_transform"]


def rotate(
    img: Any,
    angle: float,
    interpolation: InterpolationMode = _NEAREST,
    expand: bool = False,
    center: Sequence[int] | None = None,
    fill: Any = None,
) -> Any:
    """An image turned counterclockwise.

    Args:
        img: the image.
        angle: in degrees.
        interpolation: how pixels are made.
        expand: make it large enough for all of the image, which then turns about its middle.
        center: x and y of what stays where it is; the middle if None.
        fill: the color of what was outside; black if None.

    Raises:
        TypeError: other arguments.
    """
    mode = interpolation_mode(interpolation)
    _check_geometry(angle, center)
    if not isinstance(img, Tensor):
        functions_of(img)
        return pictures.rotate(img, angle, mode, expand, center, fill)
    _, height, width = get_dimensions(img)
    matrix = _inverse_affine_matrix(_from_middle(center, height, width), -angle, [0.0, 0.0], 1.0, [0.0, 0.0])
    out = rotated_size(matrix, height, width) if expand else (height, width)
    return tensors.warp(img, affine_grid(img, matrix, out), mode, fill)


def affine(
    img: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Any,
    interpolation: InterpolationMode = _NEAREST,
    fill: Any = None,
    center: Sequence[int] | None = None,
) -> Any:
    """An image turned clockwise by ``angle`` degrees, moved, enlarged and sheared about ``center``.

    Raises:
        TypeError, ValueError: other arguments.
    """
    mode = interpolation_mode(interpolation)
    _check_geometry(angle, center)
    if not isinstance(translate, (list, tuple)):
        raise TypeError("Argument translate should be a sequence")
    if len(translate) != 2:
        raise ValueError("Argument translate should be a sequence of length 2")
    if scale <= 0.0:
        raise ValueError("Argument scale should be positive")
    if not isinstance(shear, (numbers.Number, list, tuple)):
        raise TypeError("Shear should be either a single value or a sequence of two values")
    shears: list[Any] = [shear, 0.0] if isinstance(shear, numbers.Number) else [*shear]
    shears = shears * 2 if len(shears) == 1 else shears
    if len(shears) != 2:
        raise ValueError(f"Shear should be a sequence containing two values. Got {shear}")
    _, height, width = get_dimensions(img)
    if not isinstance(img, Tensor):
        middle = [width * 0.5, height * 0.5] if center is None else list(center)
        matrix = _inverse_affine_matrix(middle, angle, translate, scale, shears)
        return pictures.affine(img, matrix, mode, fill)
    matrix = _inverse_affine_matrix(_from_middle(center, height, width), angle, translate, scale, shears)
    return tensors.warp(img, affine_grid(img, matrix, (height, width)), mode, fill)


def _check_geometry(angle: Any, center: Any) -> None:
    if not isinstance(angle, (int, float)):
        raise TypeError("Argument angle should be int or float")
    if center is not None and not isinstance(center, (list, tuple)):
        raise TypeError("Argument center should be a sequence")


def _from_middle(center: Sequence[int] | None, height: int, width: int) -> list[float]:
    return [0.0, 0.0] if center is None else [center[0] - width * 0.5, center[1] - height * 0.5]


def _inverse_affine_matrix(
    center: Sequence[float], angle: float, translate: Sequence[float], scale: float, shear: Sequence[float]
) -> list[float]:
    """Where each pixel of a result comes from: inverse of translate · center · rotate · shear · scale · -center."""
    turn, across, down = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    (cx, cy), (tx, ty) = center, translate
    a = math.cos(turn - down) / math.cos(down)
    b = -math.cos(turn - down) * math.tan(across) / math.cos(down) - math.sin(turn)
    c = math.sin(turn - down) / math.cos(down)
    d = -math.sin(turn - down) * math.tan(across) / math.cos(down) + math.cos(turn)
    matrix = [value / scale for value in (d, -b, 0.0, -c, a, 0.0)]
    matrix[2] += matrix[0] * (-cx - tx) + matrix[1] * (-cy - ty)
    matrix[5] += matrix[3] * (-cx - tx) + matrix[4] * (-cy - ty)
    matrix[2] += cx
    matrix[5] += cy
    return matrix


def perspective(
    img: Any,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: InterpolationMode = _BILINEAR,
    fill: Any = None,
) -> Any:
    """An image seen from elsewhere: four points (x, y) of it, and where they come to lie.

    Raises:
        ValueError: other than four points.
    """
    mode = interpolation_mode(interpolation)
    coefficients = _perspective_coefficients(startpoints, endpoints)
    if not isinstance(img, Tensor):
        functions_of(img)
        return pictures.perspective(img, coefficients, mode, fill)
    return tensors.warp(img, perspective_grid(img, coefficients), mode, fill)


def _perspective_coefficients(start: Sequence[Sequence[int]], end: Sequence[Sequence[int]]) -> list[float]:
    if len(start) != 4 or len(end) != 4:
        raise ValueError(f"Please provide exactly four corners, got {len(start)} startpoints and {len(end)} endpoints.")
    rows = []
    for (x, y), (u, v) in zip(end, start, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    known = np.array(start, np.float64).reshape(8, 1)
    solved = lstsq(from_numpy(np.array(rows, np.float64)), from_numpy(known), driver="gels").solution
    found: list[float] = solved.flatten().to(float32).tolist()
    return found


def elastic_transform(
    img: Any, displacement: Tensor, interpolation: InterpolationMode = _BILINEAR, fill: Any = None
) -> Any:
    """An image each of whose pixels comes from elsewhere.

    Args:
        img: the image.
        displacement: how far away, of shape [1, height, width, 2], 2 being the whole width or height.
        interpolation: how pixels are made.
        fill: the color of what was outside.
    """
    if not isinstance(img, Tensor):
        functions_of(img)
        moved = elastic_transform(pil_to_tensor(img), displacement, interpolation, fill)
        return to_pil_image(moved, img.mode)
    height, width = img.shape[-2:]
    rows = np.linspace((1 - height) / height, (height - 1) / height, height, dtype=np.float32)
    columns = np.linspace((1 - width) / width, (width - 1) / width, width, dtype=np.float32)
    grid = from_numpy(np.stack(np.meshgrid(columns, rows), -1)[None]) + displacement
    return tensors.warp(img, grid, interpolation_mode(interpolation), fill)
