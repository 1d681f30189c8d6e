"""Programs that differ in sizes only, and their plans for ranges of sizes.

The first two programs of a family that were recorded at different sizes give its template. Every later one is compared
exactly with the template at its size; so nothing is assumed about the code that recorded them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import isqrt
from typing import TYPE_CHECKING, Any

from lazygrad.host.collector import collector_waits
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import TensorType
from lazygrad.ir.polynomial import NotDynamic
from lazygrad.runtime.dynamic.graph_template import GraphTemplate
from lazygrad.runtime.dynamic.marks import Bounds
from lazygrad.runtime.recording import Recording

if TYPE_CHECKING:
    from lazygrad.runtime.dynamic.range_plan import RangePlan, SizedPlan

_FAMILIES, _SIZES = 32, 64  # that are remembered, of sizes those of one family
_ATTEMPTS = 4  # programs of one wiring that differ in more than sizes
# Where the first range ends that is tried, and how many times as far each next one. No layer has a prime width, so that
# what is equal there is equal everywhere.
_FIRST, _WIDTH = 17, 8
Submit = Callable[[Hashable, Callable[[], None]], None]


class Families:
    """All families.

    Attributes:
        why_not: what kept the last program that was asked for from having such a plan; empty if it has one.
    """

    def __init__(self) -> None:
        self._families: OrderedDict[Hashable, _Family] = OrderedDict()
        self.why_not = ""

    @property
    def plans(self) -> int:
        """How many plans for ranges of sizes there are."""
        return sum([family.made for family in self._families.values()])

    def clear(self) -> None:
        """Forget them."""
        self._families.clear()
        self.why_not = ""

    def plan_of(self, recording: Recording, bounds: Bounds, submit: Submit | None) -> SizedPlan | None:
        """The plan for many sizes, at the size of ``recording``; None where there is none, or none yet.

        Args:
            recording: of a program on the CPU.
            bounds: between which sizes it is expected.
            submit: has a plan made in the background; None: it is made now.
        """
        key = _without_sizes(recording.key)
        family = self._families.get(key)
        if family is None:
            family = self._families[key] = _Family()
            if len(self._families) > _FAMILIES:
                self._families.popitem(last=False)
        self._families.move_to_end(key)
        plan = family.plan_of(recording, bounds, submit)
        self.why_not = "" if plan is not None else family.why_not
        return plan


families = Families()


class _Family:
    """Programs of one wiring.

    Attributes:
        made: how many plans for ranges there are.
        why_not: why the last program had none.
    """

    def __init__(self) -> None:
        self._first: Graph | None = None
        self._template: GraphTemplate | None = None
        self._attempts = 0
        self._ranges: list[RangePlan] = []
        self._refused: list[tuple[int, int, str]] = []  # ranges that have no plan, and why
        self._being_made = False
        self._sized: OrderedDict[Hashable, SizedPlan] = OrderedDict()
        self.why_not = ""

    @property
    def made(self) -> int:
        return len(self._ranges)

    def plan_of(self, recording: Recording, bounds: Bounds, submit: Submit | None) -> SizedPlan | None:
        known = self._sized.get(recording.key)
        if known is not None:
            self._sized.move_to_end(recording.key)
            return known
        graph = recording.program()
        template = self._template or self._made_template(graph)
        if template is None:
            return None
        size = template.size_of(graph)
        if size is None:
            self.why_not = "it differs from the others of its kind in more than one size"
            return None
        found = self._serving(size)
        if found is None and not self._is_refused(size):
            self._plan_around(template, recording.slots_of_parts(), size, bounds, submit)
            found = self._serving(size)
        if found is None:
            self.why_not = self._reason(size)
            return None
        sized = self._sized[recording.key] = found.at(size)
        if len(self._sized) > _SIZES:
            self._sized.popitem(last=False)
        return sized

    def _made_template(self, graph: Graph) -> GraphTemplate | None:
        if self._first is None or self._attempts >= _ATTEMPTS:
            self._first = self._first or graph
            self.why_not = self.why_not or "it was not seen at another size yet"
            return None
        try:
            self._template = GraphTemplate(self._first, graph)
        except NotDynamic as reason:
            self._first, self._attempts, self.why_not = graph, self._attempts + 1, str(reason)
        return self._template

    def _serving(self, size: int) -> RangePlan | None:
        return next((each for each in self._ranges if each.serves(size)), None)

    def _is_refused(self, size: int) -> bool:
        return any(low <= size <= high for low, high, _ in self._refused)

    def _reason(self, size: int) -> str:
        if self._being_made:
            return "its plan is being made"
        reasons = [reason for low, high, reason in self._refused if low <= size <= high]
        return reasons[-1] if reasons else f"the plan for sizes around {size} needs two elements of each dimension"

    def _plan_around(
        self, template: GraphTemplate, parts: dict[int, int], size: int, bounds: Bounds, submit: Submit | None
    ) -> None:
        """Have a plan for a range that holds ``size``."""
        low, high = _first_range(size, bounds)
        if not low <= size <= high or any(each.low <= size <= each.high for each in self._ranges):
            return

        def make() -> None:
            try:
                with collector_waits():
                    self._narrow(template, parts, size, low, high)
            finally:
                self._being_made = False

        if submit is None:
            make()
        elif not self._being_made:
            self._being_made = True
            submit((id(self), size), make)

    def _narrow(self, template: GraphTemplate, parts: dict[int, int], size: int, low: int, high: int) -> None:
        """Plan for the widest range around ``size`` that one plan can serve."""
        # The compiler half of the package loads with the first plan.
        from lazygrad.runtime.dynamic.range_plan import NARROWEST, RangePlan

        reason = "fewer sizes are expected than such a plan is worth"
        while high - low >= NARROWEST:
            for first in (low, low + 1) if size > low else (low,):  # the lower end may equal another size by chance
                try:
                    self._ranges.append(RangePlan(template, parts, first, high))
                    return
                except Exception as why:  # nobody recorded the program at these sizes: any rule may refuse it
                    reason = str(why)
            middle = isqrt(low * high)
            low, high = (low, middle) if size <= middle else (middle + 1, high)
        self._refused.append((low, high, reason))


def _first_range(size: int, bounds: Bounds) -> tuple[int, int]:
    """The range that is tried first: what is expected, if that is bounded, else a wide one."""
    low = max(2, int(bounds[0]))
    if bounds[1] <= 1 << 20:
        return low, int(bounds[1])
    high = _FIRST
    while high < size:
        high *= _WIDTH
    return max(low, high // _WIDTH + 1) if high > _FIRST else low, high


def _without_sizes(item: Any) -> Hashable:
    """A plan key, in which types have no extents and attributes no numbers."""
    if isinstance(item, tuple):
        return tuple([_open(each) if isinstance(each, tuple) else _without_sizes(each) for each in item])
    return (len(item.shape), item.dtype, item.device) if isinstance(item, TensorType) else item


def _open(item: Any) -> Hashable:
    if isinstance(item, tuple):
        return tuple([_open(each) for each in item])
    if type(item) in (int, float):
        return type(item).__name__
    attribute: Hashable = item
    return attribute
