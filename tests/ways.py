"""The ways in which a program is run: met first, met again, by its tape, planned, and compiled.

What users meet first is not planned: a program that is new is computed node by node, in parts where it differs from
run to run; what comes again is recognized, and computed by the tape that was kept. Plans come later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeVar

import pytest

from lazygrad.runtime.backend_choice import backend
from lazygrad.runtime.realize import cache
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs

INTERPRETED = ("met first", "met again", "by its tape")
"""Three runs one after the other, as users have them by default: a tape is kept in the second and used in the third."""
PLANNED = "planned"
COMPILED = "compiled"


@contextmanager
def by_default() -> Iterator[None]:
    """Within this context programs are interpreted until they are worth a plan, as they are for users."""
    with _interpreting(None, waits=False):
        yield


@contextmanager
def planning() -> Iterator[None]:
    """Within this context every program is planned when it is met first."""
    with _interpreting(0, waits=True):
        yield


@contextmanager
def _interpreting(runs: int | None, waits: bool) -> Iterator[None]:
    before = get_interpreted_runs()
    set_interpreted_runs(runs)
    try:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("LAZYGRAD_WAIT_FOR_COMPILER", str(int(waits)))
            yield
    finally:
        set_interpreted_runs(before)


@contextmanager
def interpreting() -> Iterator[None]:
    """Within this context every program is computed node by node."""
    with _interpreting(1 << 30, waits=False):
        yield


Way = tuple[str, Callable[[], AbstractContextManager[None]]]
WAYS_OF_MODE: dict[str, tuple[Way, ...]] = {
    "default": ((INTERPRETED[0], by_default),),
    "each": (*((name, by_default) for name in INTERPRETED), (PLANNED, planning)),
    "planned": ((PLANNED, nullcontext),),  # as `tests.conftest` sets it up for all tests
    "interpreted": (("interpreted", interpreting),),
}
MODES = tuple(WAYS_OF_MODE)

Result = TypeVar("Result")


def in_each_way(program: Callable[[], Result], compiled: bool = False) -> Iterator[tuple[str, Result]]:
    """What a program answers in each way of running it, one after the other, and the name of the way.

    Args:
        program: builds its tensors anew at each call.
        compiled: whether C runs it, too; each of its plans waits for the compiler.
    """
    cache.clear()
    with backend("numpy"):
        with by_default():
            for way in INTERPRETED:
                yield way, program()
        with planning():
            yield PLANNED, program()
    if compiled:
        with planning(), backend("c"):
            yield COMPILED, program()
