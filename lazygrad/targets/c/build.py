"""From C source to a shared object, through the cache on disk."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from lazygrad.codegen.templates import template_folder
from lazygrad.host.disk_cache import cached
from lazygrad.targets.c.loading import load_shared_object
from lazygrad.targets.c.object_file import DamagedObjectError, check_object
from lazygrad.targets.c.process import BuildError, CompilerHung, CompilerProcess
from lazygrad.targets.c.toolchain import Toolchain, toolchain

__all__ = [
    "BuildError",
    "build",
    "build_object",
    "cache_key",
    "hash_of_files",
    "include_folder",
    "load_object",
    "working_toolchain",
]

_PLAN_SECONDS = 120.0

# A literal is matched first, so that what looks like a comment inside it is kept.
_LITERAL_OR_COMMENT = re.compile(
    r"""(?P<literal> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' ) | //[^\n]* | /\*.*?\*/""", re.DOTALL | re.VERBOSE
)


def build(
    source: str, name: str, extra_flags: Sequence[str] = (), meanwhile: Callable[[], object] = lambda: None
) -> Path:
    """A shared object with the code of ``source``, which is compiled unless the cache on disk has it.

    Two sources that differ in comments only share an object. The object was checked to be intact; load it soon.

    Args:
        source: one C translation unit; it can include what lies in ``codegen_templates/c``.
        name: what its file name begins with, for the reader of the cache folder.
        extra_flags: compiler flags after the toolchain's own, which they override.
        meanwhile: called while the compiler is at work, if it has to be. When it raises, the object is kept if it is
            done by then: a program that ends early leaves it to the next.

    Raises:
        BuildError: there is no compiler, it failed or took too long, or the disk is full.
    """
    tools = working_toolchain()

    def compile_into(folder: Path) -> None:
        file = folder / "object.c"
        file.write_text(source, encoding="utf-8")
        flags = (f"-I{include_folder()}", *extra_flags)
        compiler = CompilerProcess(tools.links([file], folder / "object.so", flags), folder)
        try:
            try:
                meanwhile()
            except BuildError as error:
                if compiler.is_at_work():
                    raise
                failures.append(error)
            compiler.output(_PLAN_SECONDS)
        finally:
            compiler.kill()

    failures: list[BuildError] = []
    path = build_object(name, cache_key(tools, [source], extra_flags), compile_into, _PLAN_SECONDS)
    if failures:
        raise failures[0]
    return path


def load_object(path: Path, mode: int = ctypes.RTLD_LOCAL) -> ctypes.CDLL:
    """The object, loaded, with every name that it uses found.

    Args:
        mode: ``RTLD_GLOBAL`` for an object whose functions later ones use.

    Raises:
        BuildError: it cannot be loaded here, or uses something that is not there.
    """
    try:
        return load_shared_object(path, mode)
    except OSError as error:
        raise BuildError(f"the compiled object cannot be loaded ({error})") from error


def build_object(name: str, key: str, make: Callable[[Path], None], timeout: float) -> Path:
    """The object with this name and key from the cache, else what ``make`` leaves as ``object.so`` in its folder.

    Args:
        name, key: together its file name.
        make: see `disk_cache.cached`.
        timeout: seconds that another process may take to make the same one.

    Raises:
        BuildError: it cannot be made or kept.
    """
    if _hung:
        raise _hung[0]

    try:
        return cached(f"{name}-{key}", lambda folder: _make_whole(make, folder), timeout)
    except CompilerHung as error:
        _hung.append(error)
        raise
    except OSError as error:
        raise BuildError(f"a compiled object cannot be stored ({error})") from error


def _make_whole(make: Callable[[Path], None], folder: Path) -> None:
    """Have the object made, and check it: a compiler may meet a full disk and not say so."""
    make(folder)
    try:
        check_object((folder / "object.so").read_bytes())
    except FileNotFoundError as error:
        raise BuildError("the compiler reported no error, but left no object") from error
    except DamagedObjectError as error:
        raise BuildError(f"the compiler reported no error, but its object cannot be loaded ({error})") from error


_hung: list[CompilerHung] = []  # the first one: no later build waits for such a compiler again


def working_toolchain() -> Toolchain:
    """The compiler.

    Raises:
        BuildError: there is none.
    """
    tools = toolchain()
    if tools is None:
        raise BuildError("there is no C compiler that works")
    return tools


def cache_key(tools: Toolchain, sources: Sequence[str], extra_flags: Sequence[str]) -> str:
    """A hash of everything that the compiled code depends on."""
    code = [without_comments(source) for source in sources]
    decisive = (code, tools.command, tools.version, tools.flags, tools.target, tuple(extra_flags), _included())
    return sha256(repr(decisive).encode()).hexdigest()[:32]


def without_comments(source: str) -> str:
    """C source without comments and empty lines, but with the same code.

    As in C11 §5.1.1.2, lines are joined before comments are told from code, and each comment becomes a space. After
    that, no literal spans lines, so the space at a line's ends means nothing.
    """
    joined = source.replace("\\\n", "")
    spaced = _LITERAL_OR_COMMENT.sub(lambda match: match["literal"] or " ", joined)
    return "\n".join(line for untrimmed in spaced.split("\n") if (line := untrimmed.strip()))


def include_folder() -> Path:
    """What generated sources include: ``codegen_templates/c``."""
    return template_folder() / "c"


@cache
def _included() -> str:
    """A hash of all files that a source can include."""
    return hash_of_files([path for path in include_folder().rglob("*") if path.suffix in (".h", ".inc")])


def hash_of_files(paths: Iterable[Path]) -> str:
    """A hash of files that lie in `include_folder`: of where they lie there, and of each byte in them."""
    named = sorted((os.path.relpath(path, include_folder()), path) for path in paths)
    digest = sha256()
    for name, path in named:
        content = path.read_bytes()
        digest.update(f"{name!r} {len(content)}\n".encode() + content)
    return digest.hexdigest()
