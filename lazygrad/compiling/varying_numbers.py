"""Scalars of a recorded call that are other numbers in each replay."""

from __future__ import annotations

from typing import Any

from lazygrad.compiling.bindings import Bindings, Number
from lazygrad.compiling.capture import Count, Drawn
from lazygrad.ops.random.in_graphs import set_graph_random_state, signed_word, take_blocks


class VaryingNumbers:
    """The scalars of one recorded call. Where random streams and step counts stand decides what they are next.

    Attributes:
        scalars: in slot order, as `advance` left them.
        actions: what `advance` does for step counts and numbers, with (slot, position) of the scalars.
    """

    def __init__(self, bindings: Bindings) -> None:
        self.scalars: list[Any] = list(bindings.scalars)
        self._blocks = tuple(bindings.blocks.items())
        self._before: list[tuple[int, int]] = []
        slots = list(enumerate(bindings.scalars))
        self._drawn = {
            device: [(slot, s.offset) for slot, s in slots if isinstance(s, Drawn) and s.device is device]
            for device in bindings.blocks
        }
        self.actions = [
            (action, [(slot, s.position) for slot, s in slots if isinstance(s, Number) and s.action == number])
            for number, action in enumerate(bindings.actions)
        ]

    def advance(self) -> None:
        """Count steps, draw from the generator of in-graph randomness, and compute the scalars of the next run."""
        scalars = self.scalars
        if self._blocks:
            self._before = [take_blocks(blocks, device) for device, blocks in self._blocks]
            for (device, _), (seed, counter) in zip(self._blocks, self._before, strict=True):
                for slot, offset in self._drawn[device]:
                    scalars[slot] = signed_word(seed if offset is None else (counter + offset) % 2**64)
        for action, places in self.actions:
            if isinstance(action, Count):
                action.state["step"] += 1
            else:
                values = action.compute()
                for slot, position in places:
                    scalars[slot] = float(values[position])

    def take_back(self) -> None:
        """Undo what `advance` did beside computing."""
        for action, _ in self.actions:
            if isinstance(action, Count):
                action.state["step"] -= 1
        for (device, _), before in zip(self._blocks, self._before, strict=True):
            set_graph_random_state(*before, device)
