"""What this package calls itself where an object says its own name: ``lazygrad``, or ``torch`` in PyTorch's programs.

Programs take these texts apart and compare them: ``str(dtype).replace("torch.", "")``, ``x.type() ==
"torch.FloatTensor"``.
"""

from __future__ import annotations


class _Package:
    """The package, as texts name it."""

    __slots__ = ("name",)

    def __init__(self) -> None:
        self.name = "lazygrad"


package = _Package()


def spoken(path: str) -> str:
    """The full name of what lies at ``path`` in the package: ``lazygrad.float32`` for ``float32``."""
    return f"{package.name}.{path}"
