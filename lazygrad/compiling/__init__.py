"""`compile`: replay whole calls, such as training steps, without running their Python code again."""

from lazygrad.compiling.compile import compile
from lazygrad.compiling.dynamic import mark_dynamic

__all__ = ["compile", "mark_dynamic"]
