"""How a C kernel writes its streamed outputs: each piece is made in a buffer and then put past the caches."""

from __future__ import annotations

from lazygrad.codegen.clike.lines import Lines
from lazygrad.targets.c.facts import NestFacts
from lazygrad.targets.c.places import NestPlaces
from lazygrad.targets.c.streams import overwritable


class Streaming:
    """Renders into ``out`` what is said about streamed outputs before and after loops."""

    def __init__(self, facts: NestFacts, places: NestPlaces, out: Lines) -> None:
        self.facts, self.places, self.out = facts, places, out

    def begin(self) -> None:
        """Whether each output lies apart from all inputs; otherwise it is just copied."""
        for position in sorted(self.facts.streamed):
            apart = [f"(const void *)out{position} != x{load}" for load in overwritable(self.facts.kernel, position)]
            self.out.add(f"const _Bool streams{position} = {' && '.join(apart) or '1'};")

    def end(self) -> None:
        """What follows the last line."""
        if self.facts.streamed:
            self.out.add("stream_end();")

    def begin_lines(self, positions: list[int], begin: str, count: int) -> None:
        """Declare the buffers in which the innermost loop makes what is then streamed."""
        self.places.begin_of_line = begin
        for position in positions:
            self.out.add(f"{self.facts.memory_of(position)} line{position}[{count}] __attribute__((aligned(64)));")

    def end_lines(self, positions: list[int], begin: str, end: str) -> None:
        """Write out what lies in the buffers."""
        count = end.removeprefix(f"{begin} + ") if end.startswith(f"{begin} + ") else f"({end} - {begin})"
        for position in positions:
            names = [begin if axis == self.facts.vector else name for axis, name in enumerate(self.facts.indices())]
            place, size = self.facts.place_in(position, names), self.facts.memory_size(position)
            source = f"line{position}, {count} * {size}"
            self.out.add(f"stream_bytes(streams{position}, &out{position}[{place}], {source});")
