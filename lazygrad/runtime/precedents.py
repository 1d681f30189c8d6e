"""Which precedents there are: `recorded` finds a recording by one, or makes it the general way."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from lazygrad.host.collector import collector_waits
from lazygrad.ir.node import Node, TensorType
from lazygrad.runtime.precedent import Precedent, Wiring, can_be_followed
from lazygrad.runtime.recording import ProgramKey, Recording, forward_mode_is_open

_MOST_ALIKE = 4
_MOST_SIZES = 64  # of one wiring
_MOST_KINDS = 1 << 10  # forgotten together when there are more
_LONGEST_WAIT = 1 << 10


class _Checking:
    """Whether each recording that follows a precedent is also made the general way and compared; for tests."""

    enabled = False


checking = _Checking()


Types = tuple[TensorType, ...]


class _Wired:
    """Precedents of one wiring by the types of their nodes: programs that differ in sizes are told apart by one look.

    Attributes:
        wiring: that of all.
        precedents: for each types, `_MOST_ALIKE` or fewer, newest first; types that were met last stand last.
    """

    __slots__ = ("precedents", "wiring")

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        self.precedents: OrderedDict[Types, list[Precedent]] = OrderedDict()

    def follow(self, roots: list[Node]) -> Recording | None:
        order = self.wiring.follow(roots)
        if order is None:
            return None
        types = _types(order)
        alike = self.precedents.get(types, [])
        for number, precedent in enumerate(alike):
            recording = precedent.follow(roots, order)
            if recording is not None:
                precedent.has_followers = True
                if number:
                    _to_front(alike, number)
                self.precedents.move_to_end(types)
                return recording
        return None

    def note(self, recording: Recording, key: ProgramKey) -> list[Precedent]:
        """Add a precedent, and return those that had to go for it."""
        alike = self.precedents.setdefault(_types(recording.order), [])
        alike.insert(0, Precedent(recording, key, self.wiring))
        if len(alike) > _MOST_ALIKE:
            return [alike.pop()]
        return self.precedents.popitem(last=False)[1] if len(self.precedents) > _MOST_SIZES else []

    def forget(self, key: ProgramKey) -> None:
        for alike in self.precedents.values():
            alike[:] = [precedent for precedent in alike if precedent.key != key]


class _Rooted:
    """Precedents with similar roots, by wiring.

    To note one takes as long as the general way. Where those that were noted go unused, as in a program that is never
    twice the same, the next is noted after twice as many recordings.

    Attributes:
        wired: `_MOST_ALIKE` wirings or fewer, newest first.
        wait: how many recordings go by before the next one is noted.
        left: of these.
    """

    __slots__ = ("left", "wait", "wired")

    def __init__(self) -> None:
        self.wired: list[_Wired] = []
        self.wait = self.left = 0

    def follow(self, roots: list[Node]) -> Recording | None:
        for number, wired in enumerate(self.wired):
            recording = wired.follow(roots)
            if recording is not None:
                self.wait = self.left = 0
                if number:
                    _to_front(self.wired, number)
                return recording
        return None

    def note(self, recording: Recording, key: ProgramKey) -> None:
        if self.left:
            self.left -= 1
            return
        wiring = Wiring(recording)
        wired = next((each for each in self.wired if each.wiring.equals(wiring)), None)
        gone: list[Precedent] = []
        if wired is None:
            if len(self.wired) == _MOST_ALIKE:
                gone = [precedent for alike in self.wired.pop().precedents.values() for precedent in alike]
            wired = _Wired(wiring)
            self.wired.insert(0, wired)
        gone += wired.note(recording, key)
        if gone and not any([precedent.has_followers for precedent in gone]):
            self.wait = self.left = min(2 * self.wait + 1, _LONGEST_WAIT)

    def forget(self, key: ProgramKey) -> None:
        for wired in self.wired:
            wired.forget(key)


def _types(order: Sequence[Node]) -> Types:
    return tuple([node.type for node in order])


def _to_front(items: list[Any], number: int) -> None:
    items.insert(0, items.pop(number))


class Precedents:
    """Those of the programs that have a plan."""

    def __init__(self) -> None:
        self._rooted: dict[tuple[Any, ...], _Rooted] = {}

    def recorded(self, roots: Sequence[Node]) -> Recording:
        """The recording of ``roots``, which are pending."""
        if checking.enabled:
            with collector_waits():  # garbage holds nodes, too
                return self._compared(roots)
        return self._followed(roots) or Recording(roots)

    def _followed(self, roots: Sequence[Node]) -> Recording | None:
        rooted = self._rooted.get(_kind(roots))
        return rooted.follow([*roots]) if rooted is not None and not forward_mode_is_open() else None

    def _compared(self, roots: Sequence[Node]) -> Recording:
        recording = self._followed(roots)
        if recording is None:
            return Recording(roots)
        followed = _comparable(recording)
        del recording  # it holds nodes whose references are counted
        general = Recording(roots)
        _compare(followed, _comparable(general))
        general.has_precedent = True
        return general

    def note(self, recording: Recording, key: ProgramKey) -> None:
        """Say that ``recording``, which is about to be computed, is of a program that has a plan.

        Args:
            recording: made the general way.
            key: the object by which the cache has the plan: to find it again takes no comparison of keys then.
        """
        if forward_mode_is_open() or not can_be_followed(recording):
            return
        if len(self._rooted) >= _MOST_KINDS:
            self._rooted.clear()
        self._rooted.setdefault(_kind(recording.roots), _Rooted()).note(recording, key)

    def forget(self, key: Any) -> None:
        """Forget those of a program whose plan is gone.

        Args:
            key: in the cache of plans, a tuple that begins with that of the program.
        """
        for rooted in self._rooted.values():
            rooted.forget(key[0])

    def clear(self) -> None:
        self._rooted.clear()


def _kind(roots: Sequence[Node]) -> tuple[Any, ...]:
    first, last = roots[0], roots[-1]
    return (len(roots), first.op, first.type, last.op, last.type)


def _comparable(recording: Recording) -> dict[str, Any]:
    """What a recording says, without references to its nodes."""
    said = {name: _without_nodes(getattr(recording, name)) for name in _COMPARED}
    return said | {"history": {node.serial for node in recording.history}}


def _without_nodes(value: Any) -> Any:
    if isinstance(value, Node):
        return value.serial
    if isinstance(value, dict):
        return [(_without_nodes(key), item) for key, item in value.items()]
    return [_without_nodes(item) for item in value] if type(value) is list else value


_COMPARED = (
    "roots", "order", "held", "buffers", "scalars", "numbers", "parts", "stored", "watched", "forgetting", "donatable",
    "key",
)  # fmt: skip


def _compare(followed: dict[str, Any], general: dict[str, Any]) -> None:
    for name, value in general.items():
        if followed[name] != value and repr(followed[name]) != repr(value):  # NaN is not equal to itself
            raise AssertionError(
                f"a recording that follows a precedent has other {name}: {followed[name]}, not {value}"
            )
