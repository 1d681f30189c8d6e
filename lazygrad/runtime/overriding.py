"""Kernels that somebody has edited: plans that have one run it in place of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lazygrad.codegen.kernel import Kernel


class Edited(NamedTuple):
    """The source of an edited kernel, and the target that takes it."""

    target: str
    text: str


edited: dict[Kernel, Edited] = {}
"""In all threads, by kernel; kernels of equal structure are one. After a change, plans must choose anew."""
