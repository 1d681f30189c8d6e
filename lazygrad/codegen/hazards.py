"""Where threads have to meet: the barriers between the steps of a plan that a team of threads runs."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Memory:
    """A range of bytes in one of the plan's memories, for example the arena."""

    owner: tuple[str, int]
    begin: int = 0
    end: int = 1

    def overlaps(self, other: Memory) -> bool:
        return self.owner == other.owner and self.begin < other.end and other.begin < self.end


@dataclass(slots=True)
class Barriers:
    """Decides step by step whether all threads must have finished what came before.

    Two steps need a barrier between them if one writes what the other touches and they are not both done by the first
    thread alone.
    """

    _reads: list[tuple[Memory, bool]] = field(default_factory=list)
    _writes: list[tuple[Memory, bool]] = field(default_factory=list)

    def before(self, reads: list[Memory], writes: list[Memory], serial: bool) -> bool:
        """Whether a barrier is needed before a step with these accesses; the step is taken into account."""
        needed = self._conflict(reads, self._writes, serial)
        needed = needed or self._conflict(writes, self._writes, serial) or self._conflict(writes, self._reads, serial)
        if needed:
            self.passed()
        self._reads += [(memory, serial) for memory in reads]
        self._writes += [(memory, serial) for memory in writes]
        return needed

    def passed(self) -> None:
        """All threads have met."""
        self._reads.clear()
        self._writes.clear()

    @staticmethod
    def _conflict(touched: list[Memory], earlier: list[tuple[Memory, bool]], serial: bool) -> bool:
        return any(
            memory.overlaps(other) and not (serial and was_serial)
            for memory in touched
            for other, was_serial in earlier
        )
