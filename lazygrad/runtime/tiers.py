"""How often a program runs before it is worth a plan: until then it is computed node by node."""

from __future__ import annotations

import os

from lazygrad.runtime.backend_choice import AUTO, get_backend, waits_for_compiler
from lazygrad.targets.devices import target_names


class _Process:
    """What holds in all threads; None until LAZYGRAD_INTERPRETED_RUNS was read."""

    interpreted_runs: int | None = None


def get_interpreted_runs() -> int:
    """How many runs of a program are interpreted before it is planned.

    Raises:
        ValueError: the environment variable ``LAZYGRAD_INTERPRETED_RUNS`` is no number from 0 on.
    """
    if _Process.interpreted_runs is None:
        text = os.environ.get("LAZYGRAD_INTERPRETED_RUNS") or "1"
        if not text.isdecimal():
            raise ValueError(f"LAZYGRAD_INTERPRETED_RUNS must be a number from 0 on, not {text!r}")
        _Process.interpreted_runs = int(text)
    return _Process.interpreted_runs


def set_interpreted_runs(count: int) -> None:
    """Choose how many runs of a program are interpreted; it replaces what ``LAZYGRAD_INTERPRETED_RUNS`` says.

    A program that is interpreted is computed node by node, as an eager framework does it: nothing is planned, fused or
    compiled. Where programs wait for the compiler, or a compiled backend was chosen, they are planned at once.

    Args:
        count: 1 by default; 0 plans every program the first time it is seen.

    Raises:
        ValueError: ``count`` is negative.
    """
    if count < 0:
        raise ValueError(f"set_interpreted_runs: the count must be 0 or more, not {count}")
    _Process.interpreted_runs = count


def runs_to_interpret() -> int:
    """How many runs of a program are interpreted under the current options."""
    interprets = get_backend() in (AUTO, target_names()[0]) and not waits_for_compiler()
    return get_interpreted_runs() if interprets else 0
