"""Random numbers that a recorded call draws on the host: each replay draws others, in the same order."""

from __future__ import annotations

from typing import Any

from lazygrad.compiling.bindings import Bindings, Role
from lazygrad.host.buffer import buffer_of


class Drawings:
    """The arrays of random numbers of one recorded call, whether its program reads them or not."""

    def __init__(self, bindings: Bindings) -> None:
        self._drawings = bindings.drawings
        types = bindings.input_types
        self._slots = [
            (slot, end.of, types[slot].device) for slot, end in enumerate(bindings.inputs) if end.role is Role.DRAWN
        ]
        self._before: tuple[bytes, float | None] | None = None

    def draw(self, inputs: list[Any]) -> None:
        """Draw what the next run needs, and put it into the program's inputs."""
        if not self._drawings:
            return
        self._before = self._drawings[0].stream.mark()
        arrays = [drawing.array() for drawing in self._drawings]
        for slot, number, device in self._slots:
            inputs[slot] = buffer_of(arrays[number], device)

    def forget(self, inputs: list[Any]) -> None:
        """Let go of the arrays."""
        for slot, _, _ in self._slots:
            inputs[slot] = None

    def take_back(self) -> None:
        """Undo what `draw` did to the generator."""
        if self._before is not None:
            self._drawings[0].stream.rewind(self._before)
