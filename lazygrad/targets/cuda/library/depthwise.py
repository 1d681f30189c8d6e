"""Convolutions with one channel to a group, and their gradients, without columns: each result is a sum of its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import BLOCK, Array, each_element, indices, names, read, written
from lazygrad.targets.cuda.library.combining import accumulated
from lazygrad.targets.cuda.library.geometry import Geometry
from lazygrad.targets.cuda.library.pooling import covering
from lazygrad.targets.cuda.table import Parameter
from lazygrad.targets.cuda.writer import Writer

_MOST_BLOCKS = 1 << 16


def serves(x: Array, weight: Array, geometry: Geometry) -> bool:
    """Whether an input and a weight have one channel to a group."""
    return geometry.groups == x.shape[1] and weight.shape[1] == 1 and geometry.groups > 1


def conv(writer: Writer, x: Array, weight: Array, out: Array, geometry: Geometry) -> None:
    """The convolution: each element sums over its window."""
    rank, per_group = len(geometry.kernel), weight.shape[0] // geometry.groups
    loops: list[str] = []
    for axis in range(rank):
        loops += [
            f"for (i32 w{axis} = 0; w{axis} < {geometry.kernel[axis]}; w{axis}++) {{",
            f"const i64 s{axis} = {_place(geometry, axis, f'i{2 + axis}', f'w{axis}')};",
            f"if (s{axis} < 0 || s{axis} >= {x.shape[2 + axis]})",
            "    continue;",
        ]
    value = x.place(["i0", f"(i1 / {per_group})", *names("s", rank)])
    _each_sum(writer, "depthwise", (x, value), (weight, weight.place(["i1", "0", *names("w", rank)])), out, loops, rank)


def input_grad(writer: Writer, g: Array, weight: Array, out: Array, geometry: Geometry) -> None:
    """The adjoint in the input: each element sums over the windows that read it, in all results of its channel."""
    rank, per_group = len(geometry.kernel), weight.shape[0] // geometry.groups
    loops = [f"for (i64 o = i1 * {per_group}; o < (i1 + 1) * {per_group}; o++) {{"]
    for axis in range(rank):
        place = f"i{2 + axis} + {geometry.low[axis]}"
        loops += covering(axis, place, geometry.kernel, geometry.stride, geometry.dilation, geometry.extent)
    value, factor = g.place(["i0", "o", *names("c", rank)]), weight.place(["o", "0", *names("w", rank)])
    _each_sum(writer, "depthwise_input", (g, value), (weight, factor), out, loops, rank + 1)


def weight_grad(writer: Writer, g: Array, x: Array, out: Array, geometry: Geometry) -> None:
    """The adjoint in the weight: each element sums over all images and positions."""
    rank, per_group, elements = len(geometry.kernel), out.shape[0] // geometry.groups, prod(out.shape)
    if not elements:
        return
    places = [_place(geometry, axis, f"c{1 + axis}", f"i{2 + axis}") for axis in range(rank)]
    positions = indices((x.shape[0], *geometry.extent), "n", "c")
    inside = [f"s{axis} >= 0 && s{axis} < {x.shape[2 + axis]}" for axis in range(rank)]
    value = x.place(["c0", f"(i0 / {per_group})", *names("s", rank)])
    blocks, declared = min(elements, _MOST_BLOCKS), _declared(g, x, out)
    name = writer.library(
        "depthwise_weight",
        "depthwise_weight",
        block=BLOCK,
        blocks=blocks,
        elements=elements,
        count=x.shape[0] * prod(geometry.extent),
        kind=_kind(x),
        parameters=code_lines([text for text, _ in declared]),
        of_weight=indices(out.shape, "element", "i"),
        of_positions=[*positions, *code_lines([f"const i64 s{axis} = {place};" for axis, place in enumerate(places)])],
        inside=Code(" && ".join(inside) or "true"),
        value=read(f"a[{g.place(['c0', 'i0', *[f'c{1 + axis}' for axis in range(rank)]])}]", g.dtype),
        factor=read(f"b[{value}]", x.dtype),
        result=_result(out),
        target=out.place(names("i", len(out.shape))),
    )
    writer.launch(name, blocks, BLOCK, [parameter for _, parameter in declared])


def _place(geometry: Geometry, axis: int, window: str, offset: str) -> str:
    """Where an element of a window lies in the input."""
    return f"{window} * {geometry.stride[axis]} + {offset} * {geometry.dilation[axis]} - {geometry.low[axis]}"


def _each_sum(
    writer: Writer,
    word: str,
    a: tuple[Array, Code],
    b: tuple[Array, Code],
    out: Array,
    loops: Sequence[str],
    depth: int,
) -> None:
    """Each element of ``out`` sums products of two arrays' elements over ``loops``, which open ``depth`` braces."""
    each_element(
        writer,
        "depthwise",
        word,
        out.shape,
        _declared(a[0], b[0], out),
        kind=_kind(out),
        loops=code_lines(loops),
        closing=Code("}" * depth),
        value=read(f"a[{a[1]}]", a[0].dtype),
        factor=read(f"b[{b[1]}]", b[0].dtype),
        result=_result(out),
        target=out.place(names("i", len(out.shape))),
    )


def _declared(a: Array, b: Array, out: Array) -> list[tuple[str, Parameter]]:
    memory = CUDA.memory_type(out.dtype)
    return [(f"const {memory} *a", a.start), (f"const {memory} *b", b.start), (f"{memory} *out", out.start)]


def _kind(array: Array) -> Code:
    return Code(CUDA.register_type(accumulated(array.dtype)))


def _result(out: Array) -> Code:
    return written(f"({CUDA.register_type(out.dtype)})total", out.dtype)
