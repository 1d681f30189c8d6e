"""``torch._tensor_str``: the parts of a tensor's text, for libraries whose classes print as tensors do."""

from __future__ import annotations

from typing import Any

from lazygrad.ops.objects.printing import contents_text, current_options, with_suffixes
from lazygrad.tensor import Tensor

__all__ = ["_add_suffixes", "_tensor_str"]


def _tensor_str(self: Tensor, indent: int) -> str:
    """The numbers alone, as they stand between the brackets of ``tensor(…)``, ``indent`` characters from the left."""
    return contents_text(self, indent, current_options())


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """A text with what follows it, each on a new line where it does not fit any more, and a closing bracket."""
    return with_suffixes(tensor_str, suffixes, indent, current_options().linewidth, force_newline)


def __getattr__(name: str) -> Any:
    if name == "PRINT_OPTS":
        return current_options()  # which `set_printoptions` replaces
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
