"""The library of C calls, called on numpy arrays; what was compiled of it is kept where plans are."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from lazygrad.targets.c import library as shipped
from lazygrad.targets.c.build import build, build_object, load_object, working_toolchain

LIBRARY = Path(__file__).parents[3] / "codegen_templates" / "c" / "library"
DRIVER = Path(__file__).with_name("driver.c")
FLAGS = [*"-O3 -march=native -fwrapv -fno-math-errno -fno-trapping-math -ffp-contract=fast -fPIC -std=gnu11".split(),
         "-fopenmp-simd", "-pthread", "--param=avoid-fma-max-bits=0"]  # fmt: skip
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
SECONDS = 600.0
MAX_RANK = 16
OK, REFUSED = 0, 1

# The order of `enum dtype` in library.h, where uint32 are words.
_DTYPES = (
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 uint32 complex64 complex128".split()
)  # uint32 stands for words

# Without this machine's instructions. The sample compiles the code of one of them, with fewer optimizations.
_OTHERS = {"SSE2": ("-march=x86-64",), "AVX2": ("-march=x86-64-v3",)}
OTHER_MACHINES = [
    pytest.param((*_OTHERS["SSE2"], "-O1"), id="SSE2, quickly"),
    *[pytest.param(flags, id=name, marks=pytest.mark.whole) for name, flags in _OTHERS.items()],
]

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")


class Array(ctypes.Structure):
    """`array` of library.h; `owner` keeps the memory alive."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.c_int64 * MAX_RANK),
        ("strides", ctypes.c_int64 * MAX_RANK),
    ]
    owner: np.ndarray


def array_of(x: np.ndarray) -> Array:
    """``x`` as the library sees it, sharing its memory."""
    result = Array(x.ctypes.data, _DTYPES.index(x.dtype.name), x.ndim)
    result.sizes[: x.ndim] = x.shape
    result.strides[: x.ndim] = [step // x.itemsize for step in x.strides]
    result.owner = x
    return result


@cache
def load_library(flags: tuple[str, ...] = ()) -> ctypes.CDLL:
    """The library that plans call; with ``flags``, one that is compiled with these too.

    Several of them are loaded side by side: their symbols are local.
    """
    if not flags:
        shipped.load_all()
        return ctypes.CDLL(None)
    command = ["gcc", *FLAGS, *WARNINGS, *flags, f"-I{LIBRARY.parent}", f"-I{LIBRARY}"]
    version = subprocess.check_output(["gcc", "--version"], env=_environment())
    texts = [path.read_bytes() for path in sorted(LIBRARY.parent.rglob("*.*"))]
    key = sha256(repr((command, version, working_toolchain().target, texts)).encode()).hexdigest()[:32]
    return ctypes.CDLL(str(build_object("test-library", key, lambda folder: _compile(command, folder), SECONDS)))


def _compile(command: Sequence[str], folder: Path) -> None:
    sources = [*sorted(LIBRARY.glob("*.c")), LIBRARY.parent / "team.c"]
    objects = [folder / f"{source.stem}.o" for source in sources]
    jobs = [
        subprocess.Popen([*command, "-c", str(source), "-o", str(target)], env=_environment())
        for source, target in zip(sources, objects, strict=True)
    ]
    failed = [source.name for source, job in zip(sources, jobs, strict=True) if job.wait()]
    assert not failed, f"gcc refuses {failed}"
    link = [*command, "-shared", "-Wl,-Bsymbolic", *map(str, objects), "-o", str(folder / "object.so"), "-lm"]
    subprocess.run(link, env=_environment(), check=True)


@cache
def _driver() -> ctypes.CDLL:
    return load_object(build(DRIVER.read_text(), "test-driver", (f"-I{LIBRARY}",)))


def _environment() -> dict[str, str]:
    """The compiler's: without the sanitizers that are loaded into the tests' processes."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


@dataclass
class Observed:
    """What an epilogue saw: ``seen`` is the output as it was when each unit's epilogue ran."""

    outcome: int
    seen: np.ndarray
    visits: np.ndarray


def drive(
    name: str,
    out: np.ndarray,
    *inputs: np.ndarray,
    attributes: Sequence[int] = (),
    threads: int = 2,
    library: ctypes.CDLL | None = None,
) -> int:
    """Run the call ``lg_<name>`` on a team of threads; returns its outcome."""
    library = library or load_library()
    return int(_driver().drive(*_arguments(library, f"lg_{name}", out, inputs, attributes, threads)))


def drive_epilogue(
    name: str, out: np.ndarray, *inputs: np.ndarray, units: int, attributes: Sequence[int] = (), threads: int = 2
) -> Observed:
    """Run ``lg_<name>_epilogue`` with an epilogue that looks at every unit, of which ``out`` has that many."""
    library = load_library()
    seen, visits = np.zeros_like(out), np.zeros(units, np.int32)
    arguments = _arguments(library, f"lg_{name}_epilogue", out, inputs, attributes, threads)
    memory = ctypes.c_void_p(seen.ctypes.data), ctypes.c_void_p(visits.ctypes.data)
    sizes = ctypes.c_int64(units), ctypes.c_int64(out.nbytes // max(units, 1))
    outcome = _driver().drive_epilogue(*arguments, *sizes, *memory)
    return Observed(int(outcome), seen, visits)


def _arguments(
    library: ctypes.CDLL,
    symbol: str,
    out: np.ndarray,
    inputs: Sequence[np.ndarray],
    attributes: Sequence[int],
    threads: int,
) -> tuple[object, ...]:
    assert out.flags.c_contiguous, "outputs are row-major"
    arrays = (Array * len(inputs))(*map(array_of, inputs))
    numbers = (ctypes.c_int64 * max(len(attributes), 1))(*attributes)
    return library[symbol], threads, ctypes.byref(array_of(out)), arrays, len(inputs), numbers
