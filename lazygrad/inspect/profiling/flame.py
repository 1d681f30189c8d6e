"""Nested sums of time, which flame views show: each frame's time is that of what is in it, and its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Part(NamedTuple):
    """What a frame is called, and what else is said of it."""

    name: str
    detail: str = ""


class Frame:
    """Something that took time, by what it is in.

    Attributes:
        part: what it is.
        value: in milliseconds, with all that is in it.
        inside: frames in it by what they are.
    """

    __slots__ = ("inside", "part", "value")

    def __init__(self, part: Part) -> None:
        self.part, self.value = part, 0.0
        self.inside: dict[Part, Frame] = {}

    def add(self, path: Iterable[Part], milliseconds: float) -> None:
        """The frame that ``path`` leads to took so much longer, and so did all on the way."""
        frame = self
        frame.value += milliseconds
        for part in path:
            frame = frame.inside.setdefault(part, Frame(part))
            frame.value += milliseconds

    def to_json(self) -> dict[str, Any]:
        """Nested ``{"name", "detail", "value", "children"}``, longest first."""
        below = sorted(self.inside.values(), key=lambda frame: -frame.value)
        return {
            "name": self.part.name, "detail": self.part.detail, "value": self.value,
            "children": [frame.to_json() for frame in below],
        }  # fmt: skip
