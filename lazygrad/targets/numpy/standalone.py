"""A numpy module of one kernel that can be started: it makes random data, runs the kernel and times it."""

from __future__ import annotations

from lazygrad.codegen.escaping import code_lines
from lazygrad.codegen.random_data import dtype_text, random_array
from lazygrad.ir.dtype import float64
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.targets.base import LoweredProgram
from lazygrad.targets.numpy.module import render_module
from lazygrad.targets.numpy.ops import literal
from lazygrad.targets.numpy.templates import render


def standalone_module(program: LoweredProgram) -> str:
    """The text of the module: that of the plan's target, with a main part below it."""
    module = render_module(program, f"One kernel of {program.name}, taken out")
    schedule = program.schedule
    values = {node["slot"]: node["value"] for step in program.kernels for node in step.scalars}
    main = render(
        "standalone.py.j2",
        inputs=code_lines(map(random_array, schedule.inputs)),
        outputs=code_lines([f"np.empty({node.shape}, {dtype_text(node)})" for node in schedule.outputs]),
        scalars=code_lines([literal(values.get(i, 0), float64) for i in range(max(values, default=-1) + 1)]),
        bytes=sum(map(bytes_of, (*schedule.inputs, *schedule.outputs))),
    )
    return module.text + main
