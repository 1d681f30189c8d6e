"""Who is told what a thread records. `lazygrad.compiling` listens while it learns what a function does.

Nobody listens most of the time; then these hooks cost one look at a thread-local attribute.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from lazygrad.ir.node import Node, TensorType
from lazygrad.ir.settings import Settings

if TYPE_CHECKING:
    from lazygrad.runtime.partitioned_plan import AnyPlan
    from lazygrad.runtime.random_drawing import Drawing
    from lazygrad.runtime.recording import Recording


class Listener(Protocol):
    """What a recorder of whole calls has to know beside the graph itself."""

    def postpones(self, roots: Sequence[Node]) -> bool:
        """A realization is asked for. True if it may wait: nobody looks at the values yet."""

    def on_read(self) -> None:
        """A computed value is about to leave the graph: the program may depend on it from here on."""

    def on_realized(self, recording: Recording, plan: AnyPlan) -> None:
        """A plan ran, and its values are where they belong."""

    def on_draw(self, seed: Node, counter: Node, blocks: int) -> None:
        """Randomness inside the graph took ``blocks`` counts of its stream; these scalars say where it stood."""

    def on_drawing(self, node: Node, drawing: Drawing, before: bytes) -> None:
        """Random numbers were drawn on the host: ``node`` holds them. The stream was in the state ``before``."""

    def on_step(self, undo: Sequence[Callable[[], None]]) -> None:
        """An optimizer recorded its updates; ``undo`` takes them back should computing them fail."""

    def on_count(self, state: dict[str, Any]) -> None:
        """An optimizer added one to ``state["step"]``."""

    def numbers(
        self, shared: Hashable, state: dict[str, Any], compute: Callable[[], Sequence[float]], type: TensorType
    ) -> tuple[Node, ...]:
        """Scalars with the values of ``compute()``, to be computed again whenever the recorded program is run again.

        Args:
            shared: calls with equal ``shared`` and ``type`` get the same scalars.
            state: whose ``"step"`` the numbers depend on; empty if they depend on none.
            compute: reads everything that may change between runs.
            type: 0-dim.
        """


class _Listening(Settings, threading.local):
    listener: Listener | None = None


listening = _Listening()
