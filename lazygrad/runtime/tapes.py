"""Tapes of programs that came twice, kept until there is a plan."""

from __future__ import annotations

from collections import OrderedDict

from lazygrad.runtime.recording import ProgramKey
from lazygrad.runtime.tape import Tape


class Tapes:
    """Tapes by the key of their programs, least recently used first out.

    Attributes:
        capacity: how many steps they may have together; each takes about a third of a kilobyte.
        steps: how many they have.
    """

    def __init__(self, capacity: int = 1 << 15) -> None:
        self.capacity, self.steps = capacity, 0
        self._tapes: OrderedDict[ProgramKey, tuple[ProgramKey, Tape]] = OrderedDict()

    def find(self, key: ProgramKey) -> Tape | None:
        """The tape of a program, if there is one."""
        found = self._tapes.get(key)
        if found is None:
            return None
        self._tapes.move_to_end(key)
        return found[1]

    def keep(self, key: ProgramKey, tape: Tape) -> list[ProgramKey]:
        """Keep the tape of a program; those that had to go for it."""
        self._tapes[key] = key, tape.without_values()
        self.steps += len(tape.steps)
        gone = []
        while self.steps > self.capacity and len(self._tapes) > 1:
            gone.append(next(iter(self._tapes)))
            self.forget(gone[-1])
        return gone

    def forget(self, key: ProgramKey) -> None:
        """Forget the tape of a program, which has a plan now."""
        found = self._tapes.pop(key, None)
        if found is not None:
            self.steps -= len(found[1].steps)

    def clear(self) -> None:
        """Forget all of them."""
        self._tapes.clear()
        self.steps = 0
