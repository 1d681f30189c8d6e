"""Batching rules: what each op becomes when inputs are stacks of examples; importing this fills the table."""

from lazygrad.autodiff.batching import (
    alignment,
    composite,
    contraction,
    indexing,
    linear_algebra,
    recurrence,
    structure,
)
from lazygrad.autodiff.batching.call import Call
from lazygrad.autodiff.batching.registry import CALLBACK, GRADIENT, LEAF, batched_node, batching_entry

__all__ = [
    "CALLBACK",
    "Call",
    "GRADIENT",
    "LEAF",
    "alignment",
    "batched_node",
    "batching_entry",
    "composite",
    "contraction",
    "indexing",
    "linear_algebra",
    "recurrence",
    "structure",
]
