"""What a function asks about the way it runs. In a call that is recorded the answers are settled: replays have them."""

from __future__ import annotations

from lazygrad.jit import is_scripting, is_tracing
from lazygrad.runtime.listening import listening

__all__ = ["QUESTIONS", "is_compiling", "is_exporting"]


def is_compiling() -> bool:
    """Whether `lazygrad.compile` is recording a call in this thread."""
    return listening.listener is not None


def is_exporting() -> bool:
    """Whether a program is being exported: False, lazygrad exports none."""
    return False


QUESTIONS = frozenset({is_compiling, is_exporting, is_scripting, is_tracing})
