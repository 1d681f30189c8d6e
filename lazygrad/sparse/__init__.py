"""``lazygrad.sparse``: tensors stored as coordinates, and functions of them."""

from typing import Any

from lazygrad.left_out import stand_in, stand_in_class
from lazygrad.sparse import arithmetic, gradients, printing
from lazygrad.sparse.construction import sparse_coo_tensor, spdiags
from lazygrad.sparse.products import addmm, mm
from lazygrad.sparse.reductions import log_softmax, softmax, sum
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.sparse.types import TYPES as _TYPES


def __getattr__(name: str) -> Any:
    """What needs sparse tensor cores imports, and says what to use."""
    if name not in ("SparseSemiStructuredTensor", "to_sparse_semi_structured"):
        raise AttributeError(f"module 'lazygrad.sparse' has no attribute {name!r}")
    make = stand_in if name.startswith("to_") else stand_in_class
    reason = "nothing here multiplies two of four elements faster; leave the tensor dense, or prune with nn.utils.prune"
    return globals().setdefault(name, make(f"sparse.{name}", reason))  # type: ignore[operator]


__all__ = [
    "SparseTensor",
    "addmm",
    "arithmetic",
    "gradients",
    "log_softmax",
    "mm",
    "printing",
    "softmax",
    "sparse_coo_tensor",
    "spdiags",
    "sum",
]
globals().update(_TYPES)
__all__ += _TYPES
