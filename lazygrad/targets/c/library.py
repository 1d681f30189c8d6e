"""The ready-made library: everything in ``codegen_templates/c/library``, as one shared object that plans call into."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lazygrad.host.background import while_waiting
from lazygrad.host.disk_cache import intact_object
from lazygrad.host.processors import free_processors
from lazygrad.targets.c import team
from lazygrad.targets.c.build import (
    BuildError,
    build_object,
    cache_key,
    hash_of_files,
    include_folder,
    load_object,
    working_toolchain,
)
from lazygrad.targets.c.process import CompilerProcess, run_compiler
from lazygrad.targets.c.toolchain import Toolchain

_FUSED = "-ffp-contract=fast"  # its loops are written for it; plans round every operation, as numpy does
_SECONDS = 600.0
_NAME = "library"


@dataclass(frozen=True)
class Library:
    """The library, loaded.

    Attributes:
        path: its shared object in the cache.
        seconds: what building it took in this process; 0 if it was in the cache.
        handle: its functions. Plans find them without it, by name.
    """

    path: Path
    seconds: float
    handle: ctypes.CDLL


def load() -> Library:
    """The library, built if need be, and loaded so that later objects find its functions; once per process.

    Raises:
        BuildError: it cannot be built or loaded. It stays so: this process does not try again.
    """
    state = _state
    with while_waiting():
        state.lock.acquire()
    try:
        if state.outcome is None:
            state.outcome = _attempt()
        outcome = state.outcome
    finally:
        state.lock.release()
    if isinstance(outcome, BuildError):
        raise outcome
    return outcome


def load_built(entry: str) -> bool:
    """Load the library that an earlier process built, unless one is loaded; whether there is one now. Never builds.

    Args:
        entry: what its object is called in the cache on disk.

    Raises:
        BuildError: it cannot be loaded.
        OSError: the folder cannot be read.
    """
    state = _state
    if state.outcome is None and state.lock.acquire(blocking=False):  # who holds it may build one for a minute
        try:
            path = intact_object(entry)
            if path is not None and state.outcome is None:
                state.outcome = Library(path, 0.0, load_object(path, ctypes.RTLD_GLOBAL))
        finally:
            state.lock.release()
    return is_loaded()


def load_if_built() -> bool:
    """Load the library if an earlier process built it as this one would; whether it is loaded now. Never builds it."""
    if _state.outcome is None:
        try:
            entry = f"{_NAME}-{_key(working_toolchain(), library_sources())}"
            if intact_object(entry) is not None:
                team.load()
                load_built(entry)
        except (BuildError, OSError):
            return False  # plans say so, in a warning
    return is_loaded()


def is_loaded() -> bool:
    """Whether plans can call it now; never waits."""
    return isinstance(_state.outcome, Library)


def is_being_built() -> bool:
    """Whether its compilers are at work in this process."""
    return _state.is_being_built


class _State:
    def __init__(self, outcome: Library | BuildError | None = None) -> None:
        self.lock = threading.Lock()
        self.outcome = outcome
        self.is_being_built = False


_state = _State()


def _after_fork() -> None:
    """A thread of the parent may have held the lock, and is not here to give it back."""
    global _state
    _state = _State(_state.outcome)


os.register_at_fork(after_in_child=_after_fork)


def _attempt() -> Library | BuildError:
    try:
        tools = working_toolchain()
        team.load()
        path, seconds = _built(tools, library_sources())
        return Library(path, seconds, load_object(path, ctypes.RTLD_GLOBAL))
    except BuildError as error:
        return error


def library_sources() -> list[Path]:
    """The library's source files."""
    return sorted((include_folder() / "library").glob("*.c"))


def _built(tools: Toolchain, sources: Sequence[Path]) -> tuple[Path, float]:
    """The library's shared object, and the seconds that making it took, if it was made."""
    seconds = 0.0

    def compile_into(folder: Path) -> None:
        nonlocal seconds
        start = time.perf_counter()
        state = _state
        state.is_being_built = True
        try:
            objects = _compiled(tools, sources, folder)
            run_compiler(tools.links(objects, folder / "object.so", _flags(tools)), folder, _SECONDS)
        finally:
            state.is_being_built = False
        seconds = time.perf_counter() - start

    path = build_object(_NAME, _key(tools, sources), compile_into, _SECONDS)
    return path, seconds


def _key(tools: Toolchain, sources: Sequence[Path]) -> str:
    # Every process that compiles asks for this key: to find the comments of all sources would take it longer than to
    # load the library.
    return cache_key(tools, [hash_of_files(sources)], _flags(tools))


def _flags(tools: Toolchain) -> tuple[str, ...]:
    """In which it differs from plans: it has branches where they have selects, and loses 5 % without jump threading."""
    return (_FUSED, "-fthread-jumps") if "-fno-thread-jumps" in tools.flags else (_FUSED,)


def _compiled(tools: Toolchain, sources: Sequence[Path], folder: Path) -> list[Path]:
    """Object files of all sources, compiled side by side on all processors."""
    objects = [folder / f"{source.stem}.o" for source in sources]
    flags = (f"-I{include_folder()}", *_flags(tools))
    running: deque[CompilerProcess] = deque()
    try:
        for source, output in zip(sources, objects, strict=True):
            if len(running) == free_processors():
                running.popleft().output(_SECONDS)
            running.append(CompilerProcess(tools.compiles(source, output, flags), folder))
        while running:
            running.popleft().output(_SECONDS)
    finally:
        for process in running:
            process.kill()
    return objects
