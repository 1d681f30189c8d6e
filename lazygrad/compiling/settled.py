"""Replays in the steady state, in which nothing but replays touches what they update: a function made for each.

What such a replay looks at and in which memory it works is known before it begins. So a template writes it down as
straight-line code without a loop or a call that could be spared: the checks, one run of the plan, and the assignments
that give out what the plan has written. Where a check fails nothing has happened, and `Replay.run` does the call, as it
does the first ones. It leaves new nodes and memory behind, which the function is then bound to.

In the steady state an output is written over the input it replaces where the plan allows it, and otherwise into the
second of two blocks that take turns. Small results lie in memory of earlier ones that nobody has any more.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from operator import attrgetter
from typing import Any

from lazygrad.codegen.escaping import python_text
from lazygrad.codegen.python_module import PythonModule
from lazygrad.codegen.templates import Templates
from lazygrad.compiling.arguments import Signature
from lazygrad.compiling.recorded_call import RecordedCall, Stale, moving_value, realized
from lazygrad.compiling.settled_source import SettledSource
from lazygrad.compiling.turns import Ground
from lazygrad.compiling.updates import give_contents, new_storage
from lazygrad.exposure import land_writes
from lazygrad.grad_mode import _mode
from lazygrad.host.buffer import new_buffer
from lazygrad.host.forks import let_forks_go_first, waiting
from lazygrad.host.interrupts import uninterrupted
from lazygrad.ir.settings import changes
from lazygrad.ops.arguments.settings import settings
from lazygrad.runtime.backend_choice import get_backend
from lazygrad.runtime.listening import listening
from lazygrad.runtime.ownership import bounds, references
from lazygrad.runtime.realize import realize_lock
from lazygrad.runtime.seen_memory import expected_writes
from lazygrad.runtime.tiers import runs
from lazygrad.tensor import Tensor

FIRST_RUNS = 3  # of a call that are not worth a function: to make one takes longer than they do

_templates = Templates("replay", python_text)
_numbers = count(1)


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS: Any = _Miss()

# What the source names and no call brings along.
_NAMES: dict[str, Any] = {
    "MISS": MISS, "Signature": Signature, "Stale": Stale, "changes": changes, "expected_writes": expected_writes,
    "get_ident": get_ident, "give_contents": give_contents,
    "is_shared": attrgetter("shared"), "land_writes": land_writes, "let_forks_go_first": let_forks_go_first,
    "modes": _mode, "moving_value": moving_value, "new_buffer": new_buffer, "new_storage": new_storage,
    "realize_lock": realize_lock, "realized": realized, "references": references, "runs": runs,
    "tensor_of": Tensor.from_storage, "waiting": waiting,
}  # fmt: skip


class Settled:
    """The function that does one recorded call again in the steady state.

    Attributes:
        function: called with a call's arguments as a tuple and a dictionary; it gives the result, or `MISS` if a check
            failed. None while there is none.
        source: of the function, or None.
    """

    def __init__(self, call: RecordedCall) -> None:
        self._call = call
        self._runs = 0
        self._settings: Any = None
        self._bound: dict[str, Any] = {}
        self._module: PythonModule | None = None
        self._names: dict[str, Any] = {}
        self._is_direct = False
        self.function: Callable[[tuple[Any, ...], dict[str, Any]], Any] | None = None

    @property
    def source(self) -> str | None:
        return self._module.text if self._module is not None else None

    def release(self) -> None:
        """Let go of nodes and memory: the call is about to be done otherwise."""
        self._names.update(dict.fromkeys(self._bound))
        self._bound = {}

    def follow(self) -> None:
        """`Replay.run` has done the call, with the realization lock: do the next one over what it has left behind."""
        self._runs += 1
        if self._runs >= FIRST_RUNS and bounds.can_watch:
            with suppress(MemoryError):  # the call itself is done
                self._settings = settings()
                self._bind()
                self._note()

    def _bind(self) -> None:
        call, backend = self._call, get_backend()
        executable = call.bindings.plan.fastest.get(backend)
        ground = Ground(call, executable)
        self._make(ground.is_direct)
        self._bound = ground.names | {
            "backend": backend, "executable": executable, "guards_hold": call.guards.condition(),
            "latest": changes.latest, "thread": get_ident(), "with_gradients": _mode.enabled,
            "turn": ground.first, "other": ground.second,
        }  # fmt: skip
        self._names.update(self._bound)

    def _make(self, is_direct: bool) -> None:
        """The function, if there is none for plans that run so."""
        if self._module is not None and is_direct is self._is_direct:
            return
        source = SettledSource(self._call, is_direct)
        text = _templates.render("replay.py.j2", title=self._call.title, **source.values)
        names = _NAMES | source.names
        self._module = PythonModule(text, f"replay {next(_numbers)}", is_same_here=self._is_same_here, **names)
        self._names = self._module.names
        replay = self._names["replay"]
        self.function = replay if source.is_interruptible else partial(uninterrupted, replay)
        self._is_direct = is_direct

    def _note(self) -> None:
        """Count the references; in a call of its own, which has none that go away later."""
        turn, other = self._names["turn"], self._names["other"]
        turn.counts.extend(references(turn.watched))
        turn.spare_counts.extend(references(turn.spare))
        other.spare_counts.extend(references(other.spare))

    def _is_same_here(self) -> bool:
        """Whether settings hold as they were, though some may have been set or another thread asks."""
        change = changes.latest
        if not self._bound or listening.listener is not None:
            return False
        if settings() != self._settings or get_backend() != self._bound["backend"]:
            return False
        self._names.update(latest=change, thread=get_ident())
        return True
