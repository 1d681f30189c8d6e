"""The folder that keeps compiled objects from one process to the next.

An entry is a few files named alike: the object, the source it came from, and a lock. Beside them lie files that say
which object a program needs (`lazygrad.runtime.kept_plans`). An object carries its own
checksum, because loading a damaged one kills the process; being one file with it, it is replaced in one step.
A checksum says nothing of who wrote the file: what others own or may write to is not read (see `trust`).
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR
from typing import NamedTuple

from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.trust import UntrustedError, check_file, keep_others_from_writing, read_trusted
from lazygrad.host.warn_once import warn_once

LIMIT_BYTES = 1 << 30
PLAN_SUFFIX = ".plan"
_STALE_SECONDS = 24 * 3600.0  # older locks and unfinished builds were left by processes that died
_UNFINISHED = ".building-"
_MAGIC = b"lazygrad"
_TRAILER_BYTES = len(_MAGIC) + sha256().digest_size

Make = Callable[[Path], None]


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
    from lazygrad.host.file_lock import file_lock  # what is only read needs no lock

    path = cache_folder() / f"{entry}.so"
    if not _found(path):
        lock = path.with_suffix(".lock")
        _check_lock(lock)
        with file_lock(lock, timeout):  # without it, work may be done twice, but no harm
            if not _found(path):
                _make(path, make)
                if sha256(entry.encode()).digest()[0] < 16:  # about every 16th build, without keeping count
                    trim(path.parent)
    return path


def intact_object(entry: str) -> Path | None:
    """The object ``entry``, as `cached` returned it at some time; None if it is not there any more, or not intact.

    Raises:
        OSError: the folder is gone, or cannot be read.
    """
    path = cache_folder() / f"{entry}.so"
    return path if _found(path) else None


def content_of(path: Path) -> bytes:
    """What was left as ``object.so`` for an object that `cached` returned.

    Raises:
        OSError: it was removed meanwhile.
    """
    return path.read_bytes()[:-_TRAILER_BYTES]


def _found(path: Path) -> bool:
    """Whether the object is there, ours and intact. Any other is removed; a good one counts as used now."""
    content = read_entry(path)
    if content is None:
        return False
    if is_intact(content):
        with suppress(OSError):  # it was removed meanwhile by one who trims
            os.utime(path, follow_symlinks=False)
        return True
    path.unlink(missing_ok=True)
    warn_once("damaged object", f"the compiled object {path} was damaged, and is compiled again")
    return False


def read_entry(path: Path) -> bytes | None:
    """The content of a file in the cache; None if there is none, or one that another user could have written.

    That is warned of, and the file removed.

    Raises:
        OSError: it cannot be read, or not be removed.
    """
    try:
        return read_trusted(path)
    except FileNotFoundError:
        return None
    except UntrustedError as error:
        _refuse(path, error)
        return None


def _check_lock(path: Path) -> None:
    try:
        check_file(path)
    except FileNotFoundError:
        pass
    except UntrustedError as error:
        _refuse(path, error)


def _refuse(path: Path, error: UntrustedError) -> None:
    _remove(path)
    warn_once(
        "untrusted object",
        f"{error.strerror}, so it was removed from the cache of compiled code and not loaded; find out who could write "
        "to that folder, and remove what else they may have left there",
    )


def write_entry(path: Path, content: bytes) -> None:
    """Put a file into the cache, all of it at once and only for us to write to.

    Raises:
        OSError: the disk is full, or the folder gone.
    """
    import tempfile

    descriptor, draft = tempfile.mkstemp(prefix=_UNFINISHED, dir=path.parent)  # new, and no link
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def is_intact(content: bytes) -> bool:
    """Whether an object still has the content it was stored with."""
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
            _publish(folder / "object.c", path.with_suffix(".c"))
        _publish(built, path)


def _publish(file: Path, path: Path) -> None:
    keep_others_from_writing(file)
    os.replace(file, path)


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
        elif path.suffix in (".so", PLAN_SUFFIX) and total > remaining:
            total -= _remove(path) + _remove(path.with_suffix(".c"))


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # another process was faster
            yield path, path.lstat()


def _remove(path: Path) -> int:
    """Remove a file or folder; returns how many bytes that freed at least."""
    try:
        status = path.lstat()
        if S_ISDIR(status.st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError:
        return 0
    return status.st_size


class Entry(NamedTuple):
    """An object in the folder.

    Attributes:
        name: of its file, without the ending.
        bytes: what it takes, its source included.
        used: when it was loaded or made the last time, in seconds since 1970.
    """

    name: str
    bytes: int
    used: float


def entries(folder: Path) -> list[Entry]:
    """All objects of the folder, the one that was used last first."""
    files = {path: status for path, status in _files(folder)}
    found = [
        Entry(
            path.stem,
            sum(files[each].st_size for each in (path, path.with_suffix(".c")) if each in files),
            status.st_mtime,
        )
        for path, status in files.items()
        if path.suffix == ".so"
    ]
    return sorted(found, key=lambda entry: entry.used, reverse=True)


def clear(folder: Path) -> int:
    """Remove all objects, their sources and plans, which is safe while other processes use the folder.

    Returns:
        How many bytes that freed.
    """
    return sum(_remove(path) for path, _ in _files(folder) if path.suffix in (".so", ".c", PLAN_SUFFIX))


def usage(folder: Path) -> tuple[int, int]:
    """How many objects the folder holds, and how many bytes all its files take."""
    files = list(_files(folder))
    return sum(path.suffix == ".so" for path, _ in files), sum(status.st_size for _, status in files)
