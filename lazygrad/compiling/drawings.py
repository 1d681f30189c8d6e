"""Random numbers that a recorded call draws on the host: each replay draws others, in the same order."""

from __future__ import annotations

from lazygrad.compiling.bindings import Bindings, Role
from lazygrad.host.buffer import Buffer, buffer_of


class Drawings:
    """The arrays of random numbers of one recorded call, whether its program reads them or not.

    Attributes:
        slots: of the program's inputs that are such arrays.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._drawings = bindings.drawings
        types = bindings.input_types
        drawn = [(slot, end.of) for slot, end in enumerate(bindings.inputs) if end.role is Role.DRAWN]
        self.slots = [slot for slot, _ in drawn]
        self._numbers = [(number, types[slot].device) for slot, number in drawn]
        self._before: tuple[bytes, float | None] | None = None

    def draw(self) -> list[Buffer]:
        """Draw what the next run needs: what goes into `slots`."""
        if not self._drawings:
            return []
        self._before = self._drawings[0].stream.mark()
        arrays = [drawing.array() for drawing in self._drawings]
        return [buffer_of(arrays[number], device) for number, device in self._numbers]

    def take_back(self) -> None:
        """Undo what `draw` did to the generator."""
        if self._before is not None:
            self._drawings[0].stream.rewind(self._before)
