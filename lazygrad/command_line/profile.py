"""``lazygrad profile``: where the time of a script goes."""

from __future__ import annotations

import argparse

from lazygrad.command_line.output import tell, tell_json
from lazygrad.command_line.script import declare_reported_program, nothing_computed, status_of_program
from lazygrad.inspect.profiling.profile import profile


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trace", metavar="FILE", help="write what happened when as a trace that Perfetto reads")
    parser.add_argument("--save", metavar="FILE", help="write flame and tables as an HTML page that needs no network")
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="of each table (default 20)")
    declare_reported_program(parser)


def execute(options: argparse.Namespace) -> int:
    with profile() as found:
        status = status_of_program(options)
    if not found.works:
        return nothing_computed(status)
    if options.trace:
        found.to_chrome_trace(options.trace)
    if options.save:
        found.save(options.save)
    if options.json:
        tell_json(
            {
                "status": status,
                "seconds": found.seconds,
                "activities": found.activities(),
                "lines": [{"file": file, "line": line, "ms": ms} for (file, line), ms in found.lines().items()],
                "works": [
                    {"name": work.name, "from": work.place, "calls": work.calls, "ms": work.nanoseconds / 1e6}
                    for work in found.works
                ],
                "cache": found.cache,
                "misses": found.misses,
                "bytes taken": found.bytes_taken,
                "bytes peak": found.bytes_peak,
                "interference": found.interference,
            }
        )
    else:
        tell(found.table(options.rows))
    return status
