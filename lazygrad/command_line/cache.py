"""``lazygrad cache``."""

from __future__ import annotations

import argparse
from datetime import datetime

from lazygrad.command_line.output import declare_json, in_bytes, tell, tell_json
from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.disk_cache import LIMIT_BYTES, clear, entries

_ACTIONS = {
    "size": "how many objects there are, and how much room they take",
    "list": "each object, the one that was used last first",
    "clear": "remove them all; programs that run keep what they have loaded",
}


def declare(parser: argparse.ArgumentParser) -> None:
    listed = "; ".join(f"{name}: {what}" for name, what in _ACTIONS.items())
    parser.add_argument("action", nargs="?", choices=_ACTIONS, default="size", help=f"{listed} (default: size)")
    declare_json(parser)


def execute(options: argparse.Namespace) -> int:
    folder = cache_folder()
    found = entries(folder)
    size = sum(entry.bytes for entry in found)
    facts = {"folder": str(folder), "objects": len(found), "bytes": size, "limit": LIMIT_BYTES}
    text = f"{len(found)} objects, {in_bytes(size)} of {in_bytes(LIMIT_BYTES)}, in {folder}"
    if options.action == "clear":
        facts["removed bytes"] = clear(folder)
        text = f"removed {len(found)} objects, {in_bytes(size)}, from {folder}"
    if options.action == "list":
        facts["entries"] = [entry._asdict() for entry in found]
        rows = [f"{in_bytes(each.bytes):>12}  {datetime.fromtimestamp(each.used):%F %T}  {each.name}" for each in found]
        text = "\n".join([*rows, text])
    if options.json:
        tell_json(facts)
    else:
        tell(text)
    return 0
