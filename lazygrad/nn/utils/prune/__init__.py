"""Setting parts of parameters to zero and keeping them there.

A pruned parameter ``name`` is trained as ``name_orig``; the buffer ``name_mask`` says what of it is kept, and a hook
computes ``name`` before each call.
"""

from lazygrad.nn.utils.prune.base import BasePruningMethod, PruningContainer
from lazygrad.nn.utils.prune.functions import (
    custom_from_mask,
    global_unstructured,
    identity,
    is_pruned,
    l1_unstructured,
    ln_structured,
    random_structured,
    random_unstructured,
    remove,
)
from lazygrad.nn.utils.prune.methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]
