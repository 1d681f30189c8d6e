"""Where a file is written to: a path, whose file is replaced at once, or what the caller has opened."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from lazygrad.saving.replacing import replacing


@contextmanager
def destination(target: Any) -> Iterator[IO[bytes]]:
    """A seekable file, whose content goes to ``target`` when the context ends without an error.

    Args:
        target: a path, or a file open for writing bytes.

    Raises:
        RuntimeError: a path to a folder, or in one that does not exist.
        AttributeError: neither a path nor a file.
    """
    if not hasattr(target, "write"):
        path = _resolved(target)
        if not path.exists() or path.is_file():
            with replacing(path) as file:
                yield file
            return
    whole = io.BytesIO()  # what is given open, or is no regular file, such as a pipe, need not be seekable
    yield whole
    if hasattr(target, "write"):
        target.write(whole.getvalue())
    else:
        path.write_bytes(whole.getbuffer())


def _resolved(path: Any) -> Path:
    """The file that a path leads to, through links."""
    if not isinstance(path, (str, os.PathLike)):
        raise AttributeError(f"save: expected a path or a file open for writing bytes, got {type(path)}")
    resolved = Path(path).resolve()
    if not resolved.parent.is_dir():
        raise RuntimeError(f"save: the folder {resolved.parent} does not exist")
    if resolved.is_dir():
        raise RuntimeError(f"save: {resolved} is a folder")
    return resolved
