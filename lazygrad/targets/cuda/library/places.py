"""Index tensors of library calls: the check of what they hold, and the rows that they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape, broadcast_shapes
from lazygrad.targets.cuda.library.arrays import Array, each_element, names, operand
from lazygrad.targets.cuda.table import Parameter
from lazygrad.targets.cuda.writer import Writer

Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Places:
    """Where in a result the values of a call go, one for each index of ``shape``.

    Attributes:
        shape: of the index tensors, broadcast.
        parameters: declarations of the index tensors, and what is handed over.
        lines: statements that read them at ``i0``, ``i1``, … and say whether they are ``is_inside`` the result.
        row: the number of the row that they name.
    """

    shape: Shape
    parameters: list[tuple[str, Parameter]]
    lines: list[Code]
    row: Code


def check_indices(writer: Writer, indices: Sequence[Array], sizes: Sequence[int], wraps: bool, check: Check) -> None:
    """Refuse the step where an index lies outside its axis."""
    word = writer.word()
    for index, size in zip(indices, sizes, strict=False):
        once = [1 if stride == 0 else n for n, stride in zip(index.shape, index.strides, strict=True)]
        seen = replace(index, shape=tuple(once))
        each_element(
            writer,
            "check_index",
            "check_index",
            seen.shape,
            [("const i64 *index", seen.start), ("i32 *refused", word)],
            index=seen.place(names("i", len(seen.shape))),
            lowest=-size if wraps else 0,
            size=size,
        )
    check()


def broadcast_indices(writer: Writer, nodes: Sequence[Node]) -> list[Array]:
    """Index tensors, broadcast to one shape."""
    arrays = [operand(writer, node) for node in nodes]
    shape = broadcast_shapes("index", *[array.shape for array in arrays])
    return [array.expanded(shape) for array in arrays]


def rows_named(indices: Sequence[Array], shape: Shape) -> Places:
    """Rows of the leading axes of ``shape``, named by an index tensor for each; negative ones count from the end."""
    lines, row = [], "0"
    for axis, index in enumerate(indices):
        size, read = shape[axis], f"index{axis}[{index.place(names('i', len(index.shape)))}]"
        lines.append(f"const i64 given{axis} = {read}, k{axis} = given{axis} < 0 ? given{axis} + {size} : given{axis};")
        row = f"k{axis}" if row == "0" else f"({row}) * {size} + k{axis}"
    inside = " && ".join(f"k{axis} >= 0 && k{axis} < {shape[axis]}" for axis in range(len(indices))) or "true"
    lines.append(f"const bool is_inside = {inside};")
    parameters: list[tuple[str, Parameter]] = [
        (f"const i64 *index{axis}", index.start) for axis, index in enumerate(indices)
    ]
    return Places(indices[0].shape, parameters, code_lines(lines), Code(row))


def elements_named(index: Array, axis: int, out: Array) -> Places:
    """Elements of ``out`` whose index along an axis a tensor names."""
    at = names("i", len(index.shape))
    inside = f"const bool is_inside = k >= 0 && k < {out.shape[axis]};"
    lines = code_lines([f"const i64 k = index0[{index.place(at)}];", inside])
    row = out.place([*at[:axis], "k", *at[axis + 1 :]])
    return Places(index.shape, [("const i64 *index0", index.start)], lines, row)
