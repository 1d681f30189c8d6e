"""Which commands there are. The module of a command is imported when it is asked for, so that programs start sooner."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from lazygrad.version import __version__


class Command(Protocol):
    """What the module of a command defines."""

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Say which arguments it takes."""

    def execute(self, options: argparse.Namespace) -> int:
        """Do it, and return the exit status."""


class _Entry(NamedTuple):
    module: str
    help: str


COMMANDS = {
    "demo": _Entry("demo", "train a small network and show what one step of it became"),
    "doctor": _Entry("doctor", "say what was found on this machine, test each backend, and advise on what is missing"),
    "run": _Entry("run", "run a program written for PyTorch: import torch gives lazygrad"),
    "explain": _Entry("explain", "run a program, and explain what became of the heaviest parts of it"),
    "compare": _Entry("compare", "run a program, and compare its first larger parts with and without fusion"),
    "check": _Entry("check", "run a program, and check its first larger parts beside numpy in double precision"),
    "profile": _Entry("profile", "run a program, and say where its time goes"),
    "bench": _Entry("bench", "time a few programs of known shape beside what this machine can do at best"),
    "cache": _Entry("cache", "the compiled code on disk: its size, what there is, and how to be rid of it"),
    "operations": _Entry("operations", "the table of every operation that a graph can hold"),
}
STATUSES = """exit status:
  0  it did what was asked; the doctor found a backend that works
  1  the doctor found none; or an error ended the user's program, which shows its traceback
  2  the command line is wrong, or a file cannot be read
  3  there is nothing to report: the user's program computed nothing with lazygrad
  4  one side of a comparison is not finite, or has another shape, where the other is or has
  5  a pass or a kernel computes something else than the program says
A user's program that ends with a status of its own gives that status."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status, which `STATUSES` explains."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser(given[0] if given else "").parse_args(given)
    execute = cast(Callable[[argparse.Namespace], int], options.execute)
    return execute(options)


def _parser(chosen: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lazygrad", epilog=STATUSES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"lazygrad {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, entry in COMMANDS.items():
        own = commands.add_parser(
            name,
            help=entry.help,
            description=f"{entry.help[:1].upper()}{entry.help[1:]}.",
            epilog=STATUSES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            command = cast(Command, import_module(f"lazygrad.command_line.{entry.module}"))
            command.declare(own)
            own.set_defaults(execute=command.execute, refuse=own.error)
    return parser
