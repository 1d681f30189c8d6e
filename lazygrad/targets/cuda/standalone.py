"""A Python program of one CUDA kernel: cupy compiles and launches it on random data; it is compared with numpy, and
timed."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from lazygrad.codegen.clike.editing import marked
from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.codegen.random_data import dtype_text, random_array
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import bool_
from lazygrad.ir.node import Node
from lazygrad.memory.slots import Place
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.cuda.module import render_cuda_module
from lazygrad.targets.cuda.numbers import converted
from lazygrad.targets.cuda.table import Address, CheckStep, KernelStep, Number, Parameter
from lazygrad.targets.cuda.templates import render
from lazygrad.targets.executable import LoadError

_MEMORY = {Place.INPUT: "inputs", Place.OUTPUT: "outputs", Place.ARENA: "arena"}
_AS_FLOAT = {"f16": "float32", "bf16": "float32", "c64": "float32", "c128": "float64"}


def standalone_program(program: LoweredProgram, reference: str) -> str:
    """The text of the program.

    Args:
        program: of one kernel.
        reference: a module of numpy that computes the same.

    Raises:
        LoadError: the kernel has no elements, so it is not launched.
    """
    source = render_cuda_module(program, f"One kernel of {program.name}, taken out")
    if not source.code:
        raise LoadError("the kernel computes nothing, so that it is not launched")
    schedule = program.schedule
    begin = source.text.index(source.code[0])
    end = source.text.index(source.code[-1]) + len(source.code[-1])
    text = source.text[:begin] + marked(source.text[begin:end].rstrip()) + source.text[end:]
    scalars = {node["slot"]: node for step in program.kernels for node in step.scalars}
    checks = [step for entry in source.table if isinstance(step := entry.step, CheckStep)]
    return render(
        "standalone.py.j2",
        name=Code(program.kernels[0].kernel.name),
        source=Code(text.replace('"""', '""\\"')),
        reference=Code(reference.partition('"""\n')[2].strip()),
        inputs=code_lines(map(random_array, schedule.inputs)),
        outputs=code_lines(map(random_array, schedule.outputs)),
        arena=source.arena_bytes + 64,
        scalars=code_lines([_number(scalars.get(i)) for i in range(max(scalars, default=-1) + 1)]),
        launches=[_launch(step, scalars) for entry in source.table if isinstance(step := entry.step, KernelStep)],
        words=checks[-1].words.offset if checks else 0,
        refusing=len(checks[-1].steps) if checks else 0,
        dtypes=code_lines(map(dtype_text, schedule.outputs)),
        bytes=sum(map(bytes_of, (*schedule.inputs, *schedule.outputs))),
    )


def _number(node: Node | None) -> str:
    """A runtime scalar for the module of numpy; text keeps what is not finite."""
    value = 0 if node is None else node["value"]
    return f'{type(value).__name__}("{value}")' if isinstance(value, float | complex) else repr(value)


def _launch(step: KernelStep, scalars: Mapping[int, Node]) -> Code:
    launch = step.launch
    arguments = ", ".join([_argument(parameter, scalars) for parameter in step.parameters])
    sizes = f"{launch.grid}, ({launch.block},), ({arguments},), {launch.shared_bytes}"
    assert prod(launch.grid) > 0
    return Code(f'("{launch.kernel}", {sizes})')


def _argument(parameter: Parameter, scalars: Mapping[int, Node]) -> str:
    if isinstance(parameter, Address):
        index = "" if parameter.place is Place.ARENA else f"[{parameter.index}]"
        return f"address({_MEMORY[parameter.place]}{index}, {parameter.offset})"
    if isinstance(parameter, int):
        return f"np.int32({parameter})"
    assert isinstance(parameter, Number), "a kernel alone shares no launch with others"
    value = converted(scalars[parameter.slot]["value"], parameter)
    if parameter.dtype is bool_:
        return f"number(np.bool_({value}))"
    kind = _AS_FLOAT.get(parameter.dtype.short) or to_numpy(parameter.dtype).name
    return f'number(np.{kind}("{value}"))'
