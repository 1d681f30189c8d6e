"""Notices code that runs without hooks while a call is recorded: what the library calls back."""

from __future__ import annotations

import contextlib
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from lazygrad.compiling.instrument import is_instrumented
from lazygrad.compiling.library import PACKAGE
from lazygrad.compiling.reads import Reads
from lazygrad.host.collector import collector_waits

# Code with no state that a program could change. What user code itself calls has hooks.
_FOLDERS = (
    PACKAGE,
    f"{Path(str(np.__file__)).resolve().parent}/",
    f"{sysconfig.get_path('stdlib')}/",
    "<lazygrad",
    "<frozen ",
)
_INSTALLED = ("/site-packages/", "/dist-packages/")
_DEPENDENCIES = (
    "numpy/",
    "scipy/",
    "ml_dtypes/",
    "networkx/",
    "opt_einsum/",
    "jinja2/",
    "lazygrad/",
)


@contextlib.contextmanager
def watching(reads: Reads) -> Iterator[None]:
    """Watch this thread. A profiler that is at work misses what happens meanwhile.

    The garbage collector waits: whatever it calls back is not the function's doing.
    """

    def observe(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            if not is_instrumented(code) and not _is_trusted(code.co_filename, frame.f_globals.get("__name__", "")):
                reads.refuse(f"has {code.co_qualname} called back")

    outer: Callable[..., Any] | None = sys.getprofile()
    with collector_waits():
        sys.setprofile(observe)
        try:
            yield
        finally:
            sys.setprofile(outer)


@lru_cache(maxsize=4096)
def _is_trusted(filename: str, module: str) -> bool:
    for folder in _INSTALLED:
        if folder in filename:
            return filename.partition(folder)[2].startswith(_DEPENDENCIES)
    return filename.startswith(_FOLDERS) or module.startswith(("lazygrad.", "namedtuple_"))
