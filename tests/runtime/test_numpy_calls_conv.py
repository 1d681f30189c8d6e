"""Convolution, its gradients, pooling and window sums, against sums over single kernel offsets and against torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

from lazygrad.host.calls import conv_geometry
from lazygrad.host.calls.conv_depthwise import goes_by_taps
from lazygrad.host.threads import get_num_threads, set_num_threads
from lazygrad.ir.dtype import float32
from lazygrad.ir.node import tensor_type
from lazygrad.ir.primitives import contraction
from lazygrad.ir.view import window_counts

from .numpy_inputs import ALL, FLOATS, INTEGERS, LAYOUTS, assert_close, call, random_array

Extent = tuple[int, ...]


@dataclass(frozen=True)
class Convolution:
    """Shapes and attributes of one convolution."""

    x: Extent
    weight: Extent
    stride: Extent
    padding: tuple[tuple[int, int], ...]
    dilation: Extent
    groups: int = 1

    @property
    def attrs(self) -> dict[str, Any]:
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": self.groups}

    @property
    def out(self) -> Extent:
        types = [tensor_type(shape, float32) for shape in (self.x, self.weight)]
        return contraction.conv.infer(tuple(self.attrs.values()), *types)[0]


def convolution(
    x: Extent, weight: Extent, stride: int = 1, padding: Any = 0, dilation: int = 1, groups: int = 1
) -> Convolution:
    axes = len(x) - 2
    pairs = padding if isinstance(padding, tuple) else ((padding, padding),) * axes
    return Convolution(x, weight, (stride,) * axes, pairs, (dilation,) * axes, groups)


CONVOLUTIONS = {
    "1d": convolution((2, 3, 9), (4, 3, 3)),
    "1d asymmetric": convolution((2, 3, 8), (4, 3, 4), stride=2, padding=((1, 2),), dilation=2),
    "2d same": convolution((3, 4, 6, 5), (2, 4, 3, 3), padding=1),
    "2d few to many channels": convolution((2, 1, 7, 7), (8, 1, 3, 3), padding=1),
    "2d strided": convolution((2, 3, 8, 7), (4, 3, 3, 2), stride=2, padding=1),
    "2d strided, last elements unread": convolution((2, 3, 8, 8), (4, 3, 3, 3), stride=4),
    "2d asymmetric": convolution((2, 3, 6, 7), (4, 3, 3, 3), padding=((2, 0), (0, 3))),
    "2d dilated": convolution((2, 3, 9, 9), (4, 3, 3, 3), padding=2, dilation=3),
    "2d wide padding": convolution((2, 2, 3, 3), (2, 2, 2, 2), padding=4),
    "2d wide padding, strided": convolution((2, 2, 3, 3), (2, 2, 2, 2), stride=3, padding=5),
    "2d stride beyond the kernel": convolution((2, 2, 9, 9), (3, 2, 2, 2), stride=4, padding=1),
    "2d cropping": convolution((2, 2, 8, 8), (3, 2, 3, 3), padding=((-1, 1), (0, -2))),
    "2d cropping, strided": convolution((2, 2, 8, 8), (3, 2, 3, 3), stride=2, padding=((-1, 1), (0, -2))),
    "1x1": convolution((2, 6, 5, 4), (3, 6, 1, 1)),
    "1x1 strided": convolution((2, 6, 5, 4), (3, 6, 1, 1), stride=2),
    "1x1 grouped": convolution((2, 6, 5, 4), (4, 3, 1, 1), groups=2),
    "grouped": convolution((2, 6, 5, 4), (4, 3, 3, 3), padding=1, groups=2),
    "depthwise": convolution((2, 4, 5, 5), (4, 1, 3, 3), padding=1, groups=4),
    "depthwise, two each": convolution((2, 3, 6, 6), (6, 1, 3, 3), stride=2, padding=1, groups=3),
    "3d": convolution((2, 2, 4, 5, 6), (3, 2, 2, 3, 2), padding=1),
    "3d strided": convolution((1, 2, 5, 5, 5), (3, 2, 2, 3, 2), stride=2, padding=1, dilation=2),
    "few positions, many outputs": convolution((5, 24, 2, 3), (40, 24, 3, 3), padding=1),
    "few positions, many outputs, grouped": convolution((3, 6, 2, 2), (96, 3, 3, 3), padding=1, groups=2),
    "long rows of several images": convolution((3, 2, 4, 20), (4, 2, 3, 3), padding=1),
    "depthwise by taps": convolution((8, 64, 5, 4), (64, 1, 3, 3), padding=1, groups=64),
    "depthwise by taps, strided": convolution((8, 64, 7, 6), (64, 1, 3, 2), stride=2, padding=1, groups=64),
    "depthwise by taps, dilated": convolution((8, 64, 6, 6), (64, 1, 3, 3), padding=2, dilation=2, groups=64),
    "depthwise by taps, wide padding": convolution((9, 64, 3, 3), (64, 1, 2, 2), stride=3, padding=5, groups=64),
    "depthwise by taps, cropping": convolution((8, 64, 8, 8), (64, 1, 3, 3), 2, ((-1, 1), (0, -2)), groups=64),
    "depthwise by taps, 1d": convolution((8, 64, 9), (64, 1, 4), padding=((3, 0),), groups=64),
    "depthwise by taps, 3d": convolution((8, 64, 3, 2, 4), (64, 1, 2, 2, 3), padding=1, groups=64),
    "depthwise, windows added by taps": convolution((2, 32, 8, 7), (32, 1, 3, 3), stride=2, padding=1, groups=32),
    "no images": convolution((0, 3, 6, 6), (4, 3, 3, 3)),
}


@dataclass(frozen=True)
class Term:
    """The products that one kernel offset of one group contributes: out[outputs] += weight @ padded[inputs]."""

    outputs: slice
    inputs: tuple[slice, ...]
    offset: Extent


def terms(c: Convolution) -> Iterator[Term]:
    """All of a convolution's terms; ``inputs`` index the padded input."""
    outputs, inputs = c.weight[0] // c.groups, c.weight[1]
    for group in range(c.groups):
        for offset in product(*map(range, c.weight[2:])):
            spatial = tuple(
                slice(k * d, k * d + s * (count - 1) + 1, s)
                for k, d, s, count in zip(offset, c.dilation, c.stride, c.out[2:], strict=True)
            )
            channels = slice(group * inputs, (group + 1) * inputs)
            yield Term(slice(group * outputs, (group + 1) * outputs), (slice(None), channels, *spatial), offset)


def padded(x: np.ndarray, c: Convolution) -> np.ndarray:
    """``x`` with room for all padding, in float64 or int64; negative padding crops."""
    wide = x.astype(np.int64 if x.dtype.kind in "iu" else np.float64)
    spatial = tuple(
        slice(max(-low, 0), n + min(high, 0)) for n, (low, high) in zip(x.shape[2:], c.padding, strict=True)
    )
    pairs = [(0, 0), (0, 0), *((max(low, 0), max(high, 0)) for low, high in c.padding)]
    return np.pad(wide[(slice(None), slice(None), *spatial)], pairs)


def expected_conv(x: np.ndarray, weight: np.ndarray, c: Convolution) -> np.ndarray:
    wide = padded(x, c)
    out = np.zeros(c.out, wide.dtype)
    for term in terms(c):
        kernel = weight[(term.outputs, slice(None), *term.offset)].astype(wide.dtype)
        out[:, term.outputs] += np.tensordot(kernel, wide[term.inputs], (1, 1)).swapaxes(0, 1)
    return out


def expected_input_grad(g: np.ndarray, weight: np.ndarray, c: Convolution) -> np.ndarray:
    total = np.zeros_like(padded(np.zeros(c.x, g.dtype), c))
    for term in terms(c):
        kernel = weight[(term.outputs, slice(None), *term.offset)].astype(total.dtype)
        total[term.inputs] += np.tensordot(kernel, g[:, term.outputs].astype(total.dtype), (0, 1)).swapaxes(0, 1)
    kept = tuple(slice(max(low, 0), total.shape[axis + 2] - max(high, 0)) for axis, (low, high) in enumerate(c.padding))
    uncropped = np.zeros(c.x, total.dtype)
    target = tuple(slice(max(-low, 0), n + min(high, 0)) for n, (low, high) in zip(c.x[2:], c.padding, strict=True))
    uncropped[(slice(None), slice(None), *target)] = total[(slice(None), slice(None), *kept)]
    return uncropped


def expected_weight_grad(g: np.ndarray, x: np.ndarray, c: Convolution) -> np.ndarray:
    wide = padded(x, c)
    out = np.zeros(c.weight, wide.dtype)
    for term in terms(c):
        summed = (0, *range(2, g.ndim))
        products = np.tensordot(g[:, term.outputs].astype(wide.dtype), wide[term.inputs], (summed, summed))
        out[(term.outputs, slice(None), *term.offset)] = products
    return out


def check_all_three(c: Convolution, dtype: np.dtype, layout: str = "row_major") -> None:
    arrange = LAYOUTS[layout]
    x, weight, g = random_array(c.x, dtype), random_array(c.weight, dtype, 1), random_array(c.out, dtype, 2)
    out = call("conv", c.out, dtype, arrange(x), arrange(weight), **c.attrs)
    assert_close(out, expected_conv(x, weight, c).astype(dtype), slack=2)
    input_grad = call("conv_input_grad", c.x, dtype, arrange(g), arrange(weight), **c.attrs, shape=c.x)
    assert_close(input_grad, expected_input_grad(g, weight, c).astype(dtype), slack=2)
    weight_grad = call("conv_weight_grad", c.weight, dtype, arrange(g), arrange(x), **c.attrs, shape=c.weight)
    assert_close(weight_grad, expected_weight_grad(g, x, c).astype(dtype), slack=2)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_conv_and_gradients(name: str, layout: str) -> None:
    check_all_three(CONVOLUTIONS[name], np.dtype(np.float32), layout)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize(
    "name", ["2d strided", "grouped", "1d asymmetric", "1x1", "few positions, many outputs", "depthwise by taps"]
)
def test_conv_dtypes(name: str, dtype: np.dtype) -> None:
    check_all_three(CONVOLUTIONS[name], dtype)


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_conv_in_blocks_of_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny cache: every image is cut into single rows."""
    monkeypatch.setattr(conv_geometry, "_PANEL_BYTES", 1)
    check_all_three(CONVOLUTIONS[name], np.dtype(np.float64))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "c",
    [
        convolution((40, 16, 12, 12), (24, 16, 3, 3), padding=1),
        convolution((1, 8, 70, 70), (16, 8, 5, 5), stride=2),
        convolution((6, 96, 4, 4), (128, 96, 3, 3), padding=1),
        convolution((16, 64, 8, 8), (64, 1, 3, 3), padding=1, groups=64),
    ],
)
def test_conv_spread_over_threads(c: Convolution, threads: int) -> None:
    before = get_num_threads()
    set_num_threads(threads)
    try:
        check_all_three(c, np.dtype(np.float32))
    finally:
        set_num_threads(before)


def test_conv_with_an_expanded_gradient() -> None:
    c = CONVOLUTIONS["2d same"]
    x, weight = random_array(c.x), random_array(c.weight, seed=1)
    g = np.broadcast_to(np.float32(2), c.out)
    input_grad = call("conv_input_grad", c.x, np.float32, g, weight, **c.attrs, shape=c.x)
    assert_close(input_grad, expected_input_grad(g, weight, c))
    weight_grad = call("conv_weight_grad", c.weight, np.float32, g, x, **c.attrs, shape=c.weight)
    assert_close(weight_grad, expected_weight_grad(g, x, c), slack=2)


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_only_depthwise_convolutions_of_small_images_go_by_taps(name: str) -> None:
    c = CONVOLUTIONS[name]
    geometry = conv_geometry.Geometry(c.weight[2:], c.stride, (), c.dilation, c.groups, c.out[2:])
    assert goes_by_taps(c.x, c.weight, geometry) == name.startswith("depthwise by taps")
    adds_windows = goes_by_taps(c.x, c.weight, geometry, adds_windows=True)
    assert adds_windows == (name.startswith("depthwise by taps") or name.endswith("added by taps"))


# Pooling


def expected_pool_argmax(x: np.ndarray, shape: Extent, attrs: dict[str, Any]) -> np.ndarray:
    lead = x.ndim - len(attrs["size"])
    out = np.zeros(shape, np.int64)
    for at in np.ndindex(*shape):
        best, winner = None, 0
        for offset in product(*map(range, attrs["size"])):
            place = tuple(
                o * s + k * d - low
                for o, s, k, d, (low, _) in zip(
                    at[lead:], attrs["stride"], offset, attrs["dilation"], attrs["padding"], strict=True
                )
            )
            if all(0 <= i < n for i, n in zip(place, x.shape[lead:], strict=True)):
                value = float(x[(*at[:lead], *place)])
                if best is None or (value > best and not np.isnan(best)) or np.isnan(value):
                    best, winner = value, int(np.ravel_multi_index(place, x.shape[lead:]))
        out[at] = winner
    return out


def pooling(size: Extent, stride: int, padding: Any = 0, dilation: int = 1) -> dict[str, Any]:
    axes = len(size)
    pairs = padding if isinstance(padding, tuple) else ((padding, padding),) * axes
    return {"size": size, "stride": (stride,) * axes, "padding": pairs, "dilation": (dilation,) * axes}


POOLINGS = {
    "1d": ((3, 9), pooling((3,), 2, 1)),
    "2x2": ((2, 3, 6, 8), pooling((2, 2), 2)),
    "2x2, last row unread": ((2, 3, 5, 7), pooling((2, 2), 2)),
    "3x3 overlapping": ((2, 3, 7, 8), pooling((3, 3), 2, 1)),
    "ceil mode": ((2, 3, 6, 6), pooling((3, 3), 2, ((0, 1), (0, 1)))),
    "dilated": ((2, 9, 9), pooling((3, 3), 1, 1, dilation=2)),
    "3d": ((2, 4, 5, 6), pooling((2, 2, 2), 2, 1)),
    "large window": ((1, 20, 20), pooling((17, 17), 1)),
    "no planes": ((0, 3, 6, 6), pooling((2, 2), 2)),
    "many planes": ((40, 40, 12, 12), pooling((6, 6), 6)),
}


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("name", [name for name in POOLINGS if name not in ("large window", "many planes")])
def test_pool_argmax(name: str, dtype: np.dtype) -> None:
    shape, attrs = POOLINGS[name]
    x = random_array(shape, dtype)
    if dtype.kind in "fV" and x.size:
        flat = x.reshape(-1)
        flat[::7], flat[3::11] = np.nan, -np.inf
    out, _ = contraction.pool_argmax.infer(tuple(attrs.values()), tensor_type(shape, float32))
    expected = expected_pool_argmax(x, out, attrs)
    for arrange in LAYOUTS.values():
        np.testing.assert_array_equal(call("pool_argmax", out, np.int64, arrange(x), **attrs), expected)


@pytest.mark.parametrize("name", ["large window", "many planes"])
def test_pool_argmax_of_large_inputs(name: str) -> None:
    shape, attrs = POOLINGS[name]
    x = random_array(shape)
    out, _ = contraction.pool_argmax.infer(tuple(attrs.values()), tensor_type(shape, float32))
    windows = np.lib.stride_tricks.sliding_window_view(x, attrs["size"], (-2, -1))
    step = attrs["stride"][0]
    largest = windows[..., ::step, ::step, :, :].max(axis=(-2, -1))
    winners = call("pool_argmax", out, np.int64, x, **attrs)
    lead = x.shape[:-2]
    found = np.take_along_axis(x.reshape(*lead, -1), winners.reshape(*lead, -1), -1).reshape(out)
    np.testing.assert_array_equal(found, largest)


def test_windows_full_of_the_lowest_value_have_a_winner_inside() -> None:
    x = np.full((1, 4, 4), -np.inf, np.float32)
    attrs = pooling((3, 3), 2, 1)
    assert call("pool_argmax", (1, 2, 2), np.int64, x, **attrs).reshape(-1).tolist() == [0, 1, 4, 5]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize(
    ("shape", "size", "stride", "dilation"),
    [((2, 3, 6, 6), (2, 2), (2, 2), (1, 1)), ((3, 9), (3,), (2,), (2,)), ((8,), (3,), (1,), (1,)),
     ((2, 5, 6, 7), (2, 1, 3), (1, 2, 3), (2, 1, 1)), ((0, 6), (2,), (2,), (1,))],
)  # fmt: skip
def test_windows_adjoint(shape: Extent, size: Extent, stride: Extent, dilation: Extent, dtype: np.dtype) -> None:
    lead = len(shape) - len(size)
    counts = window_counts(shape[lead:], size, stride, dilation)
    g = random_array((*shape[:lead], *counts, *size), dtype)
    expected = np.zeros(shape, np.int64 if dtype.kind in "iu" else np.float64)
    for at in product(*map(range, counts)):
        for offset in product(*map(range, size)):
            place = tuple(o * s + k * d for o, s, k, d in zip(at, stride, offset, dilation, strict=True))
            expected[(..., *place)] += g[(*(slice(None),) * lead, *at, *offset)].astype(expected.dtype)
    attrs = {"shape": shape, "size": size, "stride": stride, "dilation": dilation}
    for arrange in LAYOUTS.values():
        assert_close(call("windows_adjoint", shape, dtype, arrange(g), **attrs), expected.astype(dtype), slack=2)


def test_windows_adjoint_of_an_expanded_gradient() -> None:
    g = np.broadcast_to(random_array((5, 3, 3))[..., None, None], (5, 3, 3, 2, 2))
    attrs = {"shape": (5, 6, 6), "size": (2, 2), "stride": (2, 2), "dilation": (1, 1)}
    expected = g[..., 0, 0].repeat(2, axis=1).repeat(2, axis=2)
    np.testing.assert_array_equal(call("windows_adjoint", (5, 6, 6), np.float32, g, **attrs), expected)


# PyTorch

torch = pytest.importorskip("torch", reason="torch is the oracle")


@pytest.mark.parametrize(
    "c",
    [
        convolution((8, 16, 20, 20), (24, 16, 3, 3), padding=1),
        convolution((8, 16, 20, 20), (24, 8, 5, 5), stride=2, padding=2, groups=2),
        convolution((4, 8, 50), (12, 8, 7), stride=3, padding=2, dilation=2),
        convolution((2, 4, 6, 7, 8), (6, 4, 3, 3, 3), padding=1),
    ],
)
def test_torch_convolves_alike(c: Convolution) -> None:
    x, weight, g = random_array(c.x), random_array(c.weight, seed=1), random_array(c.out, seed=2)
    arrays = [torch.from_numpy(array) for array in (g, x, weight)]
    low = [pair[0] for pair in c.padding]
    fixed = ([0], c.stride, low, c.dilation, False, [0] * len(low), c.groups)
    out = torch.ops.aten.convolution(*arrays[1:], None, *fixed[1:])
    input_grad, weight_grad, _ = torch.ops.aten.convolution_backward(*arrays, *fixed, [True, True, False])
    assert_close(call("conv", c.out, np.float32, x, weight, **c.attrs), out.numpy())
    ours = call("conv_input_grad", c.x, np.float32, g, weight, **c.attrs, shape=c.x)
    assert_close(ours, input_grad.numpy())
    ours = call("conv_weight_grad", c.weight, np.float32, g, x, **c.attrs, shape=c.weight)
    assert_close(ours, weight_grad.numpy())


@pytest.mark.parametrize(("size", "stride", "padding"), [(2, 2, 0), (3, 2, 1), (3, 1, 1)])
def test_torch_pools_alike(size: int, stride: int, padding: int) -> None:
    x = np.round(random_array((4, 8, 15, 14)), 1)
    x.reshape(-1)[::13] = np.nan
    _, indices = torch.nn.functional.max_pool2d(torch.from_numpy(x), size, stride, padding, return_indices=True)
    attrs = pooling((size, size), stride, padding)
    np.testing.assert_array_equal(call("pool_argmax", tuple(indices.shape), np.int64, x, **attrs), indices.numpy())
