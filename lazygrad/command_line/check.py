"""``lazygrad check``: whether the first larger programs of a script compute what they say."""

from __future__ import annotations

import argparse
from collections.abc import Hashable
from typing import Any

from lazygrad.command_line.output import tell, tell_json
from lazygrad.command_line.script import declare_reported_program, nothing_computed, status_of_program
from lazygrad.inspect.checking.check import CheckReport, check_recording
from lazygrad.inspect.checking.graph_check import Finding
from lazygrad.passes.partition import is_on_one_device
from lazygrad.runtime.realize import observing_realizations
from lazygrad.runtime.recording import Recording

_DIVERGES = 5


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=int, default=3, metavar="N", help="how many at most (default 3)")
    parser.add_argument("--least", type=int, default=10, metavar="N", help="recorded nodes of each (default 10)")
    parser.add_argument("--backends", metavar="A,B", help="check these; default: all that can run here")
    parser.add_argument(
        "--repro",
        metavar="FILE",
        default="lazygrad_repro.py",
        help="where to write a program that shows the first divergence (default lazygrad_repro.py)",
    )
    declare_reported_program(parser)


def execute(options: argparse.Namespace) -> int:
    seen = _Checked(options)
    with observing_realizations(seen.see):
        status = status_of_program(options)
    if not seen.found:
        return nothing_computed(status)
    if options.json:
        tell_json({"status": status, "programs": [_facts(place, each) for place, each in seen.found]})
    else:
        tell("\n\n".join([f"{place}\n{each}" for place, each in seen.found]))
    return status or (0 if all(each.ok for _, each in seen.found) else _DIVERGES)


class _Checked:
    """Checks each program when it is about to be computed for the first time, since its inputs are there then.

    Attributes:
        found: the line of each, and what came out.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._known: set[Hashable] = set()
        self.found: list[tuple[str, CheckReport]] = []

    def see(self, recording: Recording) -> None:
        options = self._options
        is_new = recording.key not in self._known and len(self.found) < options.programs
        if not is_new or len(recording.order) < options.least or not is_on_one_device(recording.program()):
            return
        self._known.add(recording.key)
        backends = options.backends.split(",") if options.backends else ()
        is_first = all(each.ok for _, each in self.found)
        origin = recording.stored[-1].origin
        place = origin.place if origin is not None else "unknown"
        self.found.append((place, check_recording(recording, backends, options.repro if is_first else None)))


def _facts(place: str, report: CheckReport) -> dict[str, Any]:
    return {
        "place": place,
        "ok": report.ok,
        "operations": report.operations,
        "diverges": [_words(finding) for finding in report.findings if finding.diverges],
        "operation": report.operation,
        "script": None if report.script is None else str(report.script),
    }


def _words(finding: Finding) -> dict[str, Any]:
    return {"what": finding.what, "backend": finding.backend, "place": finding.place, "words": str(finding)}
