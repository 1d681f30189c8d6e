"""What commands print: text for people, or JSON for programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from lazygrad.inspect.showing import show


def declare_json(parser: argparse.ArgumentParser) -> None:
    """The option that all commands with a report have."""
    parser.add_argument("--json", action="store_true", help="print the report as JSON, and nothing else")


def tell(text: str) -> None:
    """Print a report.

    Raises:
        SystemExit: whoever reads it has stopped, as ``head`` does.
    """
    try:
        show(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it once more at the end
        raise SystemExit(1) from None


def tell_json(value: Any) -> None:
    """Print a value, of which JSON has all parts; tuples become lists."""
    tell(json.dumps(value, indent=2, ensure_ascii=False))


def in_bytes(count: int) -> str:
    """A number of bytes as people read it."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} GiB"
