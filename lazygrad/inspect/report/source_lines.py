"""Which lines of generated source belong to which step of a plan, and which primitives they compute."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lazygrad.codegen.kernel import Kernel
from lazygrad.codegen.lower import LoweredKernel
from lazygrad.ir.node import Node
from lazygrad.passes.views import view_of
from lazygrad.targets.base import LoweredProgram, Source
from lazygrad.targets.numpy.module import NumpySource

# A C kernel calls a value by its number: ``v3`` itself, its total, its lane of a vector, and what a pass keeps of it.
_ASSIGNED = re.compile(r"\b(?:v|total|lane|kept)(\d+)\w*(?:\[[^=]*\])? \|?=[^=]")
_STORED = re.compile(r"= \(?\w*\)?\(?v(\d+)\b")

_BEGINS_SECTION = "/* Over "
_ENDS_SECTION = (_BEGINS_SECTION, "i32 run(", "/* In order:")
_FUNCTION = re.compile(r"(?:static void )?(\w+)\(")
_ENTRY = re.compile(r" +(\d+): ")


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

    def __init__(self, program: LoweredProgram, source: Source) -> None:
        schedule, self._edits = program.schedule, source.edits
        if isinstance(source, NumpySource):
            kernels, driver = _numpy_kernels(source), _numpy_driver(source)
        else:
            kernels, driver = _c_kernels(source.text, source.functions), _c_driver(source)
        self.steps: list[list[int]] = [[] for _ in schedule.steps]
        self.nodes: dict[int, dict[Node, None]] = {}
        lowered = iter(program.kernels)
        for number, group in enumerate(schedule.steps):
            if not group.is_library:
                self._add_kernel(number, kernels, next(lowered))
        for line, steps in driver:
            for number in steps:
                self.steps[number].append(line)
                self.nodes.setdefault(line, {}).update(dict.fromkeys(schedule.steps[number].nodes))

    def _add_kernel(self, step: int, kernels: dict[Kernel, list[SourceLine]], lowered: LoweredKernel) -> None:
        values = [*[view_of(node)[0] for node in lowered.arguments], *lowered.computed]
        for line, value in kernels.get(lowered.kernel, ()):
            self.steps[step].append(line)
            if value is not None and lowered.kernel not in self._edits:  # what others write has no known values
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


def _numpy_kernels(source: NumpySource) -> dict[Kernel, list[SourceLine]]:
    """The lines of each distinct kernel: a function, and the one behind it that finishes its reductions."""
    functions = {node.name: node for node in ast.parse(source.text).body if isinstance(node, ast.FunctionDef)}
    found: dict[Kernel, list[SourceLine]] = {}
    for kernel, rendered in source.rendered.items():
        values = iter(rendered.values)
        lines = found[kernel] = []
        for name in (rendered.name, f"{rendered.name}_finish"):
            function = functions.get(name)
            if function is not None and function.end_lineno is not None:
                begin = function.lineno + 2  # behind the head and the docstring, which have a line each
                lines += [SourceLine(begin - 2, None), SourceLine(begin - 1, None)]
                lines += [SourceLine(line, next(values, None)) for line in range(begin, function.end_lineno + 1)]
    return found


def _numpy_driver(source: NumpySource) -> Iterator[tuple[int, tuple[int, ...]]]:
    first = source.text.rstrip().count("\n") + 2 - len(source.steps_of_lines)
    for line, step in enumerate(source.steps_of_lines, first):
        yield line, (step,)


def _c_kernels(text: str, functions: Mapping[Kernel, str]) -> dict[Kernel, list[SourceLine]]:
    """The lines of each distinct kernel in a C-like language: sections that begin with a comment above a function."""
    kernels = sorted(functions.items(), key=lambda item: -len(item[1]))  # a name may begin with another one
    found: dict[Kernel, list[SourceLine]] = {}
    above: list[SourceLine] = []  # what stands above the function's name
    lines: list[SourceLine] | None = above
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_ENDS_SECTION):
            above = []
            lines = above if line.startswith(_BEGINS_SECTION) else None
        if lines is None:
            continue
        made = _ASSIGNED.search(line) or _STORED.search(line)
        lines.append(SourceLine(number, int(made[1]) if made else None))
        head = _FUNCTION.match(line) if lines is above else None
        owner = next((k for k, name in kernels if head and f"{head[1]}_".startswith(f"{name}_")), None)
        if owner is not None:
            lines = found.setdefault(owner, [])
            lines += above
    return found


def _c_driver(source: Any) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The statements of C's driver, or the lines of the table of what CUDA does in order."""
    lines = source.text.rstrip().splitlines()
    steps = getattr(source, "steps_of_lines", None)
    if steps is None:
        entries = ((number, _ENTRY.match(line)) for number, line in enumerate(lines, 1))
        yield from ((number, (int(entry[1]),)) for number, entry in entries if entry)
        return
    end = len(lines) - 2 - ("stop:" in lines[-3:])  # what follows the steps: a label, a return and a brace
    yield from enumerate(steps, end - len(steps) + 1)
