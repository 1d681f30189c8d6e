"""Where pixels are: flips, crops, borders, sizes."""

from __future__ import annotations

import numbers
from typing import Any

from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.functional.kinds import functions_of, get_dimensions
from lazygrad.vision.transforms.interpolation import InterpolationMode, interpolation_mode
from lazygrad.vision.transforms.padding import check_mode, padding_of

_BILINEAR = InterpolationMode.BILINEAR


__all__ = [
    "hflip",
    "vflip",
    "crop",
    "two_sizes",
    "center_crop",
    "pad",
    "resize",
    "resized_crop",
    "five_crop",
    "ten_crop",
]


def hflip(img: Any) -> Any:
    """Left and right exchanged."""
    return functions_of(img).hflip(img)


def vflip(img: Any) -> Any:
    """Top and bottom exchanged."""
    return functions_of(img).vflip(img)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of an image; what lies outside is black."""
    return functions_of(img).crop(img, top, left, height, width)


def two_sizes(size: Any, message: str = "Please provide only two dimensions (h, w) for size.") -> tuple[int, int]:
    """Height and width, which may be given as one number.

    Raises:
        ValueError: more than two numbers.
    """
    if isinstance(size, numbers.Number):
        return int(size), int(size)  # type: ignore[call-overload]
    if len(size) not in (1, 2):
        raise ValueError(message)
    return size[0], size[-1]


def center_crop(img: Any, output_size: Any) -> Any:
    """The middle of an image, which is padded with black where it is smaller."""
    height, width = two_sizes(output_size)
    _, rows, columns = get_dimensions(img)
    if width > columns or height > rows:
        across, down = max(width - columns, 0), max(height - rows, 0)
        img = pad(img, [across // 2, down // 2, (across + 1) // 2, (down + 1) // 2])
        _, rows, columns = get_dimensions(img)
    return crop(img, round((rows - height) / 2.0), round((columns - width) / 2.0), height, width)


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """An image with more pixels around it.

    Args:
        img: the image.
        padding: how many: one number, two (left and right, top and bottom) or four (left, top, right, bottom).
        fill: their color.
        padding_mode: "constant", or what is repeated: "edge", "reflect", "symmetric".

    Raises:
        TypeError, ValueError: other arguments.
    """
    check_mode(padding_mode)
    if fill is not None and not isinstance(fill, (numbers.Number, tuple, list)):
        raise TypeError(f"Got inappropriate fill arg: {fill!r}")
    return functions_of(img).pad(img, padding_of(padding), fill, padding_mode)


def resize(
    img: Any,
    size: Any,
    interpolation: InterpolationMode = _BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    """An image of another size.

    Args:
        img: the image.
        size: height and width; one number is that of the smaller edge.
        interpolation: how pixels are made.
        max_size: of the longer edge, where only one number is given.
        antialias: of tensors; Pillow's images always are.

    Raises:
        TypeError, ValueError: other arguments.
    """
    interpolation = interpolation_mode(interpolation)
    wanted = [size] if isinstance(size, int) else list(size)
    if len(wanted) not in (1, 2):
        raise ValueError(f"Size must be an int or a 1 or 2 element tuple/list, not a {len(wanted)} element tuple/list")
    if max_size is not None and len(wanted) != 1:
        raise ValueError("max_size should only be passed if size specifies the length of the smaller edge")
    _, height, width = get_dimensions(img)
    target = wanted if len(wanted) == 2 else _by_smaller_edge(height, width, wanted[0], max_size)
    if [height, width] == target:
        return img
    if not isinstance(img, Tensor) and antialias is False:
        warn_user("Anti-alias option is always applied for PIL Image input. Argument antialias is ignored.")
    return functions_of(img).resize(img, target, interpolation, bool(antialias))


def _by_smaller_edge(height: int, width: int, wanted: int, max_size: int | None) -> list[int]:
    short, long = sorted((height, width))
    new_short, new_long = wanted, int(wanted * long / short)
    if max_size is not None:
        if max_size <= wanted:
            raise ValueError(
                f"max_size = {max_size} must be strictly greater than the requested size for the smaller edge "
                f"size = {wanted}"
            )
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return [new_long, new_short] if width <= height else [new_short, new_long]


def resized_crop(
    img: Any,
    top: int,
    left: int,
    height: int,
    width: int,
    size: Any,
    interpolation: InterpolationMode = _BILINEAR,
    antialias: bool | None = True,
) -> Any:
    """A part of an image, in another size."""
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def five_crop(img: Any, size: Any) -> tuple[Any, Any, Any, Any, Any]:
    """The corners (top left, top right, bottom left, bottom right) and the middle.

    Raises:
        ValueError: the image is smaller.
    """
    height, width = two_sizes(size)
    _, rows, columns = get_dimensions(img)
    if width > columns or height > rows:
        raise ValueError(f"Requested crop size {(height, width)} is bigger than input size {(rows, columns)}")
    corners = [(top, left) for top in (0, rows - height) for left in (0, columns - width)]
    first, second, third, fourth = (crop(img, top, left, height, width) for top, left in corners)
    return first, second, third, fourth, center_crop(img, [height, width])


def ten_crop(img: Any, size: Any, vertical_flip: bool = False) -> tuple[Any, ...]:
    """`five_crop` of an image and of the flipped one."""
    flipped = vflip(img) if vertical_flip else hflip(img)
    return five_crop(img, size) + five_crop(flipped, size)
