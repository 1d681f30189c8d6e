"""The operations of the transforms as functions, for Pillow's images and for tensors alike."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from PIL import Image

from lazygrad.ir.dtype import DType, float32
from lazygrad.linalg import lstsq
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.creation.sharing import from_numpy
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import pictures, tensors
from lazygrad.vision.transforms.grids import affine_grid, perspective_grid, rotated_size
from lazygrad.vision.transforms.interpolation import InterpolationMode, interpolation_mode
from lazygrad.vision.transforms.padding import check_mode, padding_of

_BILINEAR, _NEAREST = InterpolationMode.BILINEAR, InterpolationMode.NEAREST
_NUMPY_OF_MODE = {"I": np.int32, "I;16": np.int16, "F": np.float32}


def _functions(img: Any) -> ModuleType:
    """Those for this kind of image.

    Raises:
        TypeError: neither Pillow's image nor a tensor.
    """
    if isinstance(img, Tensor):
        return tensors
    if isinstance(img, Image.Image):
        return pictures
    raise TypeError(f"img should be PIL Image or Tensor. Got {type(img)}")


def get_dimensions(img: Any) -> list[int]:
    """Channels, height and width."""
    found: list[int] = _functions(img).get_dimensions(img)
    return found


def get_image_size(img: Any) -> list[int]:
    """Width and height."""
    _, height, width = get_dimensions(img)
    return [width, height]


def get_image_num_channels(img: Any) -> int:
    """How many channels there are."""
    return get_dimensions(img)[0]


# From and to tensors.


def to_tensor(pic: Any) -> Tensor:
    """A Pillow image or an array [height, width, channels] as a tensor [channels, height, width], in [0, 1].

    Raises:
        TypeError: something else.
        ValueError: an array of neither two nor three dimensions.
    """
    if isinstance(pic, np.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        array = pic if pic.ndim == 3 else pic[:, :, None]
    elif isinstance(pic, Image.Image):
        array = _array_of(pic, _NUMPY_OF_MODE.get(pic.mode, np.uint8))
        if pic.mode == "1":
            array = 255 * array
    else:
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    planes = np.ascontiguousarray(array.transpose(2, 0, 1))
    if planes.dtype != np.uint8:
        return from_numpy(planes)
    if get_default_dtype() is not float32:
        return from_numpy(planes).to(get_default_dtype()).div(255)
    return from_numpy(np.divide(planes, np.float32(255), dtype=np.float32))


def pil_to_tensor(pic: Any) -> Tensor:
    """A Pillow image as a tensor [channels, height, width] of the same numbers.

    Raises:
        TypeError: something else.
    """
    if not isinstance(pic, Image.Image):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    return from_numpy(_array_of(pic, None)).permute(2, 0, 1)


def _array_of(pic: Image.Image, dtype: Any) -> np.ndarray:
    return np.array(pic, dtype).reshape(pic.height, pic.width, len(pic.getbands()))


def convert_image_dtype(image: Tensor, dtype: DType = float32) -> Tensor:
    """A tensor image in numbers of another dtype, white staying white.

    Raises:
        TypeError: no tensor.
        RuntimeError: floats to integers that they cannot tell apart.
    """
    if not isinstance(image, Tensor):
        raise TypeError("Input img should be Tensor Image")
    return tensors.convert_image_dtype(image, dtype)


_MODES_OF_CHANNELS = {2: ["LA"], 3: ["RGB", "YCbCr", "HSV"], 4: ["RGBA", "CMYK", "RGBX"]}
_MODE_OF_PLANE = {np.uint8: "L", np.int16: "I;16", np.int32: "I", np.float32: "F"}


def to_pil_image(pic: Any, mode: str | None = None) -> Image.Image:
    """A tensor [channels, height, width] or an array [height, width, channels] as a Pillow image; floats times 255.

    Args:
        pic: of up to four channels.
        mode: Pillow's; by default what the number of channels and their dtype suggest.

    Raises:
        TypeError: something else, or numbers that no image holds.
        ValueError: other dimensions, more channels, or a mode of other images.
    """
    if isinstance(pic, Tensor):
        array = (pic.permute(1, 2, 0) if pic.ndim == 3 else pic).detach().numpy()
    elif isinstance(pic, np.ndarray):
        array = pic
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if array.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    array = array if array.ndim == 3 else array[:, :, None]
    channels = array.shape[2]
    if channels > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {channels} channels.")
    if np.issubdtype(array.dtype, np.floating) and mode != "F":
        array = (array * 255).astype(np.uint8)
    return _from_array(array, _mode_for(array, mode))


def _mode_for(array: np.ndarray, mode: str | None) -> str:
    channels = array.shape[2]
    if channels == 1:
        expected = _MODE_OF_PLANE.get(array.dtype.type)
        if mode is not None and mode != expected:
            raise ValueError(f"Incorrect mode ({mode}) supplied for input type {array.dtype}. Should be {expected}")
        mode = expected
    elif mode is not None and mode not in _MODES_OF_CHANNELS[channels]:
        raise ValueError(f"Only modes {_MODES_OF_CHANNELS[channels]} are supported for {channels}D inputs")
    elif mode is None and array.dtype == np.uint8:
        mode = _MODES_OF_CHANNELS[channels][0]
    if mode is None:
        raise TypeError(f"Input type {array.dtype} is not supported")
    return mode


def _from_array(array: np.ndarray, mode: str) -> Image.Image:
    made = Image.fromarray(np.ascontiguousarray(array[:, :, 0] if array.shape[2] == 1 else array))
    if made.mode == mode:
        return made
    return Image.frombytes(mode, made.size, made.tobytes())  # the same bytes under another meaning


def normalize(tensor: Tensor, mean: Any, std: Any, inplace: bool = False) -> Tensor:
    """``(tensor - mean) / std``, channel by channel.

    Raises:
        TypeError: no tensor of floats.
        ValueError: fewer than three dimensions, or a std of zero.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    return tensors.normalize(tensor, mean, std, inplace)


# Where pixels are.


def hflip(img: Any) -> Any:
    """Left and right exchanged."""
    return _functions(img).hflip(img)


def vflip(img: Any) -> Any:
    """Top and bottom exchanged."""
    return _functions(img).vflip(img)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of an image; what lies outside is black."""
    return _functions(img).crop(img, top, left, height, width)


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
    return _functions(img).pad(img, padding_of(padding), fill, padding_mode)


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
        warnings.warn(
            "Anti-alias option is always applied for PIL Image input. Argument antialias is ignored.", stacklevel=2
        )
    return _functions(img).resize(img, target, interpolation, bool(antialias))


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
        _functions(img)
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
        _functions(img)
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


# What pixels look like.


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """An image that is lighter: 0 is black, 1 the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return _functions(img).adjust_brightness(img, _not_negative("brightness_factor", brightness_factor, img))


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """An image of more contrast: 0 is gray, 1 the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return _functions(img).adjust_contrast(img, _not_negative("contrast_factor", contrast_factor, img))


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """An image of stronger colors: 0 has none, 1 is the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return _functions(img).adjust_saturation(img, _not_negative("saturation_factor", saturation_factor, img))


def adjust_sharpness(img: Any, sharpness_factor: float) -> Any:
    """A sharper image: 0 is blurred, 1 the image itself.

    Raises:
        ValueError: a negative factor.
    """
    return _functions(img).adjust_sharpness(img, _not_negative("sharpness_factor", sharpness_factor, img))


def _not_negative(name: str, factor: float, img: Any) -> float:
    if factor < 0 and isinstance(img, Tensor):
        raise ValueError(f"{name} ({factor}) is not non-negative.")
    return factor


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """An image whose colors are turned: 0.5 is half a turn.

    Raises:
        ValueError: a factor outside of [-0.5, 0.5].
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    return _functions(img).adjust_hue(img, hue_factor)


def adjust_gamma(img: Any, gamma: float, gain: float = 1) -> Any:
    """``gain * img ** gamma``, white being 1.

    Raises:
        ValueError: a negative gamma.
    """
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    return _functions(img).adjust_gamma(img, gamma, gain)


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """A Pillow image without colors.

    Raises:
        TypeError: a tensor; see `rgb_to_grayscale`.
    """
    if not isinstance(img, Image.Image):
        raise TypeError("Input should be PIL Image")
    return rgb_to_grayscale(img, num_output_channels)


def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """An image without colors, of one channel or of three equal ones.

    Raises:
        ValueError: another number of channels.
    """
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    return _functions(img).rgb_to_grayscale(img, num_output_channels)


def invert(img: Any) -> Any:
    """Black and white exchanged."""
    return _functions(img).invert(img)


def posterize(img: Any, bits: int) -> Any:
    """An image of bytes of which only the highest bits are left.

    Raises:
        ValueError: not 0 to 8 of them.
    """
    if not 0 <= bits <= 8:
        raise ValueError(f"The number if bits should be between 0 and 8. Got {bits}")
    return _functions(img).posterize(img, bits)


def solarize(img: Any, threshold: float) -> Any:
    """An image whose pixels from a threshold on are inverted."""
    return _functions(img).solarize(img, threshold)


def autocontrast(img: Any) -> Any:
    """An image in which each channel reaches from black to white."""
    return _functions(img).autocontrast(img)


def equalize(img: Any) -> Any:
    """An image of bytes in which all levels are about equally frequent."""
    return _functions(img).equalize(img)


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Tensor, inplace: bool = False) -> Tensor:
    """A tensor image with other values in a part of ``h`` rows from ``i`` on and ``w`` columns from ``j`` on.

    Raises:
        TypeError: no tensor.
    """
    if not isinstance(img, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    return tensors.erase(img, i, j, h, w, v, inplace)


def gaussian_blur(img: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """An image in which each pixel is a mean of its neighbors.

    Args:
        img: the image.
        kernel_size: how many, in each row and column: odd numbers.
        sigma: standard deviation of their weights.

    Raises:
        ValueError: even sizes, or deviations that are not positive.
    """
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    if len(sizes) != 2 or any(size % 2 == 0 or size < 0 for size in sizes):
        raise ValueError(f"kernel_size should have two odd and positive integers. Got {kernel_size}")
    if sigma is None:
        sigma = [size * 0.15 + 0.35 for size in sizes]
    sigmas = [float(sigma)] * 2 if isinstance(sigma, (int, float)) else [*sigma] * (2 // max(len(sigma), 1))
    if len(sigmas) != 2 or any(each <= 0 for each in sigmas):
        raise ValueError(f"sigma should have positive values, one or two. Got {sigma}")
    if isinstance(img, Tensor):
        return tensors.gaussian_blur(img, sizes, sigmas)
    _functions(img)
    return to_pil_image(tensors.gaussian_blur(pil_to_tensor(img), sizes, sigmas), img.mode)


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
        _functions(img)
        moved = elastic_transform(pil_to_tensor(img), displacement, interpolation, fill)
        return to_pil_image(moved, img.mode)
    height, width = img.shape[-2:]
    rows = np.linspace((1 - height) / height, (height - 1) / height, height, dtype=np.float32)
    columns = np.linspace((1 - width) / width, (width - 1) / width, width, dtype=np.float32)
    grid = from_numpy(np.stack(np.meshgrid(columns, rows), -1)[None]) + displacement
    return tensors.warp(img, grid, interpolation_mode(interpolation), fill)
