"""The command line: ``python -m lazygrad run script.py``, ``doctor`` and ``operations``."""

from __future__ import annotations

import argparse
import json
import sys

from lazygrad.running import run_module, run_script

# What inspects is imported by the commands that do, so that a program that runs starts sooner.


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 if lazygrad works here."""
    options = _parser().parse_args(arguments)
    status: int = options.action(options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lazygrad")
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="run a program written for PyTorch: import torch gives lazygrad")
    run.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="a module and its arguments")
    run.add_argument("script", nargs="?", help="a file")
    run.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program finds in sys.argv")
    run.set_defaults(action=_run, refuse=run.error)
    doctor = commands.add_parser("doctor", help="say what was found on this machine, and test each backend")
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    doctor.set_defaults(action=_doctor)
    operations = commands.add_parser("operations", help="print the table of every operation a graph can hold")
    operations.set_defaults(action=_operations)
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.module:
        run_module(options.module[0], options.module[1:])
    elif options.script:
        run_script(options.script, options.arguments)
    else:
        options.refuse("give a file, or -m and a module")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from lazygrad.inspect.doctor import diagnose, in_words, is_well
    from lazygrad.inspect.showing import show

    report = diagnose()
    show(json.dumps(report, indent=2) if options.json else in_words(report))
    return 0 if is_well(report) else 1


def _operations(options: argparse.Namespace) -> int:
    from lazygrad.inspect.operations import operation_table
    from lazygrad.inspect.showing import show

    show(operation_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
