"""Warnings about what a program does: they name its line, however many of our functions lie between."""

from __future__ import annotations

import sys
import warnings

from lazygrad.ir.origin import is_of_package


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line of the innermost frame outside this package.

    A number of levels would have to count decorators, which call a function directly, from a trace, or not at all.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_of_package(frame.f_code):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
