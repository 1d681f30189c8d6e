"""The ready-made library, ``codegen_templates/c/library``: a shared object per file, made when a plan first needs it.

A program on the CPU calls a few of its functions. To compile all of them takes a third of a minute, those of a
perceptron three seconds, so that what nobody calls is not waited for.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lazygrad.host.background import while_waiting
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
from lazygrad.targets.c.process import CompilerProcess, wait_for_processor
from lazygrad.targets.c.toolchain import Toolchain

_FUSED = "-ffp-contract=fast"  # its loops are written for it; plans round every operation, as numpy does
# Arithmetics that are rare: with -O3, small products in them would be a tenth faster, and compile half as long again.
_RARE = frozenset([f"{kind}_{dtype}" for kind in ("gemm", "vectors", "windows") for dtype in ("f64", "i32", "i64")])
_SECONDS = 600.0


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
        with while_waiting():
            state.lock.acquire()
        try:
            _load_missing(state, [file for file in files if file.stem not in state.loaded])
        finally:
            state.lock.release()
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
            missing = [file for file in files if intact_object(_entry(tools, file)) is None]
            compiled = _Compiled(tools, missing, work)
            return [build_object(file.stem, _key(tools, file), compiled.leave(file), _SECONDS) for file in files]
    except OSError as error:
        raise BuildError(f"a compiled object cannot be stored ({error})") from error
    finally:
        state.is_being_built = False
        state.seconds += time.perf_counter() - start


class _Compiled:
    """Shared objects of some files, compiled side by side on all processors when the first of them is asked for."""

    def __init__(self, tools: Toolchain, files: Sequence[Path], folder: Path) -> None:
        self._tools, self._files, self._folder = tools, files, folder
        self._is_done = False

    def leave(self, file: Path) -> Any:
        """What leaves the object of a file in a folder, as ``object.so``."""

        def leave(folder: Path) -> None:
            if not self._is_done:
                self._compile()
                self._is_done = True
            os.replace(self._object(file), folder / "object.so")

        return leave

    def _object(self, file: Path) -> Path:
        return self._folder / f"{file.stem}.so"

    def _compile(self) -> None:
        running: list[CompilerProcess] = []
        try:
            for file in self._files:
                wait_for_processor(_SECONDS)
                flags = (f"-I{include_folder()}", *_flags(self._tools, file))
                running.append(CompilerProcess(self._tools.links([file], self._object(file), flags), self._folder))
            for process in running:
                process.output(_SECONDS)
        finally:
            for process in running:
                process.kill()


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
