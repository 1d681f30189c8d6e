"""The bounded cache of plans, and the reason of the last miss."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node

if TYPE_CHECKING:
    from lazygrad.runtime.partitioned_plan import AnyPlan

DEFAULT_CAPACITY = 512
_REMEMBERED = 1 << 16  # programs without a plan; of each a number is kept


class PlanCache:
    """Plans by key, least recently used first out.

    Attributes:
        hits, misses: realizations that found their plan and that had to make one, since the start or the last `clear`.
        interpreted: realizations of programs that had no plan yet and were computed without one.
        capacity: the most plans it keeps.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self.capacity, self.hits, self.misses, self.interpreted = capacity, 0, 0, 0
        self.last: AnyPlan | None = None
        self._plans: OrderedDict[Any, AnyPlan] = OrderedDict()
        self._sights: OrderedDict[int, int] = OrderedDict()
        self._last_miss: tuple[AnyPlan, AnyPlan | None] | None = None

    def __len__(self) -> int:
        return len(self._plans)

    def interprets(self, key: Any, runs: int) -> bool:
        """Whether the program of ``key`` has no plan, and ran less than ``runs`` times; counts it if so."""
        if not runs or key in self._plans:
            return False
        number = hash(key)  # two programs of one number are planned a run too early, which does no harm
        seen = self._sights.pop(number, 0)
        if seen >= runs:
            return False
        self._sights[number] = seen + 1
        if len(self._sights) > _REMEMBERED:
            self._sights.popitem(last=False)
        self.interpreted += 1
        return True

    def get(self, key: Any, build: Callable[[], AnyPlan]) -> AnyPlan:
        """The plan for ``key``, built on a miss."""
        plan = self._plans.get(key)
        if plan is not None:
            self.hits += 1
            self._plans.move_to_end(key)
        else:
            self.misses += 1
            plan = build()
            self._last_miss = (plan, self._similar(plan))
            self._plans[key] = plan
            while len(self._plans) > self.capacity:
                self._plans.popitem(last=False)
        self.last = plan
        return plan

    def clear(self) -> None:
        """Forget every plan and count."""
        self._plans.clear()
        self._sights.clear()
        self.hits = self.misses = self.interpreted = 0
        self._last_miss = self.last = None

    def _similar(self, plan: AnyPlan) -> AnyPlan | None:
        """The newest earlier plan that records the same ops in the same order."""
        ops = [node.op for node in plan.stages.recorded.nodes]
        for other in reversed(self._plans.values()):
            nodes = other.stages.recorded.nodes
            if len(nodes) == len(ops) and all(node.op is op for node, op in zip(nodes, ops, strict=True)):
                return other
        return None

    def explain_miss(self) -> str:
        """Why the last plan had to be built, in words."""
        if self._last_miss is None:
            return "no plan was built yet"
        plan, similar = self._last_miss
        if similar is None:
            count = len(plan.stages.recorded)
            return f"plan {plan.number}: the first program with this sequence of {count} recorded operations"
        differences = _differences(similar.stages.recorded, plan.stages.recorded)
        listed = "; ".join(differences[:5]) + ("; …" if len(differences) > 5 else "")
        return f"plan {plan.number} differs from plan {similar.number}: {listed or 'other values are asked for'}"


def _differences(old: Graph, new: Graph) -> list[str]:
    found = []
    old_number = {node: i for i, node in enumerate(old.nodes)}
    new_number = {node: i for i, node in enumerate(new.nodes)}
    for i, (before, after) in enumerate(zip(old.nodes, new.nodes, strict=True)):
        where = f"%{i} {after.op.name}" + (f" ({after.origin})" if after.origin is not None else "")
        if before.type is not after.type and not after.inputs:
            found.append(f"{where}: type {before.type} became {after.type}")
        elif before.attrs != after.attrs and after.op.name not in ("buffer", "scalar"):
            found.append(f"{where}: {_changed_attrs(before, after)}")
        elif [old_number[s] for s in before.inputs] != [new_number[s] for s in after.inputs]:
            found.append(f"{where}: reads other values")
    return found


def _changed_attrs(before: Node, after: Node) -> str:
    pairs = zip(before.named_attrs(), after.named_attrs(), strict=True)
    return ", ".join(f"{name} {old!r} became {new!r}" for (name, old), (_, new) in pairs if old != new)
