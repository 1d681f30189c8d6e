"""Where NVIDIA's libraries lie: in its packages of PyPI, in a toolkit, or where the loader looks."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def library(name: str) -> ctypes.CDLL | None:
    """A library by its name without prefix and version, for example "cublas"; the newest where there are some."""
    for folder in folders():
        for path in sorted(folder.glob(f"lib{name}.so*"), reverse=True):
            for part in folder.glob(f"lib{name}Lt.so*"):  # which it asks the loader for, who may not know the folder
                _loaded(str(part))
            if (found := _loaded(str(path))) is not None:
                return found
    for version in ("13", "12"):
        if (found := _loaded(f"lib{name}.so.{version}")) is not None:
            return found
    return _loaded(f"lib{name}.so")


def folders() -> Iterator[Path]:
    """Folders with libraries, those of packages first."""
    spec = importlib.util.find_spec("nvidia")
    for parent in (spec and spec.submodule_search_locations) or ():
        yield from sorted(Path(parent).glob("*/lib"), reverse=True)  # one folder since CUDA 13, before one each
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield from (Path(os.environ[name], part) for part in ("lib64", "lib"))
    yield Path("/usr/local/cuda/lib64")


def _loaded(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None
