"""Plans on disk: a program that an earlier process has compiled runs compiled from its first step.

What is kept of a plan is what a run needs: where its results are, what may lie over what, and the names of compiled
objects. That is a few hundred bytes of JSON beside these objects. Graphs, kernels and sources are not kept; they are
made when somebody asks for them.

A program that each process runs once, as the first step of a training, is never worth a plan in any of them. So of a
program that was computed without a plan an empty entry is left, and the next process that meets it plans it, too. First
steps are few programs: where sizes are new in every step, the others are neither noted nor planned.

An entry is found by a hash of the program, of every file that has a part in planning, of the processor and of the
compiler. So what was kept is used only where planning and compiling would come to the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lazygrad.codegen.templates import template_folder
from lazygrad.host.cache_folder import cache_folder, chosen_folder
from lazygrad.host.disk_cache import PLAN_SUFFIX, read_entry, write_entry
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import DType
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Op
from lazygrad.runtime.kept_plan import KeptPlan, facts_of
from lazygrad.targets.devices import compiled_code_depends_on, has_own_targets, restored_executable
from lazygrad.targets.executable import Executable, LoadError

if TYPE_CHECKING:
    from lazygrad.runtime.plan import Plan
    from lazygrad.runtime.recording import ProgramKey, Recording

_PACKAGE = Path(__file__).resolve().parents[1]
# What has a part in planning. The frontend has none: a recorded graph is all that a plan is made of.
_DECISIVE_FOLDERS = ("ir", "autodiff", "passes", "host", "codegen", "memory", "targets", "runtime")
_MET = b"null\n"
_MOST_VAIN_LOOKS = 64  # in a row: a program that is never twice the same stops looking
_FIRST_PROGRAMS = 32  # of a process that are noted, or planned because an earlier one has noted them


class _Looks:
    """Looks at the disk.

    Attributes:
        vain: that found no plan, since the last one that found some.
        first: programs that were noted, or were found to be.
    """

    vain = 0
    first = 0


class Found(NamedTuple):
    """What is on disk of a program.

    Attributes:
        plan: that an earlier process kept, if it can be used.
        was_met: whether one has computed it without a plan.
    """

    plan: KeptPlan | None = None
    was_met: bool = False


def are_kept() -> bool:
    """Whether plans are kept on disk: they are, unless ``LAZYGRAD_KEEP_PLANS=0`` or ``LAZYGRAD_CACHE=0`` says no."""
    return "0" not in (os.environ.get("LAZYGRAD_KEEP_PLANS"), os.environ.get("LAZYGRAD_CACHE"))


def find(recording: Recording) -> Found:
    """What earlier processes left of a program on the CPU."""
    if not _may_look():
        return Found()
    _Looks.vain += 1
    entry = _entry_of(recording.key)
    if entry is not None:
        with suppress(OSError, ValueError, KeyError, TypeError, LoadError):  # damaged, or others removed what it needs
            path = cache_folder() / entry
            content = read_entry(path)
            if content is not None:
                os.utime(path, follow_symlinks=False)  # what is used stays when the folder is trimmed
                if content == _MET:
                    _Looks.first += 1
                    return Found(was_met=_Looks.first <= _FIRST_PROGRAMS)
                _Looks.vain = 0
                return Found(_restored(json.loads(content), recording))
    return Found()


def _may_look() -> bool:
    """Whether something may be on disk. The folder is made, and warned of where that fails, by who compiles."""
    if _Looks.vain >= _MOST_VAIN_LOOKS or not are_kept() or not has_own_targets(CPU):
        return False
    with suppress(OSError):
        return chosen_folder().is_dir()
    return False


def _restored(kept: dict[str, Any], recording: Recording) -> KeptPlan | None:
    executable = restored_executable(kept["target"], kept["executable"])
    if executable is None:
        return None
    return KeptPlan(kept, kept["target"], executable, recording.program(), recording.slots_of_parts())


def note_met(key: ProgramKey) -> None:
    """Leave word that a program was computed without a plan, for the next process that meets it."""
    if _Looks.first >= _FIRST_PROGRAMS or not _may_look():
        return
    entry = _entry_of(key)
    if entry is not None:
        with suppress(OSError):  # one is there, or the disk is full
            descriptor = os.open(cache_folder() / entry, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            os.write(descriptor, _MET)
            os.close(descriptor)
            _Looks.first += 1


def keep(key: ProgramKey, plan: Plan, target: str, executable: Executable) -> None:
    """Keep a plan of the CPU whose code is ready, if other processes can use that. A full disk is no error here."""
    if not are_kept() or plan.device is not CPU or not has_own_targets(CPU):
        return
    code = executable.kept()
    entry = _entry_of(key) if code is not None else None
    if entry is not None:
        kept = facts_of(plan) | {"target": target, "executable": code}
        with suppress(OSError):
            write_entry(cache_folder() / entry, json.dumps(kept).encode())


def _entry_of(key: ProgramKey) -> str | None:
    """The name of the file for a program; None if the program has operations or attributes of others' making."""
    try:
        text = _text(key)
    except _NotOurs:
        return None
    return sha256(f"{_surroundings()}\n{text}".encode()).hexdigest()[:40] + PLAN_SUFFIX


class _NotOurs(Exception):
    """Part of a program that has no text which means the same in every process."""


def _text(value: Any) -> str:
    """A key as text: equal texts mean equal programs."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_text, value))})"
    if isinstance(value, Op):
        return _name_of(value)
    if kind is TensorType or kind is DType:
        return f"<{value}>"
    raise _NotOurs


_PLAIN = frozenset({int, bool, float, complex, str, type(None)})


@cache
def _name_of(op: Op) -> str:
    functions = [op.infer, getattr(op, "decompose", op.infer)]
    if not all([function.__module__.split(".")[0] == __name__.split(".")[0] for function in functions]):
        raise _NotOurs
    return op.name


@cache
def _surroundings() -> str:
    """What plans and their code depend on beside the program."""
    files = [*map(_described, _files())]
    return sha256(repr((compiled_code_depends_on(), sorted(files))).encode()).hexdigest()


def _files() -> Iterator[os.DirEntry[str]]:
    waiting = [str(template_folder()), *[str(_PACKAGE / folder) for folder in _DECISIVE_FOLDERS]]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if not entry.is_dir():
                    yield entry
                elif entry.name != "__pycache__":
                    waiting.append(entry.path)


def _described(file: os.DirEntry[str]) -> tuple[str, int, int]:
    """To read them all would take longer than to plan."""
    status = file.stat()
    return file.path, status.st_mtime_ns, status.st_size
