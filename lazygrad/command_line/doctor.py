"""``lazygrad doctor``."""

from __future__ import annotations

import argparse

from lazygrad.command_line.output import declare_json, tell, tell_json
from lazygrad.inspect.environment.advice import advice
from lazygrad.inspect.environment.doctor import diagnose, in_words, is_well


def declare(parser: argparse.ArgumentParser) -> None:
    declare_json(parser)


def execute(options: argparse.Namespace) -> int:
    report = diagnose()
    if options.json:
        tell_json(report | {"advice": advice(report)})
    else:
        tell(in_words(report))
    return 0 if is_well(report) else 1
