"""All batching rules: importing this file fills their table."""

from lazygrad.autodiff.batching import (
    alignment,
    composite,
    contraction,
    indexing,
    linear_algebra,
    recurrence,
    structure,
)

__all__ = [
    "alignment",
    "composite",
    "contraction",
    "indexing",
    "linear_algebra",
    "recurrence",
    "structure",
]
