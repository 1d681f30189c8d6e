"""A program by the user's modules, with equal layers folded into one line.

Each step of the plan counts for one module, the one that most of its primitives come from, so that the numbers of all
modules add up to those of the program.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lazygrad.inspect.report.model import Program

_NUMBERED = re.compile(r"(.*?)(\d+)")


@dataclass(slots=True)
class Module:
    """A module path, with what was recorded in it and what it became.

    Attributes:
        name: the last part of its path; of folded ones ``0 … 11``.
        scopes: the paths of all modules that it stands for.
        times: how many these are.
        recorded: of its own nodes the ops and types, in order.
        primitives: how many, in all modules that it stands for; those of gradients among them are also ``backward``.
        kernels, library_calls, bytes: of the steps that count for it.
        milliseconds: of those that were measured.
        below: modules inside it.
    """

    name: str
    scopes: list[str] = field(default_factory=list)
    times: int = 1
    recorded: list[str] = field(default_factory=list)
    primitives: int = 0
    backward: int = 0
    kernels: int = 0
    library_calls: int = 0
    bytes: int = 0
    milliseconds: float = 0.0
    below: dict[str, Module] = field(default_factory=dict)

    @property
    def nodes(self) -> int:
        """How many nodes were recorded in the modules that it stands for, without those below."""
        return self.times * len(self.recorded)

    def at(self, path: str) -> Module:
        """The module of a dotted path below this one."""
        found = self
        parts = path.split(".") if path else []
        for i, part in enumerate(parts, 1):
            found = found.below.setdefault(part, Module(part, [".".join(parts[:i])]))
        return found

    def signature(self) -> tuple[Any, ...]:
        """Equal for modules that recorded the same."""
        return (tuple(self.recorded), tuple((name, each.signature()) for name, each in self.below.items()))

    def total(self, attribute: str) -> Any:
        """A number of this module and all below."""
        return getattr(self, attribute) + sum(each.total(attribute) for each in self.below.values())

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Module]]:
        """This module and all below, each with how deep it lies."""
        yield depth, self
        for each in self.below.values():
            yield from each.walk(depth + 1)


def outline(program: Program) -> Module:
    """The program's modules below one without a name; equal neighbours are folded."""
    root = Module("", [""])
    for value in program.recorded:
        root.at(value.scope).recorded.append(f"{value.op} {value.type}")
    for value in program.primitive:
        module = root.at(value.scope)
        module.primitives += 1
        module.backward += value.forward is not None
    for step in program.steps:
        scopes = Counter(program.primitive[number].scope for number in step.nodes)
        module = root.at(scopes.most_common(1)[0][0])
        module.kernels += not step.is_library
        module.library_calls += step.is_library
        module.bytes += step.bytes
        module.milliseconds += step.milliseconds or 0.0
    return _folded(root)


def _folded(module: Module) -> Module:
    below: list[Module] = []
    group: list[Module] = []
    for each in module.below.values():
        if group and (_stem(each.name) != _stem(group[0].name) or each.signature() != group[0].signature()):
            below.append(_merged(group))
            group = []
        group.append(each)
    if group:
        below.append(_merged(group))
    module.below = {each.name: each for each in map(_joined, map(_folded, below))}
    return module


def _joined(module: Module) -> Module:
    """A module that only holds one other, as one with it."""
    if module.recorded or module.primitives or len(module.below) != 1:
        return module
    (only,) = module.below.values()
    only.name = f"{module.name}.{only.name}"
    only.scopes += module.scopes
    return only


def _stem(name: str) -> str:
    """A name without the number it ends with; only numbered names have equal ones."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else f"{name}\0"


def _merged(group: list[Module]) -> Module:
    if len(group) == 1:
        return group[0]
    first, last = group[0], group[-1]
    scopes = [scope for each in group for scope in each.scopes]
    merged = Module(f"{first.name} … {last.name}", scopes, sum(each.times for each in group), first.recorded)
    for name in ("primitives", "backward", "kernels", "library_calls", "bytes", "milliseconds"):
        setattr(merged, name, sum(getattr(each, name) for each in group))
    merged.below = {name: _merged_alike(each.below[name] for each in group) for name in first.below}
    return merged


def _merged_alike(modules: Iterable[Module]) -> Module:
    """Modules of one name in folded ones."""
    group = list(modules)
    merged = _merged(group)
    merged.name = group[0].name
    return merged
