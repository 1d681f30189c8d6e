"""``lazygrad compare``: the first larger programs of a script, with and without fusion or on several backends."""

from __future__ import annotations

import argparse
from collections.abc import Hashable
from math import isfinite
from typing import Any

from lazygrad.command_line.output import tell, tell_json
from lazygrad.command_line.script import declare_reported_program, nothing_computed, status_of_program
from lazygrad.inspect.comparing.compare import compare_recording
from lazygrad.inspect.comparing.comparison import Comparison
from lazygrad.runtime.realize import observing_realizations
from lazygrad.runtime.recording import Recording

_DIFFERS = 4


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=int, default=3, metavar="N", help="how many at most (default 3)")
    parser.add_argument("--least", type=int, default=10, metavar="N", help="recorded nodes of each (default 10)")
    parser.add_argument(
        "--backends", metavar="A,B", help="run them on these backends instead of with and without fusion"
    )
    parser.add_argument("--repeats", type=int, default=15, metavar="N", help="rounds of timing (default 15)")
    declare_reported_program(parser)


def execute(options: argparse.Namespace) -> int:
    seen = _Compared(options)
    with observing_realizations(seen.see):
        status = status_of_program(options)
    if not seen.found:
        return nothing_computed(status)
    if options.json:
        tell_json({"status": status, "programs": [_facts(place, each) for place, each in seen.found]})
    else:
        tell("\n\n".join([f"{place}\n{each}" for place, each in seen.found]))
    return status or (_DIFFERS if any(_differs(each) for _, each in seen.found) else 0)


class _Compared:
    """Compares each program when it is about to be computed for the first time, since its inputs are there then.

    Attributes:
        found: the line of each, and what came out.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._known: set[Hashable] = set()
        self.found: list[tuple[str, Comparison]] = []

    def see(self, recording: Recording) -> None:
        options = self._options
        is_new = recording.key not in self._known and len(self.found) < options.programs
        if is_new and len(recording.order) >= options.least:
            self._known.add(recording.key)
            backends = options.backends.split(",") if options.backends else ()
            origin = recording.stored[-1].origin
            place = origin.place if origin is not None else "unknown"
            self.found.append((place, compare_recording(recording, backends, options.repeats)))


def _differs(comparison: Comparison) -> bool:
    """Whether results have other shapes, or one is NaN or infinite where the other is not."""
    return any(each is None or not isfinite(each.absolute) for each in comparison.differences)


def _facts(place: str, comparison: Comparison) -> dict[str, Any]:
    return {"place": place, "rows": list(comparison.records()), "verdicts": comparison.verdicts()}
