"""``lazygrad.sparse``: tensors stored as coordinates, and functions of them."""

from lazygrad.sparse import arithmetic, gradients, printing
from lazygrad.sparse.construction import sparse_coo_tensor, spdiags
from lazygrad.sparse.products import addmm, mm
from lazygrad.sparse.reductions import log_softmax, softmax, sum
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.sparse.types import TYPES as _TYPES

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
