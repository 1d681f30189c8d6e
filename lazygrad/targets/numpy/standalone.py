"""A numpy module of one kernel that can be started: it makes random data, runs the kernel and times it."""

from __future__ import annotations

from lazygrad.codegen.escaping import Code, code_lines
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import Category, float64
from lazygrad.ir.node import Node
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
        inputs=code_lines(map(_random, schedule.inputs)),
        outputs=code_lines([f"np.empty({node.shape}, {_dtype(node)})" for node in schedule.outputs]),
        scalars=code_lines([literal(values.get(i, 0), float64) for i in range(max(values, default=-1) + 1)]),
        bytes=sum(map(bytes_of, (*schedule.inputs, *schedule.outputs))),
    )
    return module.text + main


def _random(node: Node) -> Code:
    """Floats from ½ to 1½, so that logarithms and roots are finite; of other dtypes 0 and 1."""
    if node.dtype.category in (Category.FLOAT, Category.COMPLEX):
        return Code(f"(random.random({node.shape}) + 0.5).astype({_dtype(node)})")
    return Code(f"random.integers(0, 2, {node.shape}).astype({_dtype(node)})")


def _dtype(node: Node) -> str:
    return f'np.dtype("{to_numpy(node.dtype).name}")'
