"""``lazygrad operations``."""

from __future__ import annotations

import argparse

from lazygrad.command_line.output import declare_json, tell, tell_json
from lazygrad.inspect.operations import operation_facts, operation_table


def declare(parser: argparse.ArgumentParser) -> None:
    declare_json(parser)


def execute(options: argparse.Namespace) -> int:
    if options.json:
        tell_json(operation_facts())
    else:
        tell(operation_table())
    return 0
