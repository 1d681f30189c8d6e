"""`compile`: replay whole calls, such as training steps, without running their Python code again."""

from lazygrad.compiling.compile import compile

__all__ = ["compile"]
