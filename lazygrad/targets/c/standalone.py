"""A C program of one kernel, which makes random data, runs the kernel and times it; and its way back into a plan."""

from __future__ import annotations

import shlex
from dataclasses import replace

from lazygrad.codegen.clike.editing import functions_of, marked
from lazygrad.codegen.editing import Edits
from lazygrad.codegen.escaping import code_lines
from lazygrad.ir.dtype import Category, DType
from lazygrad.ir.node import Node
from lazygrad.ir.shape import numel
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.c.build import include_folder
from lazygrad.targets.c.dialect import C
from lazygrad.targets.c.module import CSource, render_c_module
from lazygrad.targets.c.templates import render
from lazygrad.targets.c.toolchain import toolchain

_FLAGS = (
    *("-std=gnu11", "-pthread", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing"),
    *("-O3", "-march=native"),
)


def standalone_unit(program: LoweredProgram) -> str:
    """The text of the program: the translation unit of a plan, with a ``main`` below it."""
    source = render_c_module(program, f"One kernel of {program.name}, taken out")
    (kernel,) = source.kernels
    schedule = program.schedule
    tools = toolchain()
    flags = _FLAGS if tools is None else tuple([flag for flag in tools.flags if flag != "-shared"])
    folder = str(include_folder())
    head = render(
        "standalone_head.c.j2",
        command=shlex.join([*(("cc",) if tools is None else tools.command), *flags, f"-I{folder}", "FILE"]),
        team=shlex.join([f"{folder}/team.c"]),
    )
    values = {node["slot"]: node for step in program.kernels for node in step.scalars}
    main = render(
        "standalone.c.j2",
        inputs=code_lines([_array("input", number, node) for number, node in enumerate(schedule.inputs)]),
        outputs=code_lines([_array("output", number, node) for number, node in enumerate(schedule.outputs)]),
        input_count=len(schedule.inputs),
        output_count=len(schedule.outputs),
        fills=code_lines([_fill(number, node) for number, node in enumerate(schedule.inputs)]),
        scalars=code_lines([_scalar(slot, node) for slot, node in sorted(values.items())]),
        scalar_count=max(values, default=0) + 1,
        arena=source.arena_bytes + 64,
        bytes=sum(map(bytes_of, (*schedule.inputs, *schedule.outputs))),
    )
    return head + source.text.replace(kernel.source, marked(kernel.source)) + main


def with_edited(source: CSource, edits: Edits) -> CSource:
    """A plan's source in which the functions of some kernels are others' text."""
    text = source.text
    for kernel, edited in edits.items():
        rendered = source.rendered[kernel]
        above, found, below = text.partition(rendered.source)
        assert found, "each kernel's functions stand in the text"
        text = f'{above}{functions_of(edited, rendered.name)}#line 1 "the rest of the plan"\n{below}'
    return replace(source, text=text, edits=edits)


def _array(kind: str, number: int, node: Node) -> str:
    memory = C.memory_type(node.dtype)
    size = -(-max(bytes_of(node), 1) // 64) * 64
    return f"{memory} *const {kind}{number} = aligned_alloc(64, {size}); /* {node.type} */"


def _fill(number: int, node: Node) -> str:
    """Floats from ½ to 1½, so that logarithms and roots are finite; of other dtypes 0 and 1."""
    return f"for (i64 i = 0; i < {numel(node.shape)}; i++) input{number}[i] = {_random(node.dtype)};"


def _random(dtype: DType) -> str:
    if dtype.is_float8:
        return "0"
    if dtype.category in (Category.FLOAT, Category.COMPLEX):
        kind = C.register_type(dtype)
        return C.stored(f"({kind})(0.5 + random_number())", dtype)
    return "random_number() < 0.5"


def _scalar(slot: int, node: Node) -> str:
    memory = C.memory_type(node.dtype)
    value = C.stored(C.literal(node["value"], node.dtype), node.dtype)
    return f"{{ const {memory} number = {value}; memcpy(&scalars[{slot}], &number, sizeof number); }}"
