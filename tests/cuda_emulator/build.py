"""CUDA source to code for the CPU: g++ reads it behind headers that say what CUDA's words mean here.

Every access to memory becomes a call of the runtime (``runtime/memory.cpp``), as g++ makes it for its thread sanitizer.
Objects are kept in lazygrad's cache.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.disk_cache import cached, work_folder
from lazygrad.targets.c.loading import load_shared_object
from lazygrad.targets.c.process import run_compiler

_HERE = Path(__file__).parent
_COMPILER = "g++"
_SECONDS = 120.0
_COMMON = ("-std=c++17", "-fPIC", "-fno-strict-aliasing")
_RUNTIME = (*_COMMON, "-O2", "-shared")
_PROGRAM = (
    *_COMMON,
    "-O1",
    "-g1",
    "-w",
    "-fwrapv",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-exceptions",
    "-fsanitize=thread",
    "-fsanitize=bounds",
    "--param=tsan-instrument-func-entry-exit=0",
    "-ftrivial-auto-var-init=pattern",  # a variable that nobody sets has a number that no result survives
)
_LINKED = ("-shared", "-nostdlib")  # the runtime has the libraries; looking through them takes the linker longest

# The size of dynamic shared memory is the launch's, so that it cannot be an array of the program's.
_DYNAMIC = re.compile(
    r"extern\s+__shared__\s+(?:(?:__align__|alignas)\s*\(\s*\w+\s*\)\s*)?(?P<type>[\w\s:]+?)\s*\b(?P<name>\w+)\s*\[\s*\]\s*;"
)
# A kernel may be called what a function of C is called: it must not become that function.
_KERNEL = re.compile(r'\bextern\s+"C"\s+(?=__global__)')


def missing() -> str | None:
    """Why nothing can be emulated here, or None."""
    return None if shutil.which(_COMPILER) else f"there is no {_COMPILER}, which compiles CUDA source for the CPU"


def build_program(source: str, kernels: Sequence[str]) -> Path:
    """The shared object of a program.

    Raises:
        BuildError: g++ refuses it.
    """
    text = "\n".join(
        (
            "namespace { namespace program {",
            "#line 1",
            _KERNEL.sub(" ", _DYNAMIC.sub(r"\g<type> *const \g<name> = (\g<type> *)emulator_dynamic_shared;", source)),
            "} }",
            "EMULATED_PROGRAM",
            *(f"EMULATED_KERNEL({kernel})" for kernel in kernels),
            "",
        )
    )

    def make(folder: Path) -> None:
        file, made = folder / "object.c", folder / "program.o"
        file.write_text(text, encoding="utf-8")
        reading = (f"-I{_precompiled()}", "-include", "program.h", f"-I{_HERE / 'include'}", "-x", "c++")
        run_compiler([_COMPILER, *_PROGRAM, *reading, "-c", str(file), "-o", str(made)], folder, _SECONDS)
        run_compiler([_COMPILER, *_LINKED, str(made), "-o", str(folder / "object.so")], folder, _SECONDS)

    return cached(f"cuda-emulated-{_hash(text, _PROGRAM, _LINKED, _headers())}", make, _SECONDS)


@cache
def runtime() -> ctypes.PyDLL:
    """The emulator itself. It keeps Python's lock: signals that arrive while a kernel runs are the kernel's."""
    files = sorted((_HERE / "runtime").iterdir())
    contents = [path.read_text() for path in files]

    def make(folder: Path) -> None:
        sources = [str(path) for path in files if path.suffix == ".cpp"]
        run_compiler([_COMPILER, *_RUNTIME, *sources, "-o", str(folder / "object.so")], folder, _SECONDS)

    path = cached(f"cuda-emulator-{_hash(contents, _RUNTIME, _headers())}", make, _SECONDS)
    load_shared_object(path, ctypes.RTLD_GLOBAL)
    return ctypes.PyDLL(str(path), mode=ctypes.RTLD_GLOBAL)


@cache
def _precompiled() -> Path:
    """A folder with the headers in g++'s own form, which take it no time to read."""
    folder = cache_folder() / f"cuda-emulator-headers-{_hash(_PROGRAM, _headers())}"
    if not folder.is_dir():
        with work_folder(cache_folder()) as work:
            made = work / "headers"
            made.mkdir()
            header = _HERE / "include" / "program.h"
            output = str(made / "program.h.gch")
            run_compiler([_COMPILER, *_PROGRAM, "-x", "c++-header", str(header), "-o", output], work, _SECONDS)
            with suppress(OSError):  # another process was faster
                os.rename(made, folder)
    return folder


@cache
def _headers() -> str:
    version = run_compiler([_COMPILER, "--version"], cache_folder(), _SECONDS).partition("\n")[0]
    return _hash(version, [path.read_text() for path in sorted((_HERE / "include").iterdir())])


def _hash(*decisive: object) -> str:
    return sha256(repr(decisive).encode()).hexdigest()[:32]
