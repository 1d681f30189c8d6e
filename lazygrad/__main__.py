"""``python -m lazygrad doctor``: what lazygrad finds on this machine; ``… operations``: what graphs are made of."""

from __future__ import annotations

import argparse
import sys

from lazygrad.inspect.doctor import diagnose, in_words, is_well
from lazygrad.inspect.operations import operation_table
from lazygrad.inspect.showing import show


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 if lazygrad works here."""
    parser = argparse.ArgumentParser(prog="python -m lazygrad")
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser("doctor", help="say what was found on this machine, and test each backend")
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    commands.add_parser("operations", help="print the table of every operation a graph can hold")
    options = parser.parse_args(arguments)
    if options.command == "operations":
        show(operation_table())
        return 0
    report = diagnose()
    if options.json:
        import json

        show(json.dumps(report, indent=2))
    else:
        show(in_words(report))
    return 0 if is_well(report) else 1


if __name__ == "__main__":
    sys.exit(main())
