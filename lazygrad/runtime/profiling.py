"""Who times what the runtime does: `lazygrad.profile`, while one is on. Else these hooks are a look at an attribute."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from lazygrad.codegen.editing import Edits
    from lazygrad.targets.base import LoweredProgram, Target
    from lazygrad.targets.evaluator import Evaluator
    from lazygrad.targets.executable import Executable, Watched


class Activity(Enum):
    """What takes time beside kernels."""

    REALIZING = "realizing"  # recognizing a program, choosing memory, handing out values
    INTERPRETING = "interpreting"
    CALLING = "calling plans"
    PLANNING = "planning"
    COMPILING = "compiling"
    LOADING = "loading data"
    PROFILING = "profiling"
    OWN = "own"  # what a program marks itself


class Recorder(Protocol):
    """What a profile is told."""

    def span(self, activity: Activity, name: str = "") -> AbstractContextManager[Any]:
        """The context of something that takes time."""

    def watched(self, program: LoweredProgram, target: Target[Any], executable: Executable, edits: Edits) -> Watched:
        """What runs in place of a program's executable, some of whose kernels may be edited."""

    def timed(self, evaluator: Evaluator) -> Evaluator:
        """What interprets in place of ``evaluator``."""

    def missed(self) -> None:
        """A program had no plan; the cache's `Misses` says why."""


class _Profiling:
    """What holds in all threads."""

    recorder: Recorder | None = None


profiling = _Profiling()
_UNWATCHED: AbstractContextManager[Any] = nullcontext()


def span(activity: Activity, name: str = "") -> AbstractContextManager[Any]:
    """The context of something that takes time; of nothing where no profile is on."""
    recorder = profiling.recorder
    return _UNWATCHED if recorder is None else recorder.span(activity, name)
