"""The ready-made library, ``codegen_templates/c/library``: a shared object per file, made when a plan first needs it.

A program on the CPU calls a few of its functions. What nobody calls is not waited for: to compile all of them takes a
processor ten times as long as those of a perceptron.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lazygrad.host.background import holding, while_waiting
from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.disk_cache import intact_object, work_folder
from lazygrad.host.file_lock import file_lock
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
from lazygrad.targets.c.library_files import LibraryFiles, library_files
from lazygrad.targets.c.process import CompilerHung, CompilerProcess, can_start_compiler
from lazygrad.targets.c.toolchain import Toolchain

_FUSED = "-ffp-contract=fast"  # its loops are written for it; plans round every operation, as numpy does
# Arithmetics that are rare: with -O3, small products in them would be a tenth faster, and compile half as long again.
_RARE = frozenset([f"{kind}_{dtype}" for kind in ("gemm", "vectors", "windows") for dtype in ("f64", "i32", "i64")])
_SECONDS, _LOOK_SECONDS = 600.0, 0.01


def load(names: Iterable[str]) -> tuple[str, ...]:
    """Load the files that functions need, built if need be, so that later objects find the functions by name.

    Args:
        names: of functions; those that are not the library's are ignored.

    Returns:
        What the objects are called in the cache on disk, in an order in which they can be loaded.

    Raises:
        BuildError: one cannot be built or loaded. It stays so: this process does not try again.
    """
    state, files = _state, _sources().of(names)
    if not all([file.stem in state.loaded for file in files]):
        with holding(state.lock):
            _load_missing(state, [file for file in files if file.stem not in state.loaded])
    return tuple([state.entries[file.stem] for file in files])


def load_all() -> float:
    """Load all of it; the seconds that building took in this process.

    Raises:
        BuildError: see `load`.
    """
    files = _sources()
    load(name for file in files.all for name in files.defined_in(file))
    return _state.seconds


def load_built(entries: Sequence[str]) -> bool:
    """Load objects that an earlier process built; whether all of them are loaded now. Never builds.

    Args:
        entries: what `load` returned there.

    Raises:
        BuildError: one cannot be loaded.
        OSError: the folder cannot be read.
    """
    state = _state
    if not state.lock.acquire(blocking=False):  # who holds it may build for a minute
        return all([_stem(entry) in state.loaded for entry in entries])
    try:
        for entry in entries:
            if _stem(entry) not in state.loaded:
                path = intact_object(entry)
                if path is None:
                    return False
                state.take(entry, path)
    finally:
        state.lock.release()
    return True


def load_if_built(names: Iterable[str]) -> bool:
    """Load what functions need if it is on disk, as this process would build it; whether it is loaded now."""
    wanted = _sources().of(names)
    if not _are_loaded(wanted):
        try:
            entries = [_entry(working_toolchain(), file) for file in wanted]
            if all([intact_object(entry) is not None for entry in entries]):
                team.load()
                load_built(entries)
        except (BuildError, OSError):
            return False  # plans say so, in a warning
    return _are_loaded(wanted)


def is_loaded(names: Iterable[str]) -> bool:
    """Whether plans can call these functions now; never waits."""
    return _are_loaded(_sources().of(names))


def function(name: str) -> Any:
    """One function that is loaded, for calls from Python."""
    return getattr(_state.loaded[_sources().of([name])[-1].stem], name)


def is_being_built() -> bool:
    """Whether its compilers are at work in this process."""
    return _state.is_being_built


class _State:
    """What this process has of the library.

    Attributes:
        loaded: objects by their files' stems.
        entries: what they are called on disk.
        failure: why it cannot be built, or None.
        seconds: that building took.
        is_being_built: see the function.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loaded: dict[str, ctypes.CDLL] = {}
        self.entries: dict[str, str] = {}
        self.failure: BuildError | None = None
        self.seconds = 0.0
        self.is_being_built = False

    def take(self, entry: str, path: Path) -> None:
        """Load one object; what it uses is loaded."""
        handle = load_object(path, ctypes.RTLD_GLOBAL)
        self.entries[_stem(entry)] = entry
        self.loaded[_stem(entry)] = handle

    def unlock(self) -> None:
        """In a forked child: a thread of the parent may have held the lock, and is not here to give it back."""
        self.lock, self.is_being_built = threading.Lock(), False


_state = _State()
os.register_at_fork(after_in_child=lambda: _state.unlock())


def _sources() -> LibraryFiles:
    return library_files(include_folder() / "library")


def _are_loaded(files: Iterable[Path]) -> bool:
    return all([file.stem in _state.loaded for file in files])


def _stem(entry: str) -> str:
    return entry.rpartition("-")[0]


def _load_missing(state: _State, files: Sequence[Path]) -> None:
    if state.failure is not None:
        raise state.failure
    try:
        tools = working_toolchain()
        team.load()
        for file, path in zip(files, _built(state, tools, files), strict=True):
            state.take(_entry(tools, file), path)
    except BuildError as error:
        state.failure = error
        raise


def _built(state: _State, tools: Toolchain, files: Sequence[Path]) -> list[Path]:
    """The objects of files in the cache, where those that are missing are compiled side by side."""
    found = [intact_object(_entry(tools, file)) for file in files]
    if all(found):
        return [path for path in found if path is not None]
    start = time.perf_counter()
    state.is_being_built = True
    try:
        folder = cache_folder()
        with file_lock(folder / "library.lock", _SECONDS), work_folder(folder) as work:
            _compile([file for file in files if intact_object(_entry(tools, file)) is None], tools, work)
            return [_stored(file, tools, work) for file in files]
    except OSError as error:
        raise BuildError(f"a compiled object cannot be stored ({error})") from error
    finally:
        state.is_being_built = False
        state.seconds += time.perf_counter() - start


def _compile(files: Sequence[Path], tools: Toolchain, folder: Path) -> None:
    """Put objects into the cache, each when its compiler has ended: a program that ends before the last one has, leaves
    the others to the next."""
    waiting, end = deque(files), time.monotonic() + _SECONDS
    running: dict[Path, CompilerProcess] = {}
    try:
        while waiting or running:
            ended = [file for file, process in running.items() if not process.is_at_work()]
            for file in ended:
                running.pop(file).output(_SECONDS)
                _stored(file, tools, folder)
            if waiting and can_start_compiler():
                file = waiting.popleft()
                flags = (f"-I{include_folder()}", *_flags(tools, file))
                running[file] = CompilerProcess(tools.links([file], _made(file, folder), flags), folder)
            elif not ended:
                _look_later(end)
    finally:
        for process in running.values():
            process.kill()


def _look_later(end: float) -> None:
    """No call waits for whichever of some compilers ends first, and for no other child of the program."""
    if time.monotonic() > end:
        raise CompilerHung(f"a compiler did not end within {_SECONDS:g} s")
    with while_waiting():
        time.sleep(_LOOK_SECONDS)


def _made(file: Path, folder: Path) -> Path:
    return folder / f"{file.stem}.so"


def _stored(file: Path, tools: Toolchain, folder: Path) -> Path:
    """The object of a file in the cache, taken from a folder if it is not there."""

    def leave(target: Path) -> None:
        os.replace(_made(file, folder), target / "object.so")

    return build_object(file.stem, _key(tools, file), leave, _SECONDS)


def _entry(tools: Toolchain, file: Path) -> str:
    return f"{file.stem}-{_key(tools, file)}"


def _key(tools: Toolchain, file: Path) -> str:
    # Every process that compiles asks for these keys: to find the comments of all sources would take it longer than to
    # load the library.
    return cache_key(tools, [hash_of_files([file])], _flags(tools, file))


def _flags(tools: Toolchain, file: Path) -> tuple[str, ...]:
    """In which it differs from plans: it has branches where they have selects, and loses 5 % without jump threading."""
    jumps = ("-fthread-jumps",) if "-fno-thread-jumps" in tools.flags else ()
    return (_FUSED, *jumps, *(("-O2",) if file.stem in _RARE else ()))
