"""Kernels that somebody has edited: plans that have one run it in place of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from lazygrad.ir.printable import printable

if TYPE_CHECKING:
    from lazygrad.codegen.editing import EditedKernel
    from lazygrad.codegen.kernel import Kernel
    from lazygrad.codegen.lower import LoweredKernel


class Override(NamedTuple):
    """An edited kernel, and the target that takes it."""

    target: str
    edited: EditedKernel


edited: dict[Kernel, Override] = {}
"""In all threads, by kernel; kernels of equal structure are one. After a change, plans must choose anew."""


def edits_of(kernels: Iterable[LoweredKernel], target: str) -> dict[Kernel, EditedKernel]:
    """What was edited for a target of the kernels of a plan."""
    if not edited:
        return {}
    found = {step.kernel: edited[step.kernel] for step in kernels if step.kernel in edited}
    return {kernel: override.edited for kernel, override in found.items() if override.target == target}


def override_words(kernel: Kernel) -> str:
    """What runs in place of a kernel, for people; empty if it runs itself."""
    found = edited.get(kernel)
    return "" if found is None else f"overridden on {found.target} by {printable(found.edited.path or 'edited source')}"
