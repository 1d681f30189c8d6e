"""The folder that keeps compiled objects from one process to the next.

An entry is a few files named alike: the object, the source it came from, and a lock. An object carries its own
checksum, because loading a damaged one kills the process; being one file with it, it is replaced in one step.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from lazygrad.runtime.warn_once import warn_once

LIMIT_BYTES = 1 << 30
_STALE_SECONDS = 24 * 3600.0  # older locks and unfinished builds were left by processes that died
_UNFINISHED = ".building-"
_MAGIC = b"lazygrad"
_TRAILER_BYTES = len(_MAGIC) + sha256().digest_size

Make = Callable[[Path], None]


def cache_folder() -> Path:
    """Where compiled objects are kept: ``LAZYGRAD_CACHE_DIR``, or the user's cache directory.

    With ``LAZYGRAD_CACHE=0``, or when that folder cannot be used (which is warned of), a private one that is removed
    when the process ends.

    Raises:
        OSError: not even a temporary folder can be made.
    """
    if os.environ.get("LAZYGRAD_CACHE") == "0":
        return _private_folder()
    return _usable(chosen_folder())


def chosen_folder() -> Path:
    """Where objects are to be kept, whether or not that is possible."""
    chosen = os.environ.get("LAZYGRAD_CACHE_DIR")
    if not chosen:
        from platformdirs import user_cache_dir  # not needed by a program that only runs on numpy

        chosen = user_cache_dir("lazygrad")
    return Path(chosen).expanduser().absolute()


@cache
def _usable(folder: Path) -> Path:
    problem = why_unusable(folder)
    if problem is None:
        return folder
    warn_once(
        "cache folder",
        f"the cache folder {folder} cannot be used ({problem}), so compiled code is forgotten when this process ends; "
        "set LAZYGRAD_CACHE_DIR to a folder that can be written",
    )
    return _private_folder()


def why_unusable(folder: Path) -> str | None:
    """Why objects cannot be kept in and loaded from ``folder``, which is made if need be; None if they can."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            return "it cannot be written"
        if os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0):
            return "it is mounted noexec, so that nothing can be loaded from it"
    except OSError as error:
        return error.strerror or str(error)
    return None


@cache
def _private_folder() -> Path:
    import atexit
    import tempfile

    folder, owner = Path(tempfile.mkdtemp(prefix="lazygrad-")), os.getpid()

    @atexit.register
    def remove() -> None:
        if os.getpid() == owner:  # and not a fork of it
            shutil.rmtree(folder, ignore_errors=True)

    return folder


@contextmanager
def work_folder(parent: Path) -> Iterator[Path]:
    """An empty folder on the same file system as ``parent``, for as long as the context lasts.

    `tempfile.TemporaryDirectory` would be removed by a forked child that ends, too.
    """
    import tempfile  # not needed by a program that finds all objects in the cache

    folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cached(entry: str, make: Make, timeout: float) -> Path:
    """The object ``entry``, made unless an intact one is there. Processes that want the same one don't make it twice.

    Args:
        entry: what the object is called in the folder; it must say everything that the content depends on.
        make: called with an empty folder, in which it leaves ``object.so`` and, for the reader, maybe ``object.c``.
        timeout: seconds to wait for another process that is at it, before making the object anyway.

    Raises:
        OSError: the folder is full, or gone.
    """
    path = cache_folder() / f"{entry}.so"
    if not _found(path):
        with _locked(path, timeout):
            if not _found(path):
                _make(path, make)
                if sha256(entry.encode()).digest()[0] < 16:  # about every 16th build, without keeping count
                    trim(path.parent)
    return path


def _found(path: Path) -> bool:
    """Whether the object is there and intact. A damaged one is removed; a good one counts as used now."""
    try:
        intact = is_intact(path)
    except FileNotFoundError:
        return False
    if intact:
        with suppress(OSError):  # it was removed meanwhile by one who trims, or belongs to another user
            os.utime(path)
        return True
    path.unlink(missing_ok=True)
    warn_once("damaged object", f"the compiled object {path} was damaged, and is compiled again")
    return False


def is_intact(path: Path) -> bool:
    """Whether the object still has the content it was stored with.

    Raises:
        FileNotFoundError: there is none.
    """
    content = path.read_bytes()
    return content[-_TRAILER_BYTES:] == _trailer(memoryview(content)[:-_TRAILER_BYTES])


def _trailer(content: bytes | memoryview) -> bytes:
    """What is appended to an object; loaders read an ELF file by its headers and don't see it."""
    return _MAGIC + sha256(content).digest()


def _make(path: Path, make: Make) -> None:
    with work_folder(path.parent) as folder:
        make(folder)
        built = folder / "object.so"
        trailer = _trailer(built.read_bytes())
        with built.open("ab") as file:
            file.write(trailer)
        if (folder / "object.c").exists():
            os.replace(folder / "object.c", path.with_suffix(".c"))
        os.replace(built, path)


@contextmanager
def _locked(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock of an object. Where that fails (no locks on this file system, a holder that hangs), go on without:
    then work is done twice, no more."""
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_suffix(".lock"))
    with suppress(Timeout, OSError, NotImplementedError):
        lock.acquire(timeout=timeout)
    try:
        yield
    finally:
        lock.release()


def trim(folder: Path, limit: int = LIMIT_BYTES) -> None:
    """Remove the least recently used objects until the rest takes less than three quarters of ``limit`` bytes.

    Safe while other processes use the folder: they keep what they have loaded, and make again what they miss.
    """
    files = sorted(_files(folder), key=lambda file: file[1].st_mtime)
    total = sum(status.st_size for _, status in files)
    remaining = total if total <= limit else limit * 3 // 4
    for path, status in files:
        left_behind = path.suffix == ".lock" or path.name.startswith(_UNFINISHED)
        if left_behind and time.time() - status.st_mtime > _STALE_SECONDS:
            _remove(path)
        elif path.suffix == ".so" and total > remaining:
            total -= _remove(path) + _remove(path.with_suffix(".c"))


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # another process was faster
            yield path, path.stat()


def _remove(path: Path) -> int:
    """Remove a file or folder; returns how many bytes that freed at least."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError:
        return 0
    return size


def usage(folder: Path) -> tuple[int, int]:
    """How many objects the folder holds, and how many bytes all its files take."""
    files = list(_files(folder))
    return sum(path.suffix == ".so" for path, _ in files), sum(status.st_size for _, status in files)
