"""Programs in PyTorch's words, and how one source runs on either framework.

A program is a file in one of the folders here. It reads as a script for PyTorch does: it imports ``torch``, makes data
and models, and trains. Its ``main`` is a generator that yields, step by step, the numbers that a script would print.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parent
NAMES = sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.glob("*/*.py"))
"""All programs, as ``family/name``."""


def load(name: str, framework: str) -> ModuleType:
    """The program of one of the `NAMES`, see `load_file`."""
    return load_file(FOLDER / f"{name}.py", framework)


def load_file(path: Path, framework: str, is_listed: bool = False) -> ModuleType:
    """A file in a namespace of its own, in which ``import torch`` imports the framework.

    Args:
        path: of the source.
        framework: ``torch`` or ``lazygrad``.
        is_listed: enter it in ``sys.modules``, where its functions and classes are looked for by pickles and tracers.
    """

    def import_module(name: str, *arguments: Any) -> Any:
        root, dot, path = name.partition(".")
        return builtins.__import__(framework + dot + path if root == "torch" else name, *arguments)

    program = ModuleType(f"{path.stem}_of_{framework}" if is_listed else f"{framework}.{path.stem}")
    if is_listed:
        sys.modules[program.__name__] = program
    program.__dict__.update(__file__=str(path), __builtins__={**vars(builtins), "__import__": import_module})
    exec(compile(path.read_text(encoding="utf-8"), path, "exec", dont_inherit=is_listed), program.__dict__)
    return program


def steps(name: str, framework: str) -> Iterator[tuple[float, ...]]:
    """What a program yields; each step as a tuple of numbers."""
    for seen in load(name, framework).main():
        yield seen if isinstance(seen, tuple) else (seen,)
