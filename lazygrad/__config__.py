"""``torch.__config__``: what this library was made of, as text."""

from __future__ import annotations

import sys

import numpy

from lazygrad.host.threads import get_num_interop_threads, get_num_threads
from lazygrad.version import __version__

__all__ = ["parallel_info", "show"]


def show() -> str:
    """The versions of what computes, one on a line."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"lazygrad {__version__}, with:\n  - Python {python}\n  - numpy {numpy.__version__}\n"


def parallel_info() -> str:
    """How many threads compute, one number on a line."""
    return f"get_num_threads() : {get_num_threads()}\nget_num_interop_threads() : {get_num_interop_threads()}\n"
