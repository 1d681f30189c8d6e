"""Which C compiler there is, and which of the flags we want it accepts.

The answer is found by compiling and loading a small program, and remembered on disk, so that a later process need not
start the compiler to learn what it can do.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.disk_cache import read_entry, work_folder, write_entry
from lazygrad.targets.c.loading import load_shared_object
from lazygrad.targets.c.object_file import DamagedObjectError, check_object
from lazygrad.targets.c.process import BuildError, CompilerHung, run_compiler

_CANDIDATES = ("cc", "gcc", "clang")
_PROBE_SECONDS = 20.0
NOT_FOUND = "not found"

# Without these a result could be wrong: integers wrap as numpy's do, a product and a sum are rounded one by one, and
# memory that held numbers of one type is used for those of another: an arena, an output that lies over an input.
_REQUIRED: tuple[str, ...] = (
    *("-std=gnu11", "-shared", "-fPIC", "-pthread"),
    *("-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing"),
)

# Each makes code faster; of alternatives the first that is accepted is taken.
_WANTED = (
    ("-O3", "-O2"),
    ("-march=native", "-mcpu=native"),
    ("-fno-math-errno",),
    ("-fno-trapping-math",),
    ("-fno-semantic-interposition",),
    ("-fno-thread-jumps",),  # gcc would make branches of selects that follow each other, and masks of those
    # Tuned for some processors, gcc fuses a product and a sum in one kernel and not in another, so that how many rows a
    # thread has would show in the result.
    ("--param=avoid-fma-max-bits=0",),
    ("-fopenmp-simd",),
)

# What generated code relies on: half precision, vector types, threads and atomic operations.
_PROBE = """
#include <pthread.h>
#include <stdatomic.h>
#include <math.h>
typedef float vector __attribute__((vector_size(32)));
float probe(float x)
{
    vector lanes = {x, x, x, x, x, x, x, x};
    lanes = lanes * lanes + x;
    _Float16 half = (_Float16)lanes[7];
    _Atomic(void *) place = lanes[0] > 0 ? (void *)&pthread_create : (void *)0;
    if (!atomic_load(&place))
        return 0;
    return sqrtf((float)half + 4.0f);
}
"""


@dataclass(frozen=True)
class Toolchain:
    """A compiler that works.

    Attributes:
        command: what starts it: its absolute path, and the arguments that ``$CC`` may have after it.
        version: the first line of ``--version``.
        flags: what to compile plans with; later flags override earlier ones.
        refused: wanted flags that it, or this machine, does not take.
        target: says which machines run what it makes here: an object must not be loaded where this differs.
    """

    command: tuple[str, ...]
    version: str
    flags: tuple[str, ...]
    refused: tuple[str, ...]
    target: str

    @property
    def path(self) -> str:
        return self.command[0]

    def links(self, inputs: Sequence[Path], output: Path, flags: Sequence[str]) -> list[str]:
        """The command that makes a shared object of source files and object files."""
        return [*self.command, *self.flags, *flags, *map(str, inputs), "-o", str(output), "-lm"]


@dataclass(frozen=True)
class Search:
    """What looking for a compiler came to.

    Attributes:
        toolchain: the first compiler that works, or None.
        failures: what was tried before it, and why that does not work; by command.
    """

    toolchain: Toolchain | None
    failures: dict[str, str]


def toolchain() -> Toolchain | None:
    """The compiler to use, or None: ``$CC`` if that is set, else the first of cc, gcc and clang that works."""
    return search().toolchain


def identity() -> str:
    """What tells this machine and the compiler that `toolchain` would try first from others; nothing is started."""
    chosen = os.environ.get("CC", "").strip()
    for candidate in (chosen,) if chosen else _CANDIDATES:
        with suppress(BuildError, OSError):
            command = _resolved(candidate)
            if command is not None:
                return _record(command).name
    return target()


@cache
def search() -> Search:
    """Look for a compiler, once per process."""
    failures: dict[str, str] = {}
    chosen = os.environ.get("CC", "").strip()
    for candidate in (chosen,) if chosen else _CANDIDATES:
        try:
            command = _resolved(candidate)
            if command is not None:
                return Search(_remembered(command) or _examined(command), failures)
            failures[candidate] = NOT_FOUND
        except (BuildError, OSError) as error:
            failures[candidate] = str(error)
    return Search(None, failures)


def _resolved(candidate: str) -> tuple[str, ...] | None:
    """The command with its program's absolute path; None if there is no such program."""
    try:
        program, *arguments = shlex.split(candidate)
    except ValueError as error:
        raise BuildError(f"CC={candidate!r} cannot be read as a command ({error})") from error
    path = shutil.which(program)
    return None if path is None else (os.path.abspath(path), *arguments)


def _examined(command: tuple[str, ...]) -> Toolchain:
    """Find out what a compiler can do, and remember it."""
    with work_folder(cache_folder()) as folder:
        version = run_compiler([*command, "--version"], folder, _PROBE_SECONDS).partition("\n")[0]
        flags = _accepted_flags(command, folder)
    found = Toolchain(command, version, flags, _refused(flags), target())
    with suppress(OSError):  # a full disk; then the next process examines it again
        _remember(found)
    return found


def _accepted_flags(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """All flags if they work together, which is the common case; else each that works with those before it."""
    favourites = _REQUIRED + tuple(alternatives[0] for alternatives in _WANTED)
    if _works(command, favourites, folder):
        return favourites
    accepted = _REQUIRED
    _try(command, accepted, folder)
    for alternatives in _WANTED:
        working = (flag for flag in alternatives if _works(command, (*accepted, flag), folder))
        accepted += tuple(islice(working, 1))
    return accepted


def _works(command: tuple[str, ...], flags: tuple[str, ...], folder: Path) -> bool:
    try:
        _try(command, flags, folder)
    except CompilerHung:
        raise  # it would hang with the other flags too, and be waited for every time
    except BuildError:
        return False
    return True


def _try(command: tuple[str, ...], flags: tuple[str, ...], folder: Path) -> None:
    """Compile the small program with ``flags``, load it and compare what it returns.

    Raises:
        BuildError: one of these did not work.
    """
    # Every attempt has a name of its own: a loader asked for the same name again would answer with what it has.
    built = folder / f"probe-{sha256(' '.join(flags).encode()).hexdigest()[:8]}.so"
    source = built.with_suffix(".c")
    source.write_text(_PROBE)
    run_compiler(Toolchain(command, "", flags, (), "").links([source], built, []), folder, _PROBE_SECONDS)
    try:
        check_object(built.read_bytes())
        probe = load_shared_object(built).probe
    except (OSError, DamagedObjectError, AttributeError) as error:
        raise BuildError(f"what {command[0]} makes cannot be loaded ({error})") from error
    probe.argtypes, probe.restype = [ctypes.c_float], ctypes.c_float
    if probe(3.0) != 4.0:
        raise BuildError(f"what {command[0]} makes computes {probe(3.0)} instead of 4")


def _record(command: tuple[str, ...]) -> Path:
    """Where the examination's outcome is kept. An upgraded compiler, or another machine, has another place."""
    status = os.stat(command[0])
    decisive = (command, status.st_mtime_ns, status.st_size, _REQUIRED, _WANTED, _PROBE, target())
    return cache_folder() / f"toolchain-{sha256(repr(decisive).encode()).hexdigest()[:32]}.json"


def _remember(found: Toolchain) -> None:
    write_entry(_record(found.command), json.dumps(asdict(found), indent=2).encode())


def _remembered(command: tuple[str, ...]) -> Toolchain | None:
    """The outcome of an earlier process's examination; None if there is none, or one that makes no sense.

    Nothing in a record becomes a part of a command but flags of ours.
    """
    try:
        fields = json.loads(read_entry(_record(command)) or b"null")
        version, flags = fields["version"], tuple(fields["flags"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (isinstance(version, str) and _could_be_accepted(flags)):
        return None
    found = Toolchain(command, version, flags, _refused(flags), target())
    return found if json.loads(json.dumps(asdict(found))) == fields else None


def _could_be_accepted(flags: tuple[Any, ...]) -> bool:
    """Whether `_accepted_flags` may have answered this: the required flags, and at most one of each group."""
    wanted = iter(_WANTED)
    count = len(_REQUIRED)
    return flags[:count] == _REQUIRED and all(any(flag in group for group in wanted) for flag in flags[count:])


def _refused(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The favourites that are not among ``flags``."""
    return tuple(group[0] for group in _WANTED if group[0] not in flags)


_KINDS = frozenset(
    ("vendor_id", "cpu family", "model", "flags", "Features")
    + ("CPU implementer", "CPU architecture", "CPU variant", "CPU part")
)


@cache
def target() -> str:
    """A hash of what ``-march=native`` depends on here, and of the C library that objects are linked with.

    Model names and clock rates are left out: they differ between machines that run the same code.
    """
    libc = platform.libc_ver()
    return sha256(repr((platform.machine(), libc, sorted(processor().items()))).encode()).hexdigest()[:16]


def processor() -> dict[str, str]:
    """The first processor's kind and its instruction sets, as Linux names them; empty elsewhere."""
    found: dict[str, str] = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if not line.strip():
                    break  # the next processor follows, and on a large machine many more
                name, _, value = line.partition(":")
                if name.strip() in _KINDS:
                    found[name.strip()] = value.strip()
    except OSError:
        pass
    return found
