"""How often a program runs before it is worth a plan: until then it is computed node by node. How often plans ran."""

from __future__ import annotations

import os
import threading

from lazygrad.ir.settings import changes
from lazygrad.runtime.backend_choice import AUTO, get_backend, waits_for_compiler
from lazygrad.runtime.overriding import edited
from lazygrad.targets.devices import target_names


class Runs:
    """How often plans ran, in this process or since the plan cache was cleared; of a program in parts, each part.

    Attributes:
        planned: on the first target of their device, on the CPU numpy.
        compiled: on a target that compiles.
        dynamic: plans that serve many sizes.
    """

    __slots__ = ("compiled", "dynamic", "planned")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin to count anew."""
        self.planned = self.compiled = self.dynamic = 0


runs = Runs()


class _Process:
    """What holds in all threads.

    Attributes:
        interpreted_runs: see `get_interpreted_runs`.
        is_known: whether the environment was read, or a choice was made.
    """

    interpreted_runs: int | None = None
    is_known = False


def get_interpreted_runs() -> int | None:
    """How many runs of a program are interpreted before it is planned; None: until that took as long as planning does.

    Raises:
        ValueError: the environment variable ``LAZYGRAD_INTERPRETED_RUNS`` is no number from 0 on.
    """
    if not _Process.is_known:
        text = os.environ.get("LAZYGRAD_INTERPRETED_RUNS") or None
        if text is not None and not text.isdecimal():
            raise ValueError(f"LAZYGRAD_INTERPRETED_RUNS must be a number from 0 on, not {text!r}")
        _Process.interpreted_runs = None if text is None else int(text)
        _Process.is_known = True
    return _Process.interpreted_runs


def set_interpreted_runs(count: int | None) -> None:
    """Choose how many runs of a program are interpreted; it replaces what ``LAZYGRAD_INTERPRETED_RUNS`` says.

    A program that is interpreted is computed node by node, as an eager framework does it: nothing is planned, fused or
    compiled. Where programs wait for the compiler, or a compiled backend was chosen, they are planned at once.

    Args:
        count: 0 plans every program the first time it is seen. None, the default, plans it once its runs have taken as
            long as planning would: a large program after its first run, a small one after some.

    Raises:
        ValueError: ``count`` is negative.
    """
    if count is not None and count < 0:
        raise ValueError(f"set_interpreted_runs: the count must be 0 or more, not {count}")
    _Process.interpreted_runs, _Process.is_known = count, True


class _Latest(threading.local):
    """Whether the first target may run what this thread computes, and the latest change of settings by then."""

    known: tuple[object, bool] = (None, False)


_latest = _Latest()


def runs_to_interpret() -> int | None:
    """`get_interpreted_runs` under the current options."""
    change = changes.latest
    known = _latest.known
    if known[0] is not change:
        known = _latest.known = (change, get_backend() in (AUTO, target_names()[0]))
    if not known[1] or waits_for_compiler() or edited:
        return 0
    return _Process.interpreted_runs if _Process.is_known else get_interpreted_runs()
