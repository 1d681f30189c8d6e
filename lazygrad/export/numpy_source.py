"""The text of an exported module: the function that users call, the plans below it, and what these need."""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lazygrad.codegen.escaping import Code, code_lines, python_text
from lazygrad.codegen.naming import Names
from lazygrad.codegen.templates import Templates
from lazygrad.export.bundle import bundled
from lazygrad.export.layout import SIZE, Layout
from lazygrad.export.program import ExportError, Input, Program
from lazygrad.ir.dtype import float64
from lazygrad.ir.primitives.leaf import buffer, scalar
from lazygrad.pytree import Structure
from lazygrad.targets.numpy.ops import dtype_source, literal
from lazygrad.version import __version__

_render = Templates("export", python_text).render
_MAIN, _PLAN, _FORKS = "lazygrad.exported", "lazygrad.plan", "lazygrad.host.forks"
_FORKS_ALONE = "from lazygrad.export.standalone import unlocked_in_child\n"
_PLAIN = (type(None), bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Open:
    """The dimensions whose size differs from call to call.

    Attributes:
        axes: by name of an input.
        low, high: the sizes.
    """

    axes: Mapping[str, int]
    low: int
    high: int


def module_source(
    program: Program, layouts: Sequence[Layout], open_sizes: Open | None, name: str, archive: str | bytes
) -> str:
    """The whole file.

    Args:
        program: what it computes.
        layouts: its plan; for open sizes the one for more than 1, and that for 1 if it is wanted.
        open_sizes: None if there are none.
        name: of the function.
        archive: the name of a file beside it that has the constants, or the contents of such a file.
    """
    plans = {f"{_PLAN}_{number}": layout.text for number, layout in enumerate(layouts, 1)}
    main = _main_source(program, layouts, open_sizes, name, archive)
    return bundled(_MAIN, {_MAIN: main, _FORKS: _FORKS_ALONE, **plans})


def _main_source(
    program: Program, layouts: Sequence[Layout], open_sizes: Open | None, name: str, archive: str | bytes
) -> str:
    unique = Names(("np", "given", "results", "checked", "extent", SIZE))
    names = {each: unique.unique(each.name) for each in program.inputs}
    shapes = {each: _shape_source(each, open_sizes) for each in program.inputs}
    return _render(
        "numpy_module.py.j2",
        program=program.name,
        version=__version__,
        function=Code(name),
        inside=Code(_base64(archive)) if isinstance(archive, bytes) else "",
        beside=archive if isinstance(archive, str) else "",
        unusual=code_lines(sorted(_unusual_dtypes(program))),
        constants=_constants(program),
        scalars=Code(", ".join(_scalars(program))),
        layouts=[_as_code(layout) for layout in layouts],
        names=code_lines(names.values()),
        arguments=[f"{own}: {each.type.dtype.name} of shape {shapes[each]}." for each, own in names.items()],
        returns=", ".join(
            [
                f"{root.dtype.name} of shape {shape}"
                for root, shape in zip(program.graph.roots, layouts[0].root_shapes, strict=True)
            ]
        ),
        size=Code(_size_source(names, open_sizes) if open_sizes else ""),
        checks=code_lines([_check_source(each, own, shapes[each]) for each, own in names.items()]),
        result=Code(_result_source(program.structure, _leaf_sources(program))),
    )


def _shape_source(each: Input, open_sizes: Open | None) -> str:
    extents = list(map(str, each.type.shape))
    if open_sizes is not None and each.name in open_sizes.axes:
        extents[open_sizes.axes[each.name]] = SIZE
    return f"({', '.join(extents)}{',' if len(extents) == 1 else ''})"


def _size_source(names: Mapping[Input, str], open_sizes: Open) -> str:
    first = next(each for each in names if each.name in open_sizes.axes)
    rank, axis = len(first.type.shape), open_sizes.axes[first.name]
    return f"extent({names[first]!r}, {names[first]}, {rank}, {axis}, {open_sizes.low}, {open_sizes.high})"


def _check_source(each: Input, own: str, shape: str) -> str:
    return f"checked({own!r}, {own}, {dtype_source(each.type.dtype.name)}, {shape})"


def _constants(program: Program) -> list[tuple[str, Code, str]]:
    """Of each constant the name, the source of its dtype, and its type as a reader knows it."""
    types = {node["slot"]: node.type for node in program.graph.nodes if node.op is buffer}
    in_order = [types[slot] for slot in range(len(program.inputs), len(program.inputs) + len(program.constants))]
    named = zip(program.constants, in_order, strict=True)
    return [(name, Code(dtype_source(type.dtype.name)), str(type)) for name, type in named]


def _unusual_dtypes(program: Program) -> set[str]:
    """The dtypes that numpy does not have."""
    sources = {dtype_source(node.dtype.name) for node in program.graph.nodes}
    return {source for source in sources if not source.startswith("np.")}


def _scalars(program: Program) -> list[str]:
    nodes = sorted([node for node in program.graph.nodes if node.op is scalar], key=lambda node: node["slot"])
    return [literal(node["value"], float64 if node.dtype.is_half else node.dtype) for node in nodes]


def _as_code(layout: Layout) -> dict[str, Any]:
    return {
        "outputs": code_lines(layout.outputs),
        "temporaries": code_lines(layout.temporaries),
        "roots": code_lines(layout.roots),
        "numbers": {Code(name): Code(value) for name, value in layout.numbers.items()},
        "arena_bytes": layout.arena_bytes,
        "is_open": layout.is_open,
    }


def _base64(archive: bytes) -> str:
    return "\n".join(textwrap.wrap(base64.b64encode(archive).decode(), 116))


def _leaf_sources(program: Program) -> Iterator[str]:
    for number, other in zip(program.results, program.others, strict=True):
        if number is None and type(other) not in _PLAIN:
            raise ExportError(f"the function returns a {type(other).__name__}, which has no literal in Python")
        yield repr(other) if number is None else f"results[{number}]"


def _result_source(structure: Structure, leaves: Iterator[str]) -> str:
    """A container as a tuple, a list or a dictionary."""
    if structure.kind is None:
        return next(leaves)
    items = [_result_source(child, leaves) for child in structure.children]
    if issubclass(structure.kind, dict):
        keys = structure.keys[-len(items) :] if items else ()
        if not all([type(key) in _PLAIN for key in keys]):
            raise ExportError("the function returns a dictionary with keys that have no literal in Python")
        return "{" + ", ".join([f"{key!r}: {item}" for key, item in zip(keys, items, strict=True)]) + "}"
    if issubclass(structure.kind, tuple):
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return f"[{', '.join(items)}]"
