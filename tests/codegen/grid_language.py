"""A language that is not C: every thread of a grid computes one element or one row, which its number says.

It has its own names of types, functions and NaN; a shim makes its kernels plain C that runs the threads one by one.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from math import prod
from pathlib import Path
from typing import ClassVar

import numpy as np

from lazygrad.codegen.clike.dialect import Dialect, Spelling, float_suffix
from lazygrad.codegen.clike.facts import KernelFacts
from lazygrad.codegen.clike.lines import Lines
from lazygrad.codegen.clike.passes import plan_passes
from lazygrad.codegen.clike.places import Places
from lazygrad.codegen.clike.spellings import SPELLINGS, by_kind
from lazygrad.codegen.clike.statements import Statements
from lazygrad.codegen.kernel import Kernel
from lazygrad.ir.dtype import DType
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew

PRELUDE = """
#include <math.h>
#include <stdbool.h>
#define KERNEL static void
static long long thread_number;
"""
_TYPES = {"f32": "float", "f64": "double", "i32": "int", "i64": "long long"}


def _larger(symbol: str, op: Op) -> Spelling:
    """libm's own functions skip NaN."""
    return by_kind(lambda dialect, dtype, x, y: f"{x} {symbol} {y} || {x} != {x} ? {x} : {y}", SPELLINGS[op])


class GridDialect(Dialect):
    stored_truth_value: ClassVar[str] = "bool"
    spellings: ClassVar[Mapping[Op, Spelling]] = {
        ew.maximum: _larger(">", ew.maximum),
        ew.minimum: _larger("<", ew.minimum),
        ew.abs_: by_kind(lambda dialect, dtype, x: f"fabs{float_suffix(dtype)}({x})", SPELLINGS[ew.abs_]),
    }

    def type_name(self, dtype: DType) -> str:
        return _TYPES[dtype.short]

    def input_parameter(self, dtype: DType, name: str) -> str:
        return f"const {self.memory_type(dtype)} *restrict {name}"

    def function(self, name: str, dtype: DType, operands: tuple[str, ...]) -> str:
        return f"{name}{float_suffix(dtype)}({', '.join(operands)})"


def grid_kernel(kernel: Kernel, name: str) -> str:
    """The kernel as a function of one thread, and ``run_<name>``, which runs all threads, the last one first."""
    statements = _thread(kernel)
    facts, out = statements.facts, Lines()
    with out.block(f"KERNEL {name}({', '.join(facts.parameters)})"):
        out.add(*statements.out.lines)
    names = ", ".join([parameter.split()[-1].lstrip("*") for parameter in facts.parameters])
    count = prod(_threads(kernel).values())
    with out.block(f"void run_{name}({', '.join(facts.parameters)})"):
        out.add(f"for (thread_number = {count}; thread_number-- > 0;) {name}({names});")
    return "\n".join(out.lines)


def _threads(kernel: Kernel) -> dict[int, int]:
    """Extents of the axes that the grid walks."""
    return {axis: size for axis, size in enumerate(kernel.sizes) if axis not in kernel.row_axes}


def _thread(kernel: Kernel) -> Statements:
    assert not kernel.column_axes, "threads of this language share nothing"
    facts = KernelFacts(kernel, plan_passes(kernel, kept_values=4), GridDialect())
    statements, step = Statements(facts, Places(facts)), 1
    out, plan = statements.out, facts.passes
    for axis, size in reversed(_threads(kernel).items()):
        out.add(f"const int i{axis} = thread_number / {step} % {size};")
        step *= size
    for value in {value for row_pass in plan.passes for value in row_pass.kept}:
        out.add(f"{facts.register(value)} kept{value}[{facts.row_extent}];")
    for value in plan.known:
        statements.row_value(value, f"total{value}")
    for row_pass in plan.passes:
        for value in row_pass.reductions:
            statements.start_total(value)
        with ExitStack() as loops:
            for axis in sorted(kernel.row_axes):
                loops.enter_context(out.block(f"for (int i{axis} = 0; i{axis} < {kernel.sizes[axis]}; i{axis}++)"))
            statements.element(row_pass)
        for value in row_pass.finished:
            statements.row_value(value, f"total{value}")
    return statements


def run(kernel: Kernel, arrays: Sequence[np.ndarray], scalars: Sequence[float], folder: Path) -> str:
    """Compile a kernel and run it on its inputs and outputs; returns the source."""
    source, library = folder / "grid.c", folder / "grid.so"
    source.write_text(f"{PRELUDE}\n{grid_kernel(kernel, 'kernel')}\n")
    flags = ["-O1", "-fPIC", "-shared", "-ffp-contract=off"]
    subprocess.run(["cc", *flags, source, "-o", library, "-lm"], check=True)
    function = ctypes.CDLL(str(library)).run_kernel
    function(*[array.ctypes.data_as(ctypes.c_void_p) for array in arrays], *[ctypes.c_double(s) for s in scalars])
    return source.read_text()
