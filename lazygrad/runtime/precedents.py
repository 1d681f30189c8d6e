"""Which precedents there are: `recorded` finds a recording by one, or makes it the general way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.host.collector import collector_waits
from lazygrad.ir.node import Node
from lazygrad.runtime.precedent import Precedent, can_be_followed
from lazygrad.runtime.recording import ProgramKey, Recording, forward_mode_is_open

_MOST_ALIKE = 4
_MOST_KINDS = 1 << 10  # forgotten together when there are more
_LONGEST_WAIT = 1 << 10


class _Checking:
    """Whether each recording that follows a precedent is also made the general way and compared; for tests."""

    enabled = False


checking = _Checking()


class _Alike:
    """Precedents with similar roots, newest first.

    To note one takes as long as the general way. Where those that were noted go unused, as in a program that is never
    twice the same, the next is noted after twice as many recordings.

    Attributes:
        precedents: `_MOST_ALIKE` of them or fewer.
        wait: how many recordings go by before the next one is noted.
        left: of these.
    """

    __slots__ = ("left", "precedents", "wait")

    def __init__(self) -> None:
        self.precedents: list[Precedent] = []
        self.wait = self.left = 0

    def follow(self, roots: list[Node]) -> Recording | None:
        for number, precedent in enumerate(self.precedents):
            recording = precedent.follow(roots)
            if recording is not None:
                precedent.has_followers, self.wait, self.left = True, 0, 0
                if number:
                    self.precedents.insert(0, self.precedents.pop(number))
                return recording
        return None

    def note(self, recording: Recording, key: ProgramKey) -> None:
        if self.left:
            self.left -= 1
            return
        if len(self.precedents) == _MOST_ALIKE and not self.precedents.pop().has_followers:
            self.wait = self.left = min(2 * self.wait + 1, _LONGEST_WAIT)
        self.precedents.insert(0, Precedent(recording, key))


class Precedents:
    """Those of the programs that have a plan."""

    def __init__(self) -> None:
        self._alike: dict[tuple[Any, ...], _Alike] = {}

    def recorded(self, roots: Sequence[Node]) -> Recording:
        """The recording of ``roots``, which are pending."""
        if checking.enabled:
            with collector_waits():  # garbage holds nodes, too
                return self._compared(roots)
        return self._followed(roots) or Recording(roots)

    def _followed(self, roots: Sequence[Node]) -> Recording | None:
        alike = self._alike.get(_kind(roots))
        return alike.follow([*roots]) if alike is not None and not forward_mode_is_open() else None

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
        if len(self._alike) >= _MOST_KINDS:
            self._alike.clear()
        self._alike.setdefault(_kind(recording.roots), _Alike()).note(recording, key)

    def forget(self, key: Any) -> None:
        """Forget those of a program whose plan is gone.

        Args:
            key: in the cache of plans, a tuple that begins with that of the program.
        """
        for alike in self._alike.values():
            alike.precedents = [precedent for precedent in alike.precedents if precedent.key != key[0]]

    def clear(self) -> None:
        self._alike.clear()


def _kind(roots: Sequence[Node]) -> tuple[Any, ...]:
    first, last = roots[0], roots[-1]
    return (len(roots), first.op, first.type, last.op, last.type)


def _comparable(recording: Recording) -> dict[str, Any]:
    """What a recording says, without references to its nodes."""

    def of(value: Any) -> Any:
        if isinstance(value, Node):
            return value.serial
        if isinstance(value, dict):
            return [(of(key), item) for key, item in value.items()]
        return [of(item) for item in value] if type(value) is list else value

    said = {name: of(getattr(recording, name)) for name in _COMPARED}
    return said | {"history": {node.serial for node in recording.history}}


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
