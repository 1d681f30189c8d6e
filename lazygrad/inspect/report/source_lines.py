"""Which lines of generated source belong to which step of a plan, and which primitives they compute."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.passes.views import view_of
from lazygrad.runtime.plan import Plan
from lazygrad.targets.numpy.module import NumpySource

# A C kernel calls a value by its number: ``v3`` itself, its total, its lane of a vector, and what a pass keeps of it.
_ASSIGNED = re.compile(r"\b(?:v|total|lane|kept)(\d+)\w*(?:\[[^=]*\])? \|?=[^=]")
_STORED = re.compile(r"= \(?\w*\)?\(?v(\d+)\b")


class SourceLine(NamedTuple):
    """A line of a kernel, counted from 1, and the number of the value it makes; None where it only surrounds that."""

    number: int
    value: int | None


class SourceMap:
    """The lines of one target's source.

    Attributes:
        steps: for each step of the plan, its lines, in order.
        nodes: for each line that computes something, the primitives it stands for, in the order of the steps.
    """

    def __init__(self, plan: Plan, target: str) -> None:
        source = plan.sources[target]
        numpy = isinstance(source, NumpySource)
        kernels = _numpy_kernels(source) if numpy else _c_kernels(source.text)
        by_kernel: dict[Kernel, list[SourceLine]] = dict(
            zip(dict.fromkeys(lowered.kernel for lowered in plan.kernels), kernels, strict=False)
        )
        driver = _numpy_driver(source) if numpy else _c_driver(source)
        self.steps: list[list[int]] = [[] for _ in plan.schedule.steps]
        self.nodes: dict[int, dict[Node, None]] = {}
        lowered = iter(plan.kernels)
        for number, group in enumerate(plan.schedule.steps):
            if not group.is_library:
                self._add_kernel(number, by_kernel, next(lowered))
        for line, steps in driver:
            for number in steps:
                self.steps[number].append(line)
                self.nodes.setdefault(line, {}).update(dict.fromkeys(plan.schedule.steps[number].nodes))

    def _add_kernel(self, step: int, kernels: dict[Kernel, list[SourceLine]], lowered: LoweredKernel) -> None:
        values = [*[view_of(node)[0] for node in lowered.arguments], *lowered.computed]
        for line, value in kernels.get(lowered.kernel, ()):
            self.steps[step].append(line)
            if value is not None:
                self.nodes.setdefault(line, {})[values[value]] = None

    def ranges(self, step: int) -> list[tuple[int, int]]:
        """The lines of a step as first and last of those that follow each other."""
        found: list[tuple[int, int]] = []
        for line in sorted(set(self.steps[step])):
            if found and found[-1][1] == line - 1:
                found[-1] = found[-1][0], line
            else:
                found.append((line, line))
        return found


def _numpy_kernels(source: NumpySource) -> Iterator[list[SourceLine]]:
    """The lines of each distinct kernel: a function, and the one behind it that finishes its reductions."""
    functions = {
        node.name: node for node in ast.parse(source.text).body if isinstance(node, ast.FunctionDef) and node.body
    }
    for kernel in source.rendered.values():
        values = iter(kernel.values)
        lines = []
        for name in (kernel.name, f"{kernel.name}_finish"):
            function = functions.get(name)
            if function is not None and function.end_lineno is not None:
                begin = function.lineno + 2  # behind the head and the docstring, which have a line each
                lines += [SourceLine(begin - 2, None), SourceLine(begin - 1, None)]
                lines += [SourceLine(line, next(values, None)) for line in range(begin, function.end_lineno + 1)]
        yield lines


def _numpy_driver(source: NumpySource) -> Iterator[tuple[int, tuple[int, ...]]]:
    first = source.text.rstrip().count("\n") + 2 - len(source.steps_of_lines)
    for line, step in enumerate(source.steps_of_lines, first):
        yield line, (step,)


def _c_kernels(text: str) -> Iterator[list[SourceLine]]:
    """The lines of each distinct kernel: from the comment above its loops to the comment above the next."""
    lines: list[SourceLine] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("/* Over ") or line.startswith("i32 run("):
            if lines:
                yield lines
            lines = []
            if line.startswith("i32 run("):
                return
        if lines or line.startswith("/* Over "):
            made = _ASSIGNED.search(line) or _STORED.search(line)
            lines.append(SourceLine(number, int(made[1]) if made else None))


def _c_driver(source: Any) -> Iterator[tuple[int, tuple[int, ...]]]:
    lines = source.text.rstrip().splitlines()
    end = len(lines) - 2 - ("stop:" in lines[-3:])  # what follows the steps: a label, a return and a brace
    yield from enumerate(source.steps_of_lines, end - len(source.steps_of_lines) + 1)
