"""``lazygrad run``."""

from __future__ import annotations

import argparse

from lazygrad.command_line.running import run_module, run_script


def declare(parser: argparse.ArgumentParser) -> None:
    declare_program(parser)


def declare_program(parser: argparse.ArgumentParser) -> None:
    """The arguments that name a user's program; they are the last ones."""
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="a module and its arguments")
    parser.add_argument("script", nargs="?", help="a file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program finds in sys.argv")


def execute(options: argparse.Namespace) -> int:
    run_program(options)
    return 0


def run_program(options: argparse.Namespace) -> None:
    """Run what `declare_program` took from the command line.

    Raises:
        SystemExit: no program was named, or it cannot be read; and whatever the program ends with.
    """
    if options.module:
        run_module(options.module[0], options.module[1:])
    elif options.script:
        run_script(options.script, options.arguments)
    else:
        options.refuse("give a file, or -m and a module")
