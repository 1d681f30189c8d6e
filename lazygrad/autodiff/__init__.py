"""Pullbacks and the reverse sweep; importing this package fills the table of rules."""

from lazygrad.autodiff import (
    rules_binary,
    rules_checkpoint,
    rules_composite,
    rules_contraction,
    rules_indexing,
    rules_leaf,
    rules_loss,
    rules_movement,
    rules_normalization,
    rules_reduction,
    rules_scan,
    rules_unary,
)

__all__ = [
    "rules_binary",
    "rules_checkpoint",
    "rules_composite",
    "rules_contraction",
    "rules_indexing",
    "rules_leaf",
    "rules_loss",
    "rules_movement",
    "rules_normalization",
    "rules_reduction",
    "rules_scan",
    "rules_unary",
]
