"""Max pooling's winners, and the adjoint of sliding windows."""

from __future__ import annotations

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape
from lazygrad.ir.view import contiguous_strides
from lazygrad.targets.cuda.dialect import CUDA
from lazygrad.targets.cuda.library.arrays import Array, each_element, names, operand, read, result, written
from lazygrad.targets.cuda.library.combining import accumulated
from lazygrad.targets.cuda.writer import Writer


def pool_argmax(writer: Writer, node: Node) -> None:
    """Position of each window's first maximum in its plane, or of its last NaN."""
    x, out = operand(writer, node.inputs[0]), result(writer, node)
    rank = len(node["size"])
    lead, extent = len(x.shape) - rank, x.shape[-rank:]
    planes = contiguous_strides(extent)
    spots = [f"s{axis}" for axis in range(rank)]
    loops, bounds = [], []
    for axis in range(rank):
        low, _ = node["padding"][axis]
        start = f"i{lead + axis} * {node['stride'][axis]} + w{axis} * {node['dilation'][axis]} - {low}"
        loops += [
            f"for (i32 w{axis} = 0; w{axis} < {node['size'][axis]}; w{axis}++) {{",
            f"const i64 s{axis} = {start};",
        ]
        bounds.append(f"s{axis} >= 0 && s{axis} < {extent[axis]}")
    position = " + ".join(f"{spot} * {stride}" for spot, stride in zip(spots, planes, strict=True))
    each_element(
        writer,
        "pool_argmax",
        "pool_argmax",
        node.shape,
        [(f"const {CUDA.memory_type(x.dtype)} *x", x.start), ("i64 *out", out.start)],
        kind=CUDA.register_type(x.dtype),
        loops=code_lines(loops),
        inside=Code(" && ".join(bounds)),
        position=Code(position),
        element=read(f"x[{x.place([*names('i', lead), *spots])}]", x.dtype),
        closing=Code("}" * rank),
        lowest=Code(CUDA.literal(x.dtype.lowest, x.dtype)),
    )


def windows_adjoint(writer: Writer, node: Node) -> None:
    """Each window's values, added where the window read them: an element gathers from all windows over it."""
    g, out = operand(writer, node.inputs[0]), result(writer, node)
    rank = len(node["size"])
    lead = len(node.shape) - rank
    counts, loops = g.shape[lead : lead + rank], []
    for axis in range(rank):
        loops += covering(axis, f"i{lead + axis}", node["size"], node["stride"], node["dilation"], counts)
    at = [*names("i", lead), *names("c", rank), *names("w", rank)]
    gather_windows(writer, "windows_adjoint", g, out, loops, rank, at)


def covering(axis: int, place: str, size: Shape, stride: Shape, dilation: Shape, counts: Shape) -> list[str]:
    """A loop over the windows ``c`` that read a place along an axis, and ``w``, which element of theirs that is."""
    return [
        f"for (i32 w{axis} = 0; w{axis} < {size[axis]}; w{axis}++) {{",
        f"const i64 d{axis} = {place} - w{axis} * {dilation[axis]}, c{axis} = d{axis} / {stride[axis]};",
        f"if (d{axis} < 0 || d{axis} % {stride[axis]} != 0 || c{axis} >= {counts[axis]})",
        "    continue;",
    ]


def gather_windows(
    writer: Writer, word: str, g: Array, out: Array, loops: list[str], depth: int, at: list[str]
) -> None:
    """Each element of ``out`` is the sum of ``g`` at ``at`` over ``loops``, which open ``depth`` braces."""
    kind = CUDA.register_type(accumulated(out.dtype))
    each_element(
        writer,
        "gather_windows",
        word,
        out.shape,
        [(f"const {CUDA.memory_type(g.dtype)} *g", g.start), (f"{CUDA.memory_type(out.dtype)} *out", out.start)],
        kind=kind,
        loops=code_lines(loops),
        element=Code(f"({kind}){read(f'g[{g.place(at)}]', g.dtype)}"),
        closing=Code("}" * depth),
        result=written(f"({CUDA.register_type(out.dtype)})total", out.dtype),
        target=out.place(names("i", len(out.shape))),
    )
