"""PyTorch-named functions, one file per family. Each records a node or composes other functions.

Importing this package attaches the methods of `Tensor`. `public` gathers the functions of the top-level namespace.
"""

# These only attach methods, or are read through `lazygrad.nn.functional`.
from lazygrad.ops import (
    attention,
    batch_normalization,
    copying,
    embedding,
    loss,
    padding,
    public,
    python_functions,
    python_values,
    random_fill,
    regularization,
    resizing,
)

__all__ = [
    "attention",
    "batch_normalization",
    "copying",
    "embedding",
    "loss",
    "padding",
    "public",
    "python_functions",
    "python_values",
    "random_fill",
    "regularization",
    "resizing",
]
