"""A word on the standard error where somebody waits for what is done once only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lazygrad.targets.c import library


class _Said:
    """Whether it was said in this process."""

    library = False


@contextmanager
def waiting_for_library(seconds: float = 1.0) -> Iterator[None]:
    """Within this context, say once that the C library is being compiled, if that has begun and takes long."""

    def say() -> None:
        if library.is_being_built() and not _Said.library:
            _Said.library = True
            words = "lazygrad: compiling functions of the C library, once for this machine; that takes some seconds"
            print(words, file=sys.stderr, flush=True)
        elif not _Said.library and not over.is_set():
            start()

    def start() -> None:
        timer = threading.Timer(seconds, say)
        timer.daemon = True
        timer.start()

    over = threading.Event()
    start()
    try:
        yield
    finally:
        over.set()
