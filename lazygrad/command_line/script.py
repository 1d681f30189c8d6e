"""A user's program under a command that reports on it: it runs unchanged, with its own output and errors."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext, redirect_stdout

from lazygrad.command_line.output import declare_json
from lazygrad.command_line.run import declare_program, run_program

NOTHING_COMPUTED = 3
_INTERRUPTED = 130  # as shells say it


def declare_reported_program(parser: argparse.ArgumentParser) -> None:
    """The program, after the options that concern its report."""
    declare_json(parser)
    declare_program(parser)


def status_of_program(options: argparse.Namespace) -> int:
    """Run the program; returns its exit status. An error shows its traceback, which begins at the program's own line.

    With ``--json`` standard output is the report's, and what the program prints goes to standard error.
    """
    try:
        with redirect_stdout(sys.stderr) if options.json else nullcontext():
            run_program(options)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return _INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def nothing_computed(status: int) -> int:
    """The exit status where there is nothing to report, which is said unless the program has failed."""
    if status == 0:
        print("lazygrad: the program computed nothing that could be reported on", file=sys.stderr)
    return status or NOTHING_COMPUTED
