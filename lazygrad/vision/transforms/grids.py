"""Where the pixels of a warped tensor come from, as `grid_sample` wants it: the image's borders are -1 and 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lazygrad.ir.dtype import DType, float32
from lazygrad.ops.public import linspace, ones, stack
from lazygrad.ops.public import tensor as new_tensor
from lazygrad.tensor import Tensor


def affine_grid(img: Tensor, matrix: Sequence[float], size: tuple[int, int]) -> Tensor:
    """Places of an image for a result of ``size`` (height, width), by a 2 × 3 matrix about the middle."""
    dtype = img.dtype if img.is_floating_point() else float32
    height, width = size
    theta = new_tensor(list(matrix), dtype=dtype).reshape(1, 2, 3)
    half = new_tensor([0.5 * img.shape[-1], 0.5 * img.shape[-2]], dtype=dtype)
    points = _points(-width * 0.5 + 0.5, -height * 0.5 + 0.5, height, width, dtype)
    return points.view(1, height * width, 3).bmm(theta.transpose(1, 2) / half).view(1, height, width, 2)


def perspective_grid(img: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Places of an image for a result of its size, by the 8 coefficients of a perspective."""
    dtype = img.dtype if img.is_floating_point() else float32
    height, width = img.shape[-2:]
    above = new_tensor([[*coefficients[:3]], [*coefficients[3:6]]], dtype=dtype)[None]
    below = new_tensor([[*coefficients[6:], 1.0]] * 2, dtype=dtype)[None]
    half = new_tensor([0.5 * width, 0.5 * height], dtype=dtype)
    points = _points(0.5, 0.5, height, width, dtype).view(1, height * width, 3)
    places = points.bmm(above.transpose(1, 2) / half) / points.bmm(below.transpose(1, 2)) - 1.0
    return places.view(1, height, width, 2)


def rotated_size(matrix: Sequence[float], height: int, width: int) -> tuple[int, int]:
    """Height and width that hold all of a rotated image."""
    x, y = 0.5 * width, 0.5 * height
    corners = np.array([[-x, -y, 1.0], [-x, y, 1.0], [x, y, 1.0], [x, -y, 1.0]], np.float32)
    placed = corners @ np.array(matrix, np.float32).reshape(2, 3).T + np.array([x, y], np.float32)
    tolerance = np.float32(1e-4)
    high = np.ceil(np.trunc(placed.max(0) / tolerance) * tolerance)
    low = np.floor(np.trunc(placed.min(0) / tolerance) * tolerance)
    columns, rows = (high - low).tolist()
    return int(rows), int(columns)


def _points(left: float, top: float, height: int, width: int, dtype: DType) -> Tensor:
    """x, y and 1 of each pixel."""
    x = linspace(left, left + width - 1, width).to(dtype).expand(height, width)
    y = linspace(top, top + height - 1, height).to(dtype)[:, None].expand(height, width)
    return stack([x, y, ones(height, width, dtype=dtype)], -1)
