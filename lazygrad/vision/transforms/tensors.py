"""What is done to images that are tensors of shape [..., channels, height, width]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lazygrad.ir.dtype import DType, float32, float64, int8, int16, int32, int64, uint8
from lazygrad.nn import functional as F
from lazygrad.ops.public import arange, bincount, cat, cumsum, einsum, linspace, ones, stack, where, zeros_like
from lazygrad.ops.public import tensor as new_tensor
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms.interpolation import InterpolationMode
from lazygrad.vision.transforms.padding import Padding

_LARGEST = {uint8: 255, int8: 127, int16: 32767, int32: 2147483647, int64: 9223372036854775807}


def largest(dtype: DType) -> int:
    """What stands for white: 1 of floats."""
    return _LARGEST.get(dtype, 1)


def get_dimensions(img: Tensor) -> list[int]:
    """Channels, height and width.

    Raises:
        TypeError: fewer than two dimensions.
    """
    if img.ndim < 2:
        raise TypeError("Tensor is not a torch image.")
    return [1 if img.ndim == 2 else img.shape[-3], img.shape[-2], img.shape[-1]]


def convert_image_dtype(image: Tensor, dtype: DType) -> Tensor:
    """The same image in numbers of another dtype, where black is 0 and white `largest`.

    Raises:
        RuntimeError: floats to integers that they cannot tell apart.
    """
    if image.dtype is dtype:
        return image
    if image.is_floating_point():
        if dtype.is_floating_point:
            return image.to(dtype)
        if (image.dtype is float32 and dtype in (int32, int64)) or (image.dtype is float64 and dtype is int64):
            raise RuntimeError(f"The cast from {image.dtype} to {dtype} cannot be performed safely.")
        return image.mul(largest(dtype) + 1.0 - 1e-3).to(dtype)  # equal shares of [0, 1] for all integers
    if dtype.is_floating_point:
        return image.to(dtype) / float(largest(image.dtype))
    have, want = largest(image.dtype) + 1, largest(dtype) + 1
    if have > want:
        return image.div(have // want, rounding_mode="floor").to(dtype)
    return image.to(dtype) * (want // have)


def hflip(img: Tensor) -> Tensor:
    get_dimensions(img)
    return img.flip(-1)


def vflip(img: Tensor) -> Tensor:
    get_dimensions(img)
    return img.flip(-2)


def crop(img: Tensor, top: int, left: int, height: int, width: int) -> Tensor:
    """What lies outside of the image is 0."""
    _, rows, columns = get_dimensions(img)
    bottom, right = top + height, left + width
    inside = img[..., max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    if left >= 0 and top >= 0 and right <= columns and bottom <= rows:
        return inside
    missing = Padding(
        max(-left + min(0, right), 0),
        max(-top + min(0, bottom), 0),
        max(right - max(columns, left), 0),
        max(bottom - max(rows, top), 0),
    )
    return pad(inside, missing, 0, "constant")


def resize(img: Tensor, size: Sequence[int], interpolation: InterpolationMode, antialias: bool) -> Tensor:
    mode = interpolation.value
    smooth = mode in ("bilinear", "bicubic")
    batch, original = _as_batch(img, img.dtype if img.dtype in (float32, float64) else float32)
    batch = F.interpolate(
        batch, size=list(size), mode=mode, align_corners=False if smooth else None, antialias=bool(antialias) and smooth
    )
    if mode == "bicubic" and original is uint8:
        batch = batch.clamp(0, 255)
    return _as_it_was(batch, img)


def pad(img: Tensor, padding: Padding, fill: Any, mode: str) -> Tensor:
    if mode == "symmetric":
        return _pad_symmetric(img, padding)
    sides = [padding.left, padding.right, padding.top, padding.bottom]
    if mode == "constant":
        if not isinstance(fill, int | float | None):
            raise TypeError(f"Got inappropriate fill arg: {fill!r}")
        return F.pad(img, sides, value=float(fill or 0))
    batch, _ = _as_batch(img, img.dtype if img.dtype in (float32, float64) else float32)
    padded = F.pad(batch, sides, mode="replicate" if mode == "edge" else mode)
    return (padded if img.ndim >= 4 else padded.squeeze(0)).to(img.dtype)


def _pad_symmetric(img: Tensor, padding: Padding) -> Tensor:
    left, top, right, bottom = padding
    _, height, width = get_dimensions(img)
    img = img[..., max(-top, 0) : height - max(-bottom, 0), max(-left, 0) : width - max(-right, 0)]
    rows = _mirrored(img.shape[-2], max(top, 0), max(bottom, 0))
    columns = _mirrored(img.shape[-1], max(left, 0), max(right, 0))
    return img[..., new_tensor(rows)[:, None], new_tensor(columns)[None, :]]


def _mirrored(length: int, before: int, after: int) -> list[int]:
    return [*range(before - 1, -1, -1), *range(length), *range(length - 1, length - after - 1, -1)]


def adjust_brightness(img: Tensor, factor: float) -> Tensor:
    _check_channels(img)
    return _blend(img, zeros_like(img), factor)


def adjust_contrast(img: Tensor, factor: float) -> Tensor:
    _check_channels(img)
    gray = rgb_to_grayscale(img, 1) if get_dimensions(img)[0] == 3 else img
    mean = gray.to(_computing(img)).mean(dim=(-3, -2, -1), keepdim=True)
    return _blend(img, mean, factor)


def adjust_saturation(img: Tensor, factor: float) -> Tensor:
    _check_channels(img)
    return img if get_dimensions(img)[0] == 1 else _blend(img, rgb_to_grayscale(img, 1), factor)


def adjust_hue(img: Tensor, factor: float) -> Tensor:
    _check_channels(img)
    if get_dimensions(img)[0] == 1:
        return img
    hue, saturation, value = _rgb_to_hsv(convert_image_dtype(img, float32))
    return convert_image_dtype(_hsv_to_rgb((hue + factor) % 1.0, saturation, value), img.dtype)


def adjust_gamma(img: Tensor, gamma: float, gain: float) -> Tensor:
    _check_channels(img)
    image = img if img.is_floating_point() else convert_image_dtype(img, float32)
    return convert_image_dtype((gain * image.pow(gamma)).clamp(0, 1), img.dtype)


def adjust_sharpness(img: Tensor, factor: float) -> Tensor:
    _check_channels(img)
    if img.shape[-1] <= 2 or img.shape[-2] <= 2:
        return img
    kernel = ones(3, 3, dtype=_computing(img))
    kernel[1, 1] = 5.0
    blurred = img.clone()
    blurred[..., 1:-1, 1:-1] = _filtered(img, kernel / kernel.sum())
    return _blend(img, blurred, factor)


def rgb_to_grayscale(img: Tensor, channels: int) -> Tensor:
    _check_channels(img)
    if img.shape[-3] == 3:
        red, green, blue = img.unbind(-3)
        gray = (0.2989 * red + 0.587 * green + 0.114 * blue).to(img.dtype).unsqueeze(-3)
    else:
        gray = img.clone()
    return gray.expand(img.shape) if channels == 3 else gray


def invert(img: Tensor) -> Tensor:
    _check_channels(img)
    return largest(img.dtype) - img


def posterize(img: Tensor, bits: int) -> Tensor:
    _check_channels(img)
    _check_bytes(img)
    return img & (256 - 2 ** (8 - bits))


def solarize(img: Tensor, threshold: float) -> Tensor:
    _check_channels(img)
    if threshold > largest(img.dtype):
        raise TypeError("Threshold should be less than bound of img.")
    return where(img >= threshold, invert(img), img)


def autocontrast(img: Tensor) -> Tensor:
    _check_channels(img)
    white, dtype = largest(img.dtype), _computing(img)
    darkest = img.amin(dim=(-2, -1), keepdim=True).to(dtype)
    lightest = img.amax(dim=(-2, -1), keepdim=True).to(dtype)
    scale = white / (lightest - darkest)
    is_even = ~scale.isfinite()
    darkest, scale = where(is_even, 0.0, darkest), where(is_even, 1.0, scale)
    return ((img - darkest) * scale).clamp(0, white).to(img.dtype)


def equalize(img: Tensor) -> Tensor:
    _check_channels(img)
    _check_bytes(img)
    channels = img.reshape(-1, *img.shape[-2:])
    return stack([_equalized(channel) for channel in channels]).reshape(img.shape)


def _equalized(channel: Tensor) -> Tensor:
    counts = bincount(channel.reshape(-1), minlength=256)
    present = counts[counts != 0]
    step = int(present[:-1].sum().item()) // 255
    if step == 0:
        return channel
    table = (cumsum(counts, 0) + step // 2).div(step, rounding_mode="floor")
    table = F.pad(table, [1, 0])[:-1].clamp(0, 255)
    return table[channel.to(int64)].to(uint8)


def normalize(tensor: Tensor, mean: Any, std: Any, inplace: bool) -> Tensor:
    get_dimensions(tensor)
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(
            f"Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {tensor.size()}"
        )
    (means, _), (deviations, has_zero) = _per_channel(mean, tensor.dtype), _per_channel(std, tensor.dtype)
    if has_zero:
        raise ValueError(f"std evaluated to zero after conversion to {tensor.dtype}, leading to division by zero.")
    return tensor.sub_(means).div_(deviations) if inplace else (tensor - means) / deviations


def _per_channel(values: Any, dtype: DType) -> tuple[Tensor, bool]:
    """Numbers as a tensor that goes with [channels, height, width], and whether there is a zero."""
    if isinstance(values, (list, tuple)):
        return _remembered(tuple(values), dtype)
    found = values.to(dtype) if isinstance(values, Tensor) else new_tensor(values, dtype=dtype)
    return (found.view(-1, 1, 1) if found.ndim == 1 else found), bool((found == 0).any())


@lru_cache(maxsize=64)
def _remembered(values: tuple[Any, ...], dtype: DType) -> tuple[Tensor, bool]:
    """The same for what every image of a dataset is normalized by."""
    found = new_tensor(values, dtype=dtype)
    return (found.view(-1, 1, 1) if found.ndim == 1 else found).clone().realize(), bool((found == 0).any())


def erase(img: Tensor, top: int, left: int, height: int, width: int, value: Tensor, inplace: bool) -> Tensor:
    get_dimensions(img)
    if not inplace:
        img = img.clone()
    img[..., top : top + height, left : left + width] = value
    return img


def gaussian_blur(img: Tensor, kernel_size: Sequence[int], sigma: Sequence[float]) -> Tensor:
    get_dimensions(img)
    columns, rows = (_gaussian(size, width, _computing(img)) for size, width in zip(kernel_size, sigma, strict=True))
    half = [kernel_size[0] // 2, kernel_size[0] // 2, kernel_size[1] // 2, kernel_size[1] // 2]
    batch, _ = _as_batch(img, _computing(img))
    padded = F.pad(batch, half, mode="reflect")
    return _as_it_was(_convolved(padded, rows[:, None] @ columns[None, :]), img)


def _gaussian(size: int, sigma: float, dtype: DType) -> Tensor:
    half = (size - 1) * 0.5
    density = (-0.5 * (linspace(-half, half, size, dtype=dtype) / sigma).pow(2)).exp()
    return density / density.sum()


def warp(img: Tensor, grid: Tensor, interpolation: InterpolationMode, fill: Any) -> Tensor:
    """The pixels of an image at the places of a grid of shape [1, height, width, 2], -1 and 1 being its borders.

    Raises:
        ValueError: neither nearest nor bilinear; a fill of more numbers than there are channels.
    """
    channels = get_dimensions(img)[0]
    if interpolation not in (InterpolationMode.NEAREST, InterpolationMode.BILINEAR):
        raise ValueError(f"Interpolation mode '{interpolation.value}' is unsupported with Tensor input")
    if isinstance(fill, (list, tuple)) and len(fill) not in (1, channels):
        raise ValueError(
            "The number of elements in 'fill' cannot broadcast to match the number of channels of the image "
            f"({len(fill)} != {channels})"
        )
    batch, _ = _as_batch(img, grid.dtype)
    grid = grid.expand(batch.shape[0], *grid.shape[1:])
    inside = ones(batch.shape[0], 1, *batch.shape[2:], dtype=batch.dtype)
    mode = interpolation.value
    sampled = F.grid_sample(cat([batch, inside], 1), grid, mode=mode, padding_mode="zeros", align_corners=False)
    sampled, inside = sampled[:, :-1], sampled[:, -1:]
    if fill is not None:
        color = new_tensor(fill if isinstance(fill, (list, tuple)) else [fill], dtype=batch.dtype).view(1, -1, 1, 1)
        is_nearest = interpolation is InterpolationMode.NEAREST
        sampled = where(inside < 0.5, color, sampled) if is_nearest else sampled * inside + (1.0 - inside) * color
    return _as_it_was(sampled, img)


def _computing(img: Tensor) -> DType:
    return img.dtype if img.is_floating_point() else float32


def _check_channels(img: Tensor) -> None:
    channels = get_dimensions(img)[0]
    if channels not in (1, 3):
        raise TypeError(f"Input image tensor permitted channel values are [1, 3], but found {channels}")
    if img.ndim < 3:
        raise TypeError(f"Input image tensor should have at least 3 dimensions, but found {img.ndim}")


def _check_bytes(img: Tensor) -> None:
    if img.dtype is not uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")


def _blend(image: Tensor, other: Tensor, share: float) -> Tensor:
    share = float(share)
    return (share * image + (1.0 - share) * other).clamp(0, largest(image.dtype)).to(image.dtype)


def _filtered(img: Tensor, kernel: Tensor) -> Tensor:
    batch, _ = _as_batch(img, kernel.dtype)
    return _as_it_was(_convolved(batch, kernel), img)


def _convolved(batch: Tensor, kernel: Tensor) -> Tensor:
    channels = batch.shape[-3]
    return F.conv2d(batch, kernel.expand(channels, 1, *kernel.shape), groups=channels)


def _as_batch(img: Tensor, dtype: DType) -> tuple[Tensor, DType]:
    return (img if img.ndim >= 4 else img.unsqueeze(0)).to(dtype), img.dtype


def _as_it_was(batch: Tensor, img: Tensor) -> Tensor:
    """A result for a batch with the dimensions and the dtype of the image it was made of; integers are rounded."""
    result = batch if img.ndim >= 4 else batch.squeeze(0)
    if result.dtype is not img.dtype and img.dtype in _LARGEST:
        result = result.round()
    return result.to(img.dtype)


def _rgb_to_hsv(image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    red, green, blue = image.unbind(-3)
    high, low = image.amax(-3), image.amin(-3)
    is_gray, spread = high == low, high - low
    saturation = spread / where(is_gray, 1.0, high)
    divisor = where(is_gray, 1.0, spread)
    to_red, to_green, to_blue = ((high - each) / divisor for each in (red, green, blue))
    from_red = (high == red) * (to_blue - to_green)
    from_green = ((high == green) & (high != red)) * (2.0 + to_red - to_blue)
    from_blue = ((high != green) & (high != red)) * (4.0 + to_green - to_red)
    hue = ((from_red + from_green + from_blue) / 6.0 + 1.0).fmod(1.0)
    return hue, saturation, high


def _hsv_to_rgb(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    sixth = (hue * 6.0).floor()
    rest = hue * 6.0 - sixth
    p = (value * (1.0 - saturation)).clamp(0.0, 1.0)
    q = (value * (1.0 - saturation * rest)).clamp(0.0, 1.0)
    t = (value * (1.0 - saturation * (1.0 - rest))).clamp(0.0, 1.0)
    which = (sixth.to(int32) % 6).unsqueeze(-3) == arange(6).view(-1, 1, 1)
    columns = [(value, q, p, p, t, value), (t, value, value, q, p, p), (p, p, t, value, value, q)]
    colors = stack([stack(column, -3) for column in columns], -4)
    return einsum("...ijk,...xijk->...xjk", which.to(value.dtype), colors)
