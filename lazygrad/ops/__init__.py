"""PyTorch-named functions, a folder per family and a file per kind. Each records a node or composes other functions.

`arguments` holds what all of them share. Importing this package attaches the methods of `Tensor`; `public` gathers the
functions of the top-level namespace.
"""

from typing import Any

# These only attach methods, or are read through `lazygrad.nn.functional`.
from lazygrad.ops import aten, loss, operators, public
from lazygrad.ops.layers import attention, batch_normalization, dropout, embedding
from lazygrad.ops.objects import copying, python_functions, python_values
from lazygrad.ops.random import filling
from lazygrad.ops.shapes import padding, resizing

__all__ = [
    "aten",
    "attention",
    "batch_normalization",
    "copying",
    "dropout",
    "embedding",
    "filling",
    "loss",
    "operators",
    "padding",
    "public",
    "python_functions",
    "python_values",
    "resizing",
]


def __getattr__(name: str) -> Any:
    if name not in operators.DEFINED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return operators.Namespace(name)
