"""Replacing a file at once: whoever looks finds the old content or the new one, whatever happens meanwhile."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_NEW_FILE = 0o666  # less what the process's umask takes away
_PRIVATE = 0o600


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write; when the context ends without an error, it takes the place of the file at ``path``.

    The draft lies beside the file. Its name is drawn at random, and it is made anew and never through a link, so that
    threads and processes which save to one path do not write into each other's draft, and none that someone has put
    there is written to. A process that is killed leaves its draft behind.

    Args:
        path: of a regular file, which keeps its permissions, or of none.

    Raises:
        OSError: the folder cannot be written, or is full; the old file is as it was.
    """
    old = _permissions(path)
    draft, descriptor = _new_draft(path, _NEW_FILE if old is None else _PRIVATE)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            if old is not None:
                os.chmod(file.fileno() if os.chmod in os.supports_fd else draft, old)
            os.fsync(file.fileno())  # or a computer that loses power may know the new name before the new content
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def _permissions(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _new_draft(path: Path, mode: int) -> tuple[Path, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    while True:
        draft = path.with_name(f"{path.name[:40]}.{secrets.token_hex(8)}.part")
        with suppress(FileExistsError):
            return draft, os.open(draft, flags, mode)
