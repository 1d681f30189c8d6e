"""CUDA source to machine code by NVRTC, NVIDIA's compiler as a library. It needs no GPU and no driver.

What it made is kept on disk with its log, which says how many registers each kernel takes and what of them did not fit.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from lazygrad.host.disk_cache import cached, content_of
from lazygrad.targets.cuda import libraries

_HOW_TO_GET_IT = (
    'pip install "nvidia-cuda-nvrtc==13.0.*" "nvidia-cuda-runtime==13.0.*", or set CUDA_HOME to a CUDA toolkit'
)
_SECONDS = 120.0
_HEADER = "cuda_fp16.h"  # it comes with the runtime's headers, of which kernels include it and cuda_bf16.h
_ALWAYS = ("--std=c++17", "--ptxas-options=-v")


class CompilationError(RuntimeError):
    """NVRTC refuses a program; the message holds what it printed."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a kernel takes of a multiprocessor.

    Attributes:
        registers: of a thread.
        stack_bytes: local memory of a thread for arrays and calls.
        spilled_bytes: stored and loaded by a thread because there were no registers left.
        shared_bytes: static shared memory of a block.
    """

    registers: int
    stack_bytes: int
    spilled_bytes: int
    shared_bytes: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program for one architecture.

    Attributes:
        cubin: what a driver loads.
        log: what NVRTC printed, warnings too.
        kernels: the resources of each kernel, by its name.
    """

    cubin: bytes
    log: str
    kernels: Mapping[str, Resources]


@dataclass(frozen=True, slots=True)
class _Nvrtc:
    """The library.

    Attributes:
        version: of CUDA.
        include: the folder of CUDA's headers, if there is one.
    """

    library: ctypes.CDLL
    version: tuple[int, int]
    include: Path | None


def missing() -> str | None:
    """What has to be installed before CUDA source can be compiled here, or None."""
    found = _nvrtc()
    if found is None:
        return f"NVRTC, which compiles CUDA source, was not found: {_HOW_TO_GET_IT}"
    if found.include is None:
        return f"CUDA's header {_HEADER} was not found, though NVRTC {_dotted(found.version)} was: {_HOW_TO_GET_IT}"
    return None


def version() -> tuple[int, int]:
    """Of CUDA, which NVRTC is a part of.

    Raises:
        RuntimeError: it is not there.
    """
    return _found().version


def architectures() -> tuple[int, ...]:
    """The architectures that NVRTC compiles for, as numbers: 90 for sm_90.

    Raises:
        RuntimeError: it is not there.
    """
    library, count = _found().library, ctypes.c_int()
    _check(library, library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    numbers = (ctypes.c_int * count.value)()
    _check(library, library.nvrtcGetSupportedArchs(numbers))
    return tuple(numbers)


def compile_program(source: str, architecture: str, options: Sequence[str] = ()) -> Compiled:
    """A program's machine code, which is made unless the cache on disk has it.

    Args:
        source: CUDA C++; kernels are declared ``extern "C"``, so that their names stay as they are.
        architecture: for example "sm_90".
        options: of NVRTC, after those that all programs have.

    Raises:
        CompilationError: NVRTC refuses it.
        RuntimeError: NVRTC or CUDA's headers are not there.
        OSError: the cache's disk is full.
    """
    nvrtc = _found()
    _check_architecture(architecture)
    decisive = (source, architecture, tuple(options), _ALWAYS, nvrtc.version, os.fspath(nvrtc.include or ""))

    def make(folder: Path) -> None:
        log, cubin = _compile(nvrtc, source, architecture, options)
        packed = log.encode()
        (folder / "object.c").write_text(source, encoding="utf-8")
        (folder / "object.so").write_bytes(len(packed).to_bytes(8, "little") + packed + cubin)

    entry = f"cuda-{architecture}-{sha256(repr(decisive).encode()).hexdigest()[:32]}"
    content = content_of(cached(entry, make, _SECONDS))
    end = 8 + int.from_bytes(content[:8], "little")
    log = content[8:end].decode()
    return Compiled(content[end:], log, resources(log))


_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")


def resources(log: str) -> dict[str, Resources]:
    """The resources of each kernel, from what ``ptxas -v`` printed. A function that was not inlined counts for the
    kernel that calls it."""
    found: dict[str, Resources] = {}
    name, stack, spilled = "", 0, 0
    for line in log.splitlines():
        if entry := _ENTRY.search(line):
            name, stack, spilled = entry["name"], 0, 0
        elif frame := _STACK.search(line):
            stack, spilled = stack + int(frame[1]), spilled + int(frame[2]) + int(frame[3])
        elif used := _USED.search(line):
            found[name] = Resources(int(used[1]), stack, spilled, int(used[2] or 0))
    return found


def _compile(nvrtc: _Nvrtc, source: str, architecture: str, options: Sequence[str]) -> tuple[str, bytes]:
    """What NVRTC prints about a program, and what it makes of it."""
    library, program = nvrtc.library, ctypes.c_void_p()
    include = () if nvrtc.include is None else (f"-I{nvrtc.include}",)
    given = [option.encode() for option in (f"--gpu-architecture={architecture}", *_ALWAYS, *include, *options)]
    arguments = (ctypes.c_char_p * len(given))(*given)
    created = library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"plan.cu", 0, None, None)
    _check(library, created)
    try:
        refused = library.nvrtcCompileProgram(program, len(given), arguments)
        log = _read(library, "ProgramLog", program).rstrip(b"\0").decode(errors="replace").strip()
        if refused:
            raise CompilationError(f"NVRTC refuses the program for {architecture}:\n{log}{_hint(nvrtc, log)}")
        return log, _read(library, "CUBIN", program)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _hint(nvrtc: _Nvrtc, log: str) -> str:
    absent = nvrtc.include is None and "open source file" in log
    return f"\n{missing()}" if absent else ""


def _read(library: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> bytes:
    """One of the results of a compilation."""
    size = ctypes.c_size_t()
    _check(library, library[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
    content = ctypes.create_string_buffer(size.value)
    _check(library, library[f"nvrtcGet{what}"](program, content))
    return content.raw


def _check(library: ctypes.CDLL, status: int) -> None:
    if status:
        raise RuntimeError(f"NVRTC failed: {library.nvrtcGetErrorString(status).decode()}")


def _check_architecture(architecture: str) -> None:
    number = re.fullmatch(r"sm_(\d+)[af]?", architecture)
    known = architectures()
    if number is None or int(number[1]) not in known:
        names = ", ".join(f"sm_{known_number}" for known_number in known)
        raise CompilationError(f"NVRTC {_dotted(version())} compiles for {names}, and not for {architecture}")


def _found() -> _Nvrtc:
    nvrtc = _nvrtc()
    if nvrtc is None:
        raise RuntimeError(missing())
    return nvrtc


def _dotted(number: tuple[int, int]) -> str:
    return ".".join(map(str, number))


@cache
def _nvrtc() -> _Nvrtc | None:
    """The first library that can be loaded, looked for once per process."""
    found = libraries.found("nvrtc")
    if found is None:
        return None
    library, root = found
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(library, library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return _Nvrtc(library, (major.value, minor.value), libraries.header_folder(_HEADER, root))
