"""``lazygrad explain``: which programs a script computes, and what became of the heaviest ones."""

from __future__ import annotations

import argparse
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from lazygrad.command_line.output import tell, tell_json
from lazygrad.command_line.script import declare_reported_program, nothing_computed, status_of_program
from lazygrad.inspect.report import Report
from lazygrad.inspect.report.building import Asked, built
from lazygrad.inspect.report.capturing import asked_of
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.runtime.realize import fusion_enabled, observing_realizations
from lazygrad.runtime.recording import Recording

_KEPT = 256  # programs; further ones are counted together


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--save", metavar="FILE", help="write the report as an HTML page that needs no network")
    parser.add_argument("--programs", type=int, default=2, metavar="N", help="how many to explain (default 2)")
    declare_reported_program(parser)


def execute(options: argparse.Namespace) -> int:
    seen = _Seen()
    with observing_realizations(seen.see):
        status = status_of_program(options)
    if not seen.programs:
        return nothing_computed(status)
    heaviest = seen.heaviest()
    report = Report([built(each.titled()) for each in heaviest[: options.programs]])
    if options.save:
        report.save(options.save)
    if options.json:
        tell_json({"status": status, "programs": [each.facts() for each in heaviest], "report": report.to_json()})
    else:
        tell("\n".join([*_table(heaviest, seen.others), "", str(report)]))
    return status


@dataclass
class _Program:
    """A program that was computed some times."""

    asked: Asked
    times: int = 0

    @property
    def nodes(self) -> int:
        return len(self.asked.recorded.nodes)

    @property
    def bytes(self) -> int:
        """Of all values of its nodes, over all times."""
        return self.times * sum(map(bytes_of, self.asked.recorded.nodes))

    @property
    def place(self) -> str:
        """The line that asked for the last of its results."""
        origins = [root.origin for root in self.asked.recorded.roots if root.origin is not None]
        return origins[-1].place if origins else "unknown"

    def titled(self) -> Asked:
        return replace(self.asked, title=f"{self.place}, computed {self.times} times")

    def facts(self) -> dict[str, Any]:
        return {"place": self.place, "recorded nodes": self.nodes, "times": self.times, "bytes of values": self.bytes}


class _Seen:
    """The programs of a run, each once.

    Attributes:
        programs: by key.
        others: how many were computed beyond those that are kept.
    """

    def __init__(self) -> None:
        self.programs: dict[Hashable, _Program] = {}
        self.others = 0

    def see(self, recording: Recording) -> None:
        key = (recording.key, fusion_enabled())
        if key not in self.programs:
            if len(self.programs) == _KEPT:
                self.others += 1
                return
            self.programs[key] = _Program(asked_of(recording, ""))
        self.programs[key].times += 1

    def heaviest(self) -> list[_Program]:
        """Those with the most bytes first: a thousand updates of a number are less than one large product."""
        return sorted(self.programs.values(), key=lambda each: each.bytes, reverse=True)


def _table(programs: list[_Program], others: int) -> list[str]:
    """A row for the programs of a line with equally many nodes, which differ in shapes or options as a rule."""
    alike: dict[tuple[str, int], list[_Program]] = {}
    for each in programs:
        alike.setdefault((each.place, each.nodes), []).append(each)
    rows = [f"{'program':<50}{'recorded nodes':>15}{'variants':>10}{'times':>8}{'MB':>10}"]
    for (place, nodes), same in alike.items():
        times, megabytes = sum(each.times for each in same), sum(each.bytes for each in same) / 1e6
        rows.append(f"{place[-48:]:<50}{nodes:>15,}{len(same):>10,}{times:>8,}{megabytes:>10,.3g}")
    return [*rows, f"and {others:,} others"] if others else rows
