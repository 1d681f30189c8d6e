"""Checks a recorded graph, pass by pass and step by step, against its values in double precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from lazygrad.host.buffer import Buffer, new_buffer, on_host
from lazygrad.inspect.checking.reference import Reference, buffer_values, root_values
from lazygrad.inspect.checking.slopes import SLOPE_TOLERANCE, single_operations, slope_error
from lazygrad.inspect.exposing import StepFailed, Values
from lazygrad.inspect.tolerance import relative_error, tolerance
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.verify import verify
from lazygrad.memory.slots import Place
from lazygrad.passes import pipeline
from lazygrad.passes.differentiate import differentiate
from lazygrad.passes.fuse import Group
from lazygrad.runtime.overriding import edited
from lazygrad.runtime.plan import Plan
from lazygrad.targets.base import Target

_OWN_ERRORS = 8  # how many times the error of the same operations, one by one in their own dtypes, is allowed


@dataclass(frozen=True, slots=True)
class Finding:
    """What one pass or step does to the values.

    Attributes:
        what: "pass simplify", "kernel softmax", "call matmul", "memory plan", or "plan with edited mul_softmax".
        backend: that ran it; empty for passes.
        place: the user's line of the value that is furthest off.
        type: of that value.
        error: how far it is off, relative to its largest element; infinite if it failed.
        allowed: how far it may be off.
        problem: what was raised; empty if nothing was.
        nodes: what was looked at.
        given: the values that these were computed from.
        is_slope: whether gradients were compared with slopes, so that the error is relative to the gradient's length.
    """

    what: str
    backend: str
    place: str
    type: TensorType | None
    error: float
    allowed: float
    problem: str = ""
    nodes: tuple[Node, ...] = ()
    given: Mapping[Node, np.ndarray] = field(default_factory=dict)
    is_slope: bool = False

    @property
    def diverges(self) -> bool:
        return bool(self.problem) or self.error > self.allowed

    @property
    def is_of_edited(self) -> bool:
        """Whether kernels of `override` ran."""
        return self.what.startswith("plan with edited ")

    def __str__(self) -> str:
        what = self.what + (f" on {self.backend}" if self.backend else "")
        where = f", recorded at {self.place}" if self.place else ""
        if self.problem:
            return f"{what} fails: {self.problem}{where}"
        if self.is_slope:
            return f"{what}: {self.error:.3g} of its length from the slope ({self.allowed:.3g} is allowed){where}"
        said = f"is off by {self.error:.3g} × its largest element"
        return f"{what}: {self.type} {said} ({self.allowed:.3g} is allowed){where}"


class Check:
    """What a graph computes from certain inputs, and what its passes, kernels and plans make of that.

    Args:
        recorded: buffers and scalars carry their slot numbers.
        inputs, scalars: in slot order.
        backends: targets to run on.
        parts: for input slots that hold a part of another input, the slot of that.
    """

    def __init__(
        self,
        recorded: Graph,
        inputs: Sequence[Buffer],
        scalars: Sequence[Any],
        backends: Sequence[str],
        parts: dict[int, int],
    ) -> None:
        self.recorded, self.inputs, self.scalars, self.backends, self.parts = recorded, inputs, scalars, backends, parts
        leaves = [node for node in (*recorded.nodes, *recorded.realized.values()) if node.op is buffer]
        self.types = {node["slot"]: node.type for node in leaves}

    def input(self, slot: int) -> np.ndarray:
        return on_host(self.inputs[slot], self.types[slot])

    def findings(self) -> list[Finding]:
        """Of each pass, and of each step on each backend."""
        found = [*self.passes(), *self.slopes()]
        try:
            plan = Plan(self.recorded, parts=self.parts)
        except Exception as error:
            looked = Looked("planning", self.recorded.roots, buffer_values(self.recorded.nodes, self.input))
            return found if any(each.problem for each in found) else [*found, _failure(looked, error)]
        for target in plan.targets:
            if target.name in self.backends:
                found += self.steps(plan, target)
        return [*found, *self.overridden(plan)]

    # Passes.

    def passes(self) -> list[Finding]:
        """What each pass does to the roots. The reference of recorded gradients is what they are spelled out as."""
        expected = root_values(differentiate(self.recorded), self.input)
        graph, found = self.recorded, []
        for graph_pass in pipeline.PASSES:
            name = f"pass {graph_pass.__name__}"
            before, given = graph, buffer_values(graph.nodes, self.input)
            try:
                graph = graph_pass(graph)
                verify(graph)
                values = root_values(differentiate(graph), self.input)
            except Exception as error:
                found.append(_failure(Looked(name, before.roots, given), error))
                break
            found.append(_worst(Looked(name, before.roots, given), values, expected))
            if found[-1].diverges:
                break  # what follows starts from wrong values
        return found

    def slopes(self) -> list[Finding]:
        """Whether gradients are slopes; if not, the operation whose rule is wrong. None where that cannot be told."""
        given = buffer_values(self.recorded.nodes, self.input)
        error = slope_error(self.recorded, given)
        if error is None:
            return []
        if error > SLOPE_TOLERANCE:
            for node, alone, values in single_operations(self.recorded, given):
                own = slope_error(alone, values)
                if own is not None and own > SLOPE_TOLERANCE:
                    looked = Looked(f"gradient of {node.op.name}", alone.roots, values)
                    return [_slope_finding(looked, own, node)]
        looked = Looked("gradients", self.recorded.roots, given)
        return [_slope_finding(looked, error, self.recorded.roots[0])]

    # Steps of a plan.

    def steps(self, plan: Plan, target: Target[Any]) -> list[Finding]:
        """What each step makes of the values that it reads, and whether the plan's memory keeps the results whole."""
        schedule, given = plan.schedule, buffer_values(self.recorded.nodes, self.input)
        try:
            values = Values(target, plan.program, self.inputs, self.scalars)
        except StepFailed as error:
            group = schedule.steps[error.step]
            looked = Looked(_named(group), self.recorded.roots, given, target.name)
            return [_failure(looked, error.__cause__ or error, _place(group.nodes[-1]))]
        except Exception as error:
            return [_failure(Looked("plan", self.recorded.roots, given, target.name), error)]
        found = []
        for group in schedule.steps:
            made = tuple([node for node in group.nodes if node in schedule.stored and node in values])
            given = self._given(group.nodes, values)
            looked = Looked(_named(group), made, given, target.name)
            wide, own = Reference(given), Reference(given, is_wide=False)
            found.append(_worst(looked, [values[node] for node in made], [wide(node) for node in made], own))
        return [*found, self._whole(plan, target, values)]

    def _given(self, nodes: Sequence[Node], values: Values) -> dict[Node, np.ndarray]:
        """What a step reads, as far back as it can be seen."""
        members, given = set(nodes), {}
        stack = [source for node in nodes for source in node.inputs]
        seen: set[Node] = set()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node not in members and node in values:
                given[node] = values[node]
            else:
                stack += node.inputs
        return given

    def _whole(self, plan: Plan, target: Target[Any], values: Values) -> Finding:
        """The plan as it runs, where values share memory, beside that in which all can be seen."""
        given = buffer_values(self.recorded.nodes, self.input)
        outputs = [new_buffer(node.type) for node in plan.schedule.outputs]
        try:
            plan.executable(target.name).run(self.inputs, outputs, self.scalars)
        except Exception as error:
            return _failure(Looked("memory plan", self.recorded.roots, given, target.name), error)
        slots = plan.memory.slots
        nodes = tuple([root for root in plan.schedule.roots if slots[root].place is Place.OUTPUT and root in values])
        made = [on_host(outputs[slots[root].index], root.type) for root in nodes]
        return _worst(Looked("memory plan", nodes, given, target.name), made, [values[root] for root in nodes])

    def overridden(self, plan: Plan) -> list[Finding]:
        """The plan as it runs while `override` replaces some of its kernels; `steps` looks at the original ones."""
        names = [each.kernel.name for each in plan.kernels if each.kernel in edited]
        if not names:
            return []
        what, given = f"plan with edited {' '.join(names)}", buffer_values(plan.stages.primitive.nodes, self.input)
        outputs = [new_buffer(node.type) for node in plan.schedule.outputs]
        try:
            plan.run(self.inputs, outputs, self.scalars)
        except Exception as error:
            return [_failure(Looked(what, self.recorded.roots, given), error)]
        slots = plan.memory.slots
        nodes = tuple([root for root in plan.schedule.roots if slots[root].place is Place.OUTPUT])
        made = [on_host(outputs[slots[root].index], root.type) for root in nodes]
        wide, own = Reference(given), Reference(given, is_wide=False)
        return [_worst(Looked(what, nodes, given), made, [wide(root) for root in nodes], own)]


class Looked(NamedTuple):
    """What a finding is about; see there."""

    what: str
    nodes: tuple[Node, ...]
    given: Mapping[Node, np.ndarray]
    backend: str = ""


def _worst(
    looked: Looked,
    values: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    own: Callable[[Node], np.ndarray] | None = None,
) -> Finding:
    """The finding about the value that is off most, compared with what is allowed there.

    ``own`` gives what the same operations compute one by one in their own dtypes.
    """
    worst = Finding(looked.what, looked.backend, "", None, 0.0, 0.0, "", looked.nodes, looked.given)
    for node, value, wanted in zip(looked.nodes, values, expected, strict=True):
        error, allowed = relative_error(value.reshape(wanted.shape), wanted), tolerance(node.dtype)
        if error > allowed and own is not None:
            allowed = max(allowed, _OWN_ERRORS * relative_error(own(node), wanted))
        if worst.type is None or error - allowed > worst.error - worst.allowed:
            worst = replace(worst, place=_place(node), type=node.type, error=error, allowed=allowed)
    return worst


def _slope_finding(looked: Looked, error: float, node: Node) -> Finding:
    about = Finding(looked.what, "", _place(node), node.type, error, SLOPE_TOLERANCE, "", looked.nodes, looked.given)
    return replace(about, is_slope=True)


def _failure(looked: Looked, error: BaseException, place: str = "") -> Finding:
    said = f"{type(error).__name__}: {error}"
    return Finding(looked.what, looked.backend, place, None, inf, 0.0, said, looked.nodes, looked.given)


def _named(group: Group) -> str:
    names = " ".join(node.op.name for node in group.nodes)
    return f"{'call' if group.is_library else 'kernel of'} {names}"


def _place(node: Node) -> str:
    return node.origin.place if node.origin is not None else ""
