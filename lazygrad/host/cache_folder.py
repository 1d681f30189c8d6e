"""Where compiled objects are kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from lazygrad.host.trust import trusted_folder
from lazygrad.host.warn_once import warn_once


def cache_folder() -> Path:
    """The folder for compiled objects, in which nobody but root and this user can have written anything.

    It is ``LAZYGRAD_CACHE_DIR``, or the user's cache directory. With ``LAZYGRAD_CACHE=0``, or when that folder cannot
    be used (which is warned of), it is a private one that is removed when the process ends.

    Raises:
        OSError: not even a temporary folder can be used.
    """
    if os.environ.get("LAZYGRAD_CACHE") == "0":
        return _private_folder()
    folder = _usable(_chosen_or_none())
    if not folder.is_dir():  # somebody has removed it since we looked
        _usable.cache_clear()
        folder = _usable(_chosen_or_none())
    return folder


def chosen_folder() -> Path:
    """Where objects are to be kept, whether or not that is possible.

    Raises:
        OSError: the user has no home folder.
    """
    chosen = os.environ.get("LAZYGRAD_CACHE_DIR")
    if chosen:
        return Path(_in_home(chosen)).absolute()
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):  # its specification has a relative path ignored
        caches = _in_home("~/.cache")
    return Path(caches, "lazygrad")


def _in_home(path: str) -> str:
    expanded = os.path.expanduser(path)
    if path.startswith("~") and not os.path.isabs(expanded):
        raise FileNotFoundError(0, "the user has no home folder")
    return expanded


def why_unusable(folder: Path) -> str | None:
    """Why objects cannot be kept in and loaded from ``folder``, which is made if need be; None if they can."""
    try:
        _checked(folder)
    except OSError as error:
        return error.strerror or str(error)
    return None


def _checked(folder: Path) -> Path:
    """The folder without links in its path, made if need be.

    Raises:
        OSError: objects cannot be kept in it, or should not be loaded from it.
    """
    found = trusted_folder(folder)
    if not os.access(found, os.W_OK | os.X_OK):
        raise PermissionError(0, "it cannot be written")
    if os.statvfs(found).f_flag & getattr(os, "ST_NOEXEC", 0):
        raise PermissionError(0, "it is mounted noexec, so that nothing can be loaded from it")
    return found


@cache
def _usable(folder: Path | None) -> Path:
    try:
        return _checked(chosen_folder() if folder is None else folder)
    except OSError as error:
        problem = error.strerror or str(error)
    warn_once(
        "cache folder",
        f"the cache folder{'' if folder is None else f' {folder}'} cannot be used ({problem}), so compiled code is "
        "forgotten when this process ends; set LAZYGRAD_CACHE_DIR to a folder that you and no other user can write to",
    )
    return _private_folder()


def _chosen_or_none() -> Path | None:
    with suppress(OSError):
        return chosen_folder()
    return None


_private: list[Path] = []  # the folder of this process, once it is needed


def _private_folder() -> Path:
    if not (_private and _private[0].is_dir()):
        _private[:] = [_new_private_folder()]
    return _private[0]


def _new_private_folder() -> Path:
    import atexit

    problems: list[OSError] = []
    for parent in _temporary_folders():
        try:
            folder = _made_in(parent)
        except OSError as error:
            problems.append(error)
        else:
            atexit.register(_remove, folder, os.getpid())
            return folder
    raise problems[0]


def _temporary_folders() -> Iterator[str]:
    import tempfile  # not needed by a program that finds all objects in the cache

    yield tempfile.gettempdir()
    if os.path.isabs(os.environ.get("XDG_RUNTIME_DIR", "")):
        yield os.environ["XDG_RUNTIME_DIR"]
    yield from ("/tmp", "/var/tmp")


def _made_in(parent: str) -> Path:
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="lazygrad-", dir=parent))
    try:
        return _checked(folder)
    except OSError:
        folder.rmdir()
        raise


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # and not a fork of it
        shutil.rmtree(folder, ignore_errors=True)
