"""Complex parameters as pairs of real numbers, whose squares and roots are taken apart."""

from __future__ import annotations

from lazygrad.ops.pointwise.complex_numbers import view_as_real
from lazygrad.tensor import Tensor


def as_pairs(tensor: Tensor) -> Tensor:
    """A view of a complex tensor's parts, written to as the tensor is; a real tensor itself."""
    return view_as_real(tensor.resolve_conj()) if tensor.dtype.is_complex else tensor
