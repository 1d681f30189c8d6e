"""A node-by-node numpy evaluator of primitive graphs: slow, obvious, and independent of the code generators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import scipy.special

from lazygrad.ir.dtype import DType, bfloat16, dtype_named, word32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.passes.decompose import decompose

from . import reference_alignment, reference_attention, reference_linalg, reference_recurrence

Array = np.ndarray


def numpy_dtype(dtype: DType) -> np.dtype:
    if dtype is bfloat16 or dtype.is_float8:
        return np.dtype(getattr(ml_dtypes, dtype.name))
    return np.dtype("uint32" if dtype is word32 else dtype.name)


def run(roots: list[Node], values: Mapping[Node, Array]) -> list[Array]:
    """The values of ``roots``, composites spelled out first; ``values`` holds those of the buffers."""
    return evaluate(decompose(Graph(roots)), values)


def evaluate(graph: Graph, values: Mapping[Node, Array]) -> list[Array]:
    """The values of a primitive graph's roots."""
    known: dict[Node, Array] = dict(values)
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            if node not in known:
                known[node] = _compute(node, [known[source] for source in node.inputs])
    return [known[root] for root in graph.roots]


def _compute(node: Node, inputs: list[Array]) -> Array:
    result = np.asarray(EVALUATORS[node.op.name](node, *inputs))
    if np.iscomplexobj(result) and not node.dtype.is_complex:
        result = result.real
    result = result.astype(numpy_dtype(node.dtype), copy=False)
    assert result.shape == node.shape, f"{node}: evaluates to shape {result.shape}"
    return result


def _axes(node: Node) -> tuple[int, ...]:
    return tuple(node["axes"])


def _strided(base: Array, node: Node) -> Array:
    """A view of a contiguous ``base`` by the node's shape, strides (in elements) and offset."""
    flat = base.reshape(-1)[node["offset"] :]
    strides = [stride * base.itemsize for stride in node["strides"]]
    return np.lib.stride_tricks.as_strided(flat, node["shape"], strides)


def _update_view(node: Node, base: Array, values: Array) -> Array:
    result = np.array(base, order="C")
    _strided(result, node)[...] = values
    return result


def _window_slices(extent: tuple[int, ...], node: Node, size: tuple[int, ...]) -> list[tuple[tuple, tuple]]:
    """(position inside the window, the strided slices that visit it in every window) over the spatial axes."""
    stride, dilation = node["stride"], node["dilation"]
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(extent, size, stride, dilation, strict=True)]
    visits = []
    for position in product(*map(range, size)):
        starts = [p * d for p, d in zip(position, dilation, strict=True)]
        visits.append((position, tuple(slice(a, a + s * c, s) for a, s, c in zip(starts, stride, counts, strict=True))))
    return visits


def _windows(node: Node, x: Array) -> Array:
    lead, rank = x.ndim - len(node["size"]), len(node["size"])
    result = np.empty(node.shape, x.dtype)
    for position, visited in _window_slices(x.shape[lead:], node, node["size"]):
        result[(..., *[slice(None)] * rank, *position)] = x[(..., *visited)]
    return result


def _windows_adjoint(node: Node, g: Array) -> Array:
    result = np.zeros(node["shape"], g.dtype)
    rank = len(node["size"])
    for position, visited in _window_slices(result.shape[result.ndim - rank :], node, node["size"]):
        result[(..., *visited)] += g[(..., *[slice(None)] * rank, *position)]
    return result


def _grouped(x: Array, axis: int, groups: int) -> Array:
    return x.reshape(*x.shape[:axis], groups, x.shape[axis] // groups, *x.shape[axis + 1 :])


def _padded(x: Array, node: Node) -> Array:
    return np.pad(x, [(0, 0), (0, 0), *node["padding"]])


def _conv(node: Node, x: Array, weight: Array) -> Array:
    groups, padded = node["groups"], _padded(x, node)
    result = np.zeros(_grouped(np.empty(node.shape), 1, groups).shape, np.result_type(x, weight))
    for position, visited in _window_slices(padded.shape[2:], node, weight.shape[2:]):
        patch = _grouped(padded[(..., *visited)], 1, groups)
        kernel = _grouped(weight[(..., *position)], 0, groups)
        result += np.einsum("ngc...,goc->ngo...", patch, kernel)
    return result.reshape(node.shape)


def _conv_input_grad(node: Node, g: Array, weight: Array) -> Array:
    groups = node["groups"]
    result = _padded(np.zeros(node["shape"], np.result_type(g, weight)), node)
    for position, visited in _window_slices(result.shape[2:], node, weight.shape[2:]):
        kernel = _grouped(weight[(..., *position)], 0, groups)
        part = np.einsum("ngo...,goc->ngc...", _grouped(g, 1, groups), kernel)
        result[(..., *visited)] += part.reshape(g.shape[0], -1, *g.shape[2:])
    inner = tuple(slice(low, n - high) for n, (low, high) in zip(result.shape[2:], node["padding"], strict=True))
    return result[(..., *inner)]


def _conv_weight_grad(node: Node, g: Array, x: Array) -> Array:
    groups, padded = node["groups"], _padded(x, node)
    result = np.zeros(node["shape"], np.result_type(g, x))
    flat_g = _grouped(g, 1, groups).reshape(g.shape[0], groups, g.shape[1] // groups, -1)
    for position, visited in _window_slices(padded.shape[2:], node, result.shape[2:]):
        patch = _grouped(padded[(..., *visited)], 1, groups)
        patch = patch.reshape(*patch.shape[:3], -1)
        part = np.einsum("ngos,ngcs->goc", flat_g, patch)
        result[(..., *position)] = part.reshape(result.shape[:2])
    return result


def _pool_argmax(node: Node, x: Array) -> Array:
    rank = len(node["size"])
    lead, plane = x.shape[: x.ndim - rank], x.shape[x.ndim - rank :]
    widths = [(0, 0)] * len(lead) + list(node["padding"])
    padded = np.pad(x, widths, constant_values=-np.inf)
    positions = np.pad(np.arange(np.prod(plane)).reshape(plane), node["padding"], constant_values=-1)
    best, found = np.full(node.shape, -np.inf), np.full(node.shape, -1)
    for _, visited in _window_slices(padded.shape[len(lead) :], node, node["size"]):
        candidate = padded[(..., *visited)]
        where = np.broadcast_to(positions[visited], candidate.shape)
        better = (where >= 0) & ((found < 0) | (candidate > best) | (np.isnan(candidate) & ~np.isnan(best)))
        best, found = np.where(better, candidate, best), np.where(better, where, found)
    return found


def _put(node: Node, x: Array, values: Array, *indices: Array) -> Array:
    result = np.array(x)
    if node["accumulate"]:
        np.add.at(result, indices, values)
    else:
        result[indices] = values
    return result


_SCATTER: dict[str, Callable[[Any, Any], Any]] = {
    "set": lambda old, new: new,
    "sum": lambda old, new: old + new,
    "prod": lambda old, new: old * new,
    "amax": np.maximum,
    "amin": np.minimum,
}


def _scatter(node: Node, x: Array, source: Array, index: Array) -> Array:
    result = np.array(x)
    for place in np.ndindex(index.shape):
        target = (*place[: node["axis"]], index[place], *place[node["axis"] + 1 :])
        result[target] = _SCATTER[node["reduce"]](result[target], source[place])
    return result


def _gather(node: Node, x: Array, index: Array) -> Array:
    grid = list(np.indices(index.shape, sparse=True))
    grid[node["axis"]] = index
    return x[tuple(grid)]


def _pad(node: Node, x: Array, value: Array) -> Array:
    before, after = node["before"], node["after"]
    wide = np.pad(x, [(max(b, 0), max(a, 0)) for b, a in zip(before, after, strict=True)], constant_values=value.item())
    kept = [(max(-b, 0), n + min(a, 0)) for n, b, a in zip(wide.shape, before, after, strict=True)]
    return wide[tuple(slice(low, high) for low, high in kept)]


def _argsort(node: Node, x: Array) -> Array:
    return np.argsort(-x if node["descending"] else x, axis=node["axis"], kind="stable")


def _cummax_index(node: Node, x: Array) -> Array:
    axis = node["axis"]
    running = np.maximum.accumulate(x, axis=axis)
    shape = [-1 if a == axis else 1 for a in range(x.ndim)]
    places = np.broadcast_to(np.arange(x.shape[axis]).reshape(shape), x.shape)
    return np.maximum.accumulate(np.where(x == running, places, 0), axis=axis)


def _philox(node: Node, seed: Array, counter: Array) -> Array:
    """Words that depend on seed and counter alone; the bits are not those of the runtime's generator."""
    generator = np.random.Generator(np.random.Philox(key=int(seed), counter=int(counter)))
    return generator.integers(0, 2**32, size=node["shape"], dtype=np.uint32)


def _pointwise(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda node, *inputs: function(*inputs)


_POINTWISE: dict[str, Callable[..., Any]] = {
    "after": lambda token, x: np.broadcast_arrays(token, x)[1],
    "require": lambda condition, x, **_: np.broadcast_arrays(condition, x)[1],
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sign")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(scipy.special, name) for name in ("erf", "erfc", "erfinv", "digamma")},
    **{name: getattr(np, name) for name in ("isnan", "invert", "maximum", "minimum", "remainder", "fmod", "where")},
    **{name: getattr(np, name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "matmul")},
    "neg": np.negative,
    "abs": np.abs,
    "round": np.rint,
    "lgamma": scipy.special.gammaln,
    "trigamma": lambda x: scipy.special.polygamma(1, x),
    "contiguous": np.ascontiguousarray,
    "clone": np.copy,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "floor_div": np.floor_divide,
    "pow": np.power,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
    "cast": lambda x: x,
    **{name: getattr(np, name) for name in ("real", "imag", "conj")},
    "complex": lambda x, y: x + 1j * y,
}


def _of_degree(name: str) -> Callable[..., Array]:
    """A family of polynomials by degree; 0 for negative ones."""

    def polynomial(degree: Array, *rest: Array) -> Array:
        whole = np.asarray(degree).astype(np.int64)
        return np.where(whole < 0, 0.0, getattr(scipy.special, name)(np.maximum(whole, 0), *rest))

    return polynomial


_LIBRARY: dict[str, Callable[..., Any]] = {
    **{name: getattr(scipy.special, name) for name in ("i0", "i0e", "i1", "i1e", "k0", "k0e", "k1", "k1e", "zeta")},
    **{f"bessel_{name}": getattr(scipy.special, name) for name in ("j0", "j1", "y0", "y1")},
    **{name: getattr(scipy.special, name) for name in ("erfcx", "log_ndtr", "ndtri", "gammainc", "gammaincc")},
    "airy_ai": lambda x: scipy.special.airy(x)[0],
    "airy_ai_prime": lambda x: scipy.special.airy(x)[1],
    "frexp_mantissa": lambda x: np.frexp(x)[0],
    "frexp_exponent": lambda x: np.frexp(x)[1],
    "chebyshev_t": _of_degree("eval_chebyt"),
    "hermite_h": _of_degree("eval_hermite"),
    "hermite_he": _of_degree("eval_hermitenorm"),
    "gegenbauer": _of_degree("eval_gegenbauer"),
    "laguerre": _of_degree("eval_genlaguerre"),
}

EVALUATORS: dict[str, Callable[..., Any]] = {
    **{name: _pointwise(function) for name, function in _POINTWISE.items()},
    "constant": lambda node: node["value"],
    "scalar": lambda node: node["value"],
    "iota": lambda node: np.arange(node["length"]),
    "reshape": lambda node, x: x.reshape(node.shape),
    "permute": lambda node, x: x.transpose(_axes(node)),
    "expand": lambda node, x: np.broadcast_to(x, node.shape),
    "slice": lambda node, x: x[tuple(slice(*ends) for ends in zip(*node.attrs, strict=True))],
    "flip": lambda node, x: np.flip(x, _axes(node)),
    "diagonal": lambda node, x: np.diagonal(x, *node.attrs),
    "windows": _windows,
    "windows_adjoint": _windows_adjoint,
    "reduce_sum": lambda node, x: np.sum(x, _axes(node), keepdims=True),
    "reduce_prod": lambda node, x: np.prod(x, _axes(node), keepdims=True),
    "reduce_max": lambda node, x: np.max(x, _axes(node), keepdims=True),
    "reduce_min": lambda node, x: np.min(x, _axes(node), keepdims=True),
    "argmax": lambda node, x: np.argmax(x, node["axis"], keepdims=True),
    "argmin": lambda node, x: np.argmin(x, node["axis"], keepdims=True),
    "fft_c2c": lambda node, x: (np.fft.ifftn if node["inverse"] else np.fft.fftn)(
        x, axes=_axes(node), norm=node["norm"]
    ),
    "fft_r2c": lambda node, x: np.fft.rfftn(x, axes=_axes(node), norm=node["norm"]),
    "fft_c2r": lambda node, x: np.fft.irfftn(x, [node.shape[axis] for axis in _axes(node)], _axes(node), node["norm"]),
    "cast_float8": lambda node, x: x,
    "reinterpret": lambda node, x: np.ascontiguousarray(x).view(numpy_dtype(node.dtype)).reshape(node.shape),
    "cumsum": lambda node, x: np.cumsum(x, node["axis"]),
    "cumprod": lambda node, x: np.cumprod(x, node["axis"]),
    "logcumsumexp": lambda node, x: np.log(np.cumsum(np.exp(x), node["axis"])),
    "cummax_index": _cummax_index,
    "pointwise": lambda node, *inputs: _LIBRARY[node["function"]](*inputs),
    "argsort": _argsort,
    "take": lambda node, x, *indices: x[indices],
    "put": _put,
    "gather": _gather,
    "scatter": _scatter,
    "pad": _pad,
    "concat": lambda node, *parts: np.concatenate(parts, node["axis"]),
    "roll": lambda node, x, distance: np.roll(x, -distance if node["backward"] else distance, node["axis"]),
    "update_view": _update_view,
    "read_view": lambda node, base: _strided(np.ascontiguousarray(base), node).copy(),
    "conv": _conv,
    "conv_input_grad": _conv_input_grad,
    "conv_weight_grad": _conv_weight_grad,
    "pool_argmax": _pool_argmax,
    "philox": _philox,
    **reference_alignment.EVALUATORS,
    **reference_attention.EVALUATORS,
    **reference_recurrence.EVALUATORS,
    **reference_linalg.EVALUATORS,
}


def buffer_node(array: Array) -> Node:
    """A leaf of ``array``'s shape and dtype."""
    return leaf_node(buffer, (None,), tensor_type(array.shape, dtype_named(str(array.dtype))))
