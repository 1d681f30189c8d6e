"""Where NVIDIA's libraries and headers lie: in its packages of PyPI, in a toolkit, or where the loader looks."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

# What a library asks the loader for, who may not know the folder.
_NEEDS = {"cublas": "cublasLt", "nvrtc": "nvrtc-builtins"}
_ENDINGS = ("so.13", "so.12", "so")  # of names that the loader is asked for


class Found(NamedTuple):
    """A library.

    Attributes:
        root: the folder above its own, which may hold ``include``; None where the loader found it.
    """

    library: ctypes.CDLL
    root: Path | None


@cache
def found(name: str) -> Found | None:
    """A library by its name without prefix and version, for example "cublas"; the newest where there are some."""
    for root in roots():
        for folder in (root / "lib", root / "lib64"):
            for path in sorted(folder.glob(f"lib{name}.so*"), reverse=True):
                for needed in folder.glob(f"lib{_NEEDS.get(name, name)}.so*"):
                    _loaded(str(needed))
                if (library := _loaded(str(path))) is not None:
                    return Found(library, root)
    for ending in _ENDINGS:
        if (library := _loaded(f"lib{name}.{ending}")) is not None:
            return Found(library, None)
    return None


def header_folder(header: str, near: Path | None) -> Path | None:
    """The folder of one of CUDA's headers, that of the root ``near`` first."""
    folders = [root / "include" for root in (*([] if near is None else [near]), *roots())]
    return next((folder for folder in folders if (folder / header).is_file()), None)


def roots() -> Iterator[Path]:
    """Folders that may hold ``lib`` and ``include``: those of NVIDIA's packages, then those of toolkits."""
    spec = importlib.util.find_spec("nvidia")
    for parent in (spec and spec.submodule_search_locations) or ():
        yield from sorted(Path(parent).glob("*/"), key=_newest_first)
    yield from (Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name))
    yield Path("/usr/local/cuda")


def _newest_first(folder: Path) -> tuple[int, str]:
    """Since CUDA 13 all packages share a folder that is named after it; before, each has one."""
    whole = re.fullmatch(r"cu(\d+)", folder.name)
    return (-int(whole[1]) if whole else 0), folder.name


def _loaded(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None
