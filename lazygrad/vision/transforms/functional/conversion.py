"""Pillow"s images, arrays and tensors made of one another."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from lazygrad.ir.dtype import DType, float32
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.creation.sharing import from_numpy
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import tensors

_NUMPY_OF_MODE = {"I": np.int32, "I;16": np.int16, "F": np.float32}


__all__ = ["to_tensor", "pil_to_tensor", "convert_image_dtype", "to_pil_image", "normalize"]


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
