"""The text of a sparse tensor, laid out as PyTorch prints it."""

from __future__ import annotations

from lazygrad.ops.objects.printing import current_options, kind_remarks, nested_text, place_remarks, with_suffixes
from lazygrad.sparse.tensor import SparseTensor

_INDENT = len("tensor(")


def _text(self: SparseTensor) -> str:
    """Indices, values, and what is to be said beside them; this computes both."""
    parts = {"indices": self._indices().detach(), "values": self._values().detach()}
    written = [f"{name}={nested_text(part, _INDENT + len(name) + 1)}" for name, part in parts.items()]
    facts = [*place_remarks(self), f"size={tuple(self.shape)}", f"nnz={self._nnz()}", *kind_remarks(self, True)]
    text = "tensor(" + (",\n" + " " * _INDENT).join(written)
    return with_suffixes(text, facts, _INDENT, current_options().linewidth, new_line=True)


setattr(SparseTensor, "__repr__", _text)  # noqa: B010, the method is written as a function
setattr(SparseTensor, "__str__", _text)  # noqa: B010
