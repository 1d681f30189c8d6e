"""Why a program had no plan: the newest programs without one, compared by their keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Op
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.runtime.dynamic.advice import changed_dimensions

_REMEMBERED = 64
_LISTED = 5
_ADVICE = {
    "type": "pad or group what differs in shape to a few shapes, and plans are found again",
    "attrs": "hand the number over as a tensor, and it is no part of the program",
}


class _Program(NamedTuple):
    key: tuple[Any, ...]
    origins: list[Origin | None]
    planned: bool
    is_marked: bool


class _Difference(NamedTuple):
    kind: str
    text: str


class Misses:
    """The newest programs for which the cache had no plan."""

    def __init__(self) -> None:
        self._programs: deque[_Program] = deque(maxlen=_REMEMBERED)

    def note(self, key: tuple[Any, ...], origins: list[Origin | None], planned: bool, is_marked: bool) -> None:
        """Remember a program.

        Args:
            key: that of its recording.
            origins: of the recording's nodes, in order.
            planned: whether it was planned now, or computed without a plan.
            is_marked: whether it is expected to have other sizes.
        """
        self._programs.append(_Program(key, origins, planned, is_marked))

    def clear(self) -> None:
        self._programs.clear()

    @property
    def last_is_marked(self) -> bool:
        """Whether the last program is expected to have other sizes."""
        return bool(self._programs) and self._programs[-1].is_marked

    def explain(self) -> str:
        """What distinguishes the last one from the newest earlier one with the same operations, and what to do."""
        if not self._programs:
            return "every program so far was found in the cache"
        last = self._programs[-1]
        return self._distinguished(last, f"the last program without a plan ({_length(last)}; {_treatment(last)})")

    def explain_new(self, key: tuple[Any, ...], origins: list[Origin | None]) -> str:
        """The same for a program that has no plan and was not asked for yet; see `note`."""
        program = _Program(key, origins, planned=False, is_marked=False)
        return self._distinguished(program, f"this program ({_length(program)})")

    def _distinguished(self, last: _Program, what: str) -> str:
        nodes = list(_nodes(last.key))
        for other in reversed(self._programs):
            if other.key != last.key and [node[0] for node in _nodes(other.key)] == [node[0] for node in nodes]:
                break
        else:
            times = sum(other.key == last.key for other in self._programs if other is not last)
            if times:
                often = f"{times} time{'s' if times > 1 else ''}"
                return f"{what} was computed node by node {often} before; it is planned when that has taken long enough"
            return f"{what} is the first one with this sequence of operations"
        differences = [
            _Difference(kind, f"%{i} {_name(now, last.origins[i])}: {text}")
            for i, (then, now) in enumerate(zip(_nodes(other.key), nodes, strict=True))
            for kind, text in _compared(then, now)
        ]
        listed = "; ".join([each.text for each in differences[:_LISTED]]) + (
            "; …" if len(differences) > _LISTED else ""
        )
        kinds = dict.fromkeys([each.kind for each in differences])
        marks = [] if last.is_marked else _marks(list(_nodes(other.key)), nodes, last.origins)
        advice = marks or [f"\n{_ADVICE[kind]}" for kind in kinds if kind in _ADVICE]
        return f"{what} differs from an earlier one: {listed or 'other values are asked for'}{''.join(advice)}"


def _marks(then: list[list[Any]], now: list[list[Any]], origins: list[Origin | None]) -> list[str]:
    """What to mark, if one plan would then serve all sizes."""
    found = []
    for number, axes in changed_dimensions(then, now):
        dims = axes[0] if len(axes) == 1 else tuple(axes)
        place = origins[number]
        found.append(f"lg.mark_dynamic(x, {dims}) of %{number}{f', made at {place.place}' if place else ''}")
    return [f"\none plan serves all such sizes from the third on after {' and '.join(found)}"] if found else []


def _length(program: _Program) -> str:
    return f"{len(list(_nodes(program.key)))} recorded operations"


def _treatment(program: _Program) -> str:
    return "planned now" if program.planned else "computed node by node"


def _nodes(key: tuple[Any, ...]) -> Iterator[list[Any]]:
    """The key of a recording cut into its nodes; each begins with an op."""
    node: list[Any] = []
    for item in key:
        starts = isinstance(item, Op) and not (node and node[0] is buffer and node[-1] is True)  # a value with history
        if (starts or item == "stored") and node:
            yield node
            node = []
        if item == "stored":
            return
        node.append(item)


def _compared(then: list[Any], now: list[Any]) -> Iterator[tuple[str, str]]:
    for old, new in zip(then, now, strict=False):
        if old == new:
            continue
        if isinstance(new, TensorType):
            yield "type", f"type {old} became {new}"
        elif isinstance(new, tuple):
            yield "attrs", _changed(now[0], old, new)
        elif isinstance(new, int):
            yield "reads", "reads other values"
            return


def _changed(op: Op, old: tuple[Hashable, ...], new: tuple[Hashable, ...]) -> str:
    triples = zip(op.attr_names, old, new, strict=False)  # offsets are no part of a key
    return ", ".join([f"{name} {before!r} became {after!r}" for name, before, after in triples if before != after])


def _name(node: list[Any], origin: Origin | None) -> str:
    return node[0].name + (f" ({origin})" if origin is not None else "")
