"""A kernel that somebody edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lazygrad.codegen.kernel import Kernel


@dataclass(frozen=True, slots=True)
class EditedKernel:
    """Somebody's work in place of a kernel.

    Attributes:
        name: of the kernel's first function where it was taken; other plans may call it something else.
        text: a file of one kernel that somebody edited, or the functions alone.
        original: the file as it was written.
        path: where the text lies; empty if it came from nowhere.
    """

    name: str
    text: str
    original: str
    path: str = ""


Edits = Mapping[Kernel, EditedKernel]
NO_EDITS: Edits = MappingProxyType({})
