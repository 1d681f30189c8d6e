"""Arguments for every function of the standard: name → what draws positional and keyword arguments.

Numpy arrays become arrays of the namespace that is asked, and numpy dtypes become its dtypes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.array_api.drawing import ALL, BOOL, COMPLEX, FLOATS, INTEGERS, NUMERIC, REAL, SIGNED, Draw

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Case = Callable[[Draw], Arguments]

CASES: dict[str, Case] = {}


def _case(*names: str) -> Callable[[Callable[..., Arguments]], Callable[..., Arguments]]:
    def add(function: Callable[..., Arguments]) -> Callable[..., Arguments]:
        CASES.update(dict.fromkeys(names, function))
        return function

    return add


def _elementwise(names: str, dtypes: tuple[str, ...], **limits: int) -> None:
    CASES.update(dict.fromkeys(names.split(), lambda draw: ((draw.array(dtypes, **limits),), {})))


def _pairs(names: str, dtypes: tuple[str, ...], **limits: int) -> None:
    CASES.update(dict.fromkeys(names.split(), lambda draw: (draw.pair(dtypes, **limits), {})))


_elementwise("acos acosh asin asinh atan atanh cos cosh exp sin sinh sqrt tan tanh expm1", FLOATS + COMPLEX)
_elementwise("log log1p log2 log10 reciprocal", FLOATS + COMPLEX, lowest=1)
_elementwise("abs isfinite isinf isnan negative positive square conj real round", NUMERIC)
_elementwise("sign", NUMERIC, lowest=0)  # numpy 2 and the standard agree on complex signs
_elementwise("ceil floor trunc", REAL)
_elementwise("imag", COMPLEX)
_elementwise("signbit", FLOATS)
_elementwise("logical_not", BOOL)
_elementwise("bitwise_invert", BOOL + INTEGERS)
_pairs("add subtract multiply", NUMERIC)
_pairs("equal not_equal", ALL)
_pairs("less less_equal greater greater_equal maximum minimum", REAL)
_pairs("divide", FLOATS + COMPLEX, lowest=1)
_pairs("floor_divide remainder pow", REAL, lowest=1)
_pairs("atan2 copysign hypot logaddexp nextafter", FLOATS)
_pairs("bitwise_and bitwise_or bitwise_xor", BOOL + INTEGERS)
_pairs("bitwise_left_shift bitwise_right_shift", INTEGERS, lowest=0)
_pairs("logical_and logical_or logical_xor", BOOL)


@_case("clip")
def _(draw: Draw) -> Arguments:
    x = draw.array(REAL)
    lowest = draw.values(str(x.dtype), draw.among(((), x.shape)), lowest=-2, highest=0)
    highest = draw.values(str(x.dtype), draw.among(((), x.shape)), lowest=1)
    return (x, draw.among((None, lowest, int(lowest.min(initial=0)))), draw.among((None, highest, 2))), {}


@_case("where")
def _(draw: Draw) -> Arguments:
    x1, x2 = draw.pair(ALL)
    return (draw.values("bool", np.broadcast_shapes(np.shape(x1), np.shape(x2))), x1, x2), {}


@_case("isin")
def _(draw: Draw) -> Arguments:
    return (draw.array(INTEGERS), draw.array(INTEGERS)), {}  # array-api-strict 2.6.1 forgets to invert


# Reductions.


def _reduction(names: str, dtypes: tuple[str, ...], sizes: tuple[int, ...] = (0, 1, 2, 3), **choices: Any) -> None:
    def draw_arguments(draw: Draw) -> Arguments:
        x = draw.array(dtypes, draw.shape(sizes=sizes))
        return (x,), {"axis": draw.axes(x.ndim), **draw.options(keepdims=(False, True), **choices)}

    CASES.update(dict.fromkeys(names.split(), draw_arguments))


_reduction("all any", ALL)
_reduction("count_nonzero", ALL)
_reduction("sum prod", SIGNED + FLOATS + COMPLEX)
_reduction("mean", FLOATS + COMPLEX, (1, 2, 3))
_reduction("max min", REAL, (1, 2, 3))
_reduction("var std", FLOATS, (2, 3), correction=(0, 0.5))


@_case("argmax", "argmin")
def _(draw: Draw) -> Arguments:
    x = draw.array(REAL, draw.shape(sizes=(1, 2, 3)))
    return (x,), {"axis": draw.axis(x.ndim) if x.ndim else None} | draw.options(keepdims=(False, True))


@_case("cumulative_sum", "cumulative_prod")
def _(draw: Draw) -> Arguments:
    x = draw.array(SIGNED + FLOATS + COMPLEX, draw.shape(range(1, 4)))
    return (x,), {"axis": draw.axis(x.ndim)} | draw.options(include_initial=(False, True))


@_case("diff")
def _(draw: Draw) -> Arguments:
    x = draw.array(SIGNED + FLOATS + COMPLEX, draw.shape(range(1, 4), (2, 3)))
    return (x,), {"axis": draw.axis(x.ndim), **draw.options(n=(0, 1, 2), prepend=(x,), append=(x,))}


@_case("nonzero")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, draw.shape(range(1, 4))),), {}


@_case("unique_all", "unique_counts", "unique_inverse", "unique_values")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, lowest=0, highest=1),), {}


@_case("sort", "argsort")
def _(draw: Draw) -> Arguments:
    x = draw.array(REAL, draw.shape(range(1, 4)))
    return (x,), {"axis": draw.axis(x.ndim), **draw.options(descending=(False, True))}


@_case("searchsorted")
def _(draw: Draw) -> Arguments:
    dtype = draw.among(REAL)
    return (np.sort(draw.values(dtype, (3,))), draw.array((dtype,))), draw.options(side=("left", "right"))


# Shapes.


@_case("concat", "stack")
def _(draw: Draw) -> Arguments:
    shape = draw.shape(range(1, 4))
    family = draw.among((BOOL, INTEGERS, FLOATS + COMPLEX))
    return ([draw.array(family, shape), draw.array(family, shape)],), {"axis": draw.axis(len(shape))}


@_case("unstack", "flip")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL, draw.shape(range(1, 4)))
    return (x,), {"axis": draw.axis(x.ndim)}


@_case("expand_dims")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL)
    return (x,), {"axis": draw.among((0, -1, x.ndim, (0, 1), (-1, 0)))}


@_case("squeeze")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, (1, draw.among((0, 2)), 1)), draw.among((0, 2, -1, (0, 2), (-1,)))), {}


@_case("permute_dims")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, draw.shape((3,))), draw.among(((0, 1, 2), (2, 0, 1), (-1, 0, 1)))), {}


@_case("moveaxis")
def _(draw: Draw) -> Arguments:
    source, destination = draw.among(((0, 2), (-1, 0), ((0, 1), (1, 2))))
    return (draw.array(ALL, draw.shape((3,))), source, destination), {}


@_case("reshape")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL, draw.among(((2, 6), (3, 4), (12,))))
    return (x, draw.among(((12,), (4, 3), (2, -1), (1, 2, 2, 3)))), draw.options(copy=(None, True))


@_case("roll")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL, draw.shape((2,)))
    shift, axis = draw.among(((1, None), (-4, None), (1, 0), (-2, -1), ((1, 2), (0, 1))))
    return (x, shift), {"axis": axis}


@_case("repeat")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL, (2, 3))
    axis, repeats = draw.among(((None, 2), (0, 0), (1, 3), (0, np.asarray([1, 2])), (-1, np.asarray([2, 0, 1]))))
    return (x, repeats), {"axis": axis}


@_case("tile")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL), draw.among(((2,), (1, 2), (2, 1, 2), ()))), {}


@_case("take")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL, draw.shape(range(1, 4), (2, 3)))
    return (x, np.asarray(draw.among(([0, 1], [1, 1, 0], [])), "int64")), {"axis": draw.axis(x.ndim)}


@_case("take_along_axis")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL, (2, 3))
    axis = draw.among((0, 1, -1))
    return (x, np.asarray([[1], [0]] if axis else [[0, 1, 1]], "int64")), {"axis": axis}


@_case("broadcast_arrays")
def _(draw: Draw) -> Arguments:
    return draw.pair(ALL, number=False), {}


@_case("broadcast_to")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, draw.among(((), (1,), (3,), (2, 1)))), (2, 3)), {}


@_case("broadcast_shapes")
def _(draw: Draw) -> Arguments:
    return draw.among(((), ((2, 1), (3,)), ((0, 1), (1, 4), (1,)))), {}


@_case("matrix_transpose", "linalg.matrix_transpose")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, draw.shape(range(2, 5))),), {}


# Making arrays.


@_case("arange")
def _(draw: Draw) -> Arguments:
    bounds = draw.among(((3,), (1, 5), (5, 1), (5, 1, -2), (0, 2, 0.5), (0.5,)))
    return bounds, draw.options(dtype=(np.dtype("float32"), np.dtype("float64")))


@_case("linspace")
def _(draw: Draw) -> Arguments:
    return (draw.among((0, -1.5)), draw.among((1, 3)), draw.among((0, 1, 4))), draw.options(
        endpoint=(False, True), dtype=(np.dtype("float64"),)
    )


@_case("eye")
def _(draw: Draw) -> Arguments:
    return (draw.among((0, 2, 3)), draw.among((None, 2))), draw.options(k=(-3, -1, 0, 2), dtype=(np.dtype("int8"),))


_DTYPES = tuple(np.dtype(name) for name in ALL)


@_case("zeros", "ones")
def _(draw: Draw) -> Arguments:
    return (draw.among(((), 2, (2, 3), (0,))),), draw.options(dtype=_DTYPES)


@_case("zeros_like", "ones_like")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL),), draw.options(dtype=_DTYPES)


@_case("full")
def _(draw: Draw) -> Arguments:
    return (draw.among(((), 2, (2, 3))), draw.among((True, 3, 0.5, 1j))), {}


@_case("full_like")
def _(draw: Draw) -> Arguments:
    return (draw.array(NUMERIC), 3), draw.options(dtype=tuple(np.dtype(name) for name in NUMERIC))


@_case("tril", "triu")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, draw.shape(range(2, 4))),), draw.options(k=(-2, 0, 1))


@_case("meshgrid")
def _(draw: Draw) -> Arguments:
    dtype = draw.among(ALL)
    return tuple(draw.values(dtype, (size,)) for size in draw.among(((2,), (2, 3), (1, 2, 3)))), draw.options(
        indexing=("xy", "ij")
    )


@_case("asarray")
def _(draw: Draw) -> Arguments:
    nested = draw.among((True, 3, 0.5, 2j, [1, 2], [[0.5], [1]], [True, False]))
    return (draw.among((nested, draw.array(ALL))),), draw.options(copy=(True, None))


@_case("astype")
def _(draw: Draw) -> Arguments:
    x = draw.array(ALL)
    targets = _DTYPES if x.dtype.kind != "c" else tuple(np.dtype(name) for name in COMPLEX)
    return (x, draw.among(targets)), draw.options(copy=(True, False))


@_case("can_cast")
def _(draw: Draw) -> Arguments:
    return (draw.among(_DTYPES), draw.among(_DTYPES)), {}


@_case("result_type")
def _(draw: Draw) -> Arguments:
    x1, x2 = draw.pair(ALL)
    return (x1, x2, *[x.dtype for x in (x1, x2) if isinstance(x, np.ndarray)]), {}


@_case("isdtype")
def _(draw: Draw) -> Arguments:
    kinds = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]
    return (draw.among(_DTYPES), draw.among((*kinds, *_DTYPES, ("bool", "integral")))), {}


# Products and linear algebra.


@_case("matmul", "linalg.matmul")
def _(draw: Draw) -> Arguments:
    family = draw.among((INTEGERS, FLOATS + COMPLEX))
    first, second = draw.among((((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 2, 3), (3, 2)), ((2, 0), (0, 3))))
    return (draw.array(family, first), draw.array(family, second)), {}


@_case("tensordot", "linalg.tensordot")
def _(draw: Draw) -> Arguments:
    family = draw.among((INTEGERS, FLOATS + COMPLEX))
    return (draw.array(family, (2, 3)), draw.array(family, (2, 3))), {
        "axes": draw.among((0, ((0,), (0,)), ((1, 0), (1, 0)), ((-1,), (-1,))))
    }


@_case("vecdot", "linalg.vecdot")
def _(draw: Draw) -> Arguments:
    family = draw.among((INTEGERS, FLOATS + COMPLEX))
    return (draw.array(family, (2, 3)), draw.array(family, draw.among(((3,), (1, 3), (2, 3))))), {"axis": -1}


@_case("linalg.cross")
def _(draw: Draw) -> Arguments:
    family = draw.among((SIGNED, FLOATS + COMPLEX))
    return (draw.array(family, (2, 3)), draw.array(family, (2, 3))), {"axis": -1}


@_case("linalg.outer")
def _(draw: Draw) -> Arguments:
    family = draw.among((INTEGERS, FLOATS + COMPLEX))
    return (draw.array(family, draw.shape((1,))), draw.array(family, draw.shape((1,)))), {}


@_case("linalg.diagonal")
def _(draw: Draw) -> Arguments:
    return (draw.array(ALL, draw.shape(range(2, 4))),), draw.options(offset=(-1, 0, 1))


@_case("linalg.trace")
def _(draw: Draw) -> Arguments:
    return (draw.array(SIGNED + FLOATS + COMPLEX, draw.shape(range(2, 4))),), draw.options(offset=(-1, 0, 1))


@_case("linalg.det", "linalg.inv", "linalg.slogdet")
def _(draw: Draw) -> Arguments:
    return (draw.matrices(square=True),), {}


@_case("linalg.cholesky", "linalg.eigh", "linalg.eigvalsh")
def _(draw: Draw) -> Arguments:
    x = draw.matrices(square=True)
    hermitian = x + np.conj(np.swapaxes(x, -1, -2))
    return (hermitian,), {}


@_case("linalg.matrix_power")
def _(draw: Draw) -> Arguments:
    return (draw.matrices(square=True), draw.among((-2, 0, 1, 3))), {}


@_case("linalg.solve")
def _(draw: Draw) -> Arguments:
    x1 = draw.matrices(square=True)
    rows = x1.shape[-1]
    return (x1, draw.array((str(x1.dtype),), draw.among(((rows,), (rows, 2), (*x1.shape[:-1], 2))))), {}


@_case("linalg.matrix_rank", "linalg.pinv", "linalg.svdvals", "linalg.qr", "linalg.svd")
def _(draw: Draw) -> Arguments:
    return (draw.matrices(),), {}


@_case("linalg.matrix_norm")
def _(draw: Draw) -> Arguments:
    return (draw.matrices(),), draw.options(ord=("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf), keepdims=(False, True))


@_case("linalg.vector_norm")
def _(draw: Draw) -> Arguments:
    x = draw.array(FLOATS + COMPLEX, draw.shape(range(1, 4), (1, 2, 3)), lowest=1)
    return (x,), {"axis": draw.among((None, draw.axis(x.ndim)))} | draw.options(
        ord=(0, 1, 2, 3, np.inf, -np.inf, -1), keepdims=(False, True)
    )


# Fourier transforms.


def _signal(draw: Draw, dtypes: tuple[str, ...], rank: int) -> np.ndarray:
    return draw.array(dtypes, draw.shape((rank,), (2, 3, 4)))


def _transforms(names: str, dtypes: tuple[str, ...]) -> None:
    norms = ("backward", "ortho", "forward")

    def along_one(draw: Draw) -> Arguments:
        x = _signal(draw, dtypes, draw.among((1, 2)))
        return (x,), {"axis": draw.axis(x.ndim), **draw.options(n=(2, 5), norm=norms)}

    def along_several(draw: Draw) -> Arguments:
        axes = draw.among(((0,), (0, 1), (-1, 0)))
        sizes = {"s": (2, 5)[: len(axes)]} if draw.among((True, False)) else {}
        return (_signal(draw, dtypes, 2),), {"axes": axes, **sizes, **draw.options(norm=norms)}

    for name in names.split():
        CASES[f"fft.{name}"] = along_several if name.endswith("n") else along_one


_transforms("fft ifft fftn ifftn irfft irfftn hfft", COMPLEX)
_transforms("rfft rfftn ihfft", FLOATS)


@_case("fft.fftfreq", "fft.rfftfreq")
def _(draw: Draw) -> Arguments:
    return (draw.among((1, 4, 5)),), draw.options(d=(0.5, 2.0), dtype=(np.dtype("float64"),))


@_case("fft.fftshift", "fft.ifftshift")
def _(draw: Draw) -> Arguments:
    return (_signal(draw, FLOATS + COMPLEX, 2),), draw.options(axes=(None, 0, (0, 1)))
