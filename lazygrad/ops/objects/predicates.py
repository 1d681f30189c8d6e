"""Questions about a tensor that are answered in Python."""

from __future__ import annotations

from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.registering import method
from lazygrad.tensor import Tensor

__all__ = ["is_nonzero", "is_signed", "is_same_size", "is_inference"]


@method()
def is_nonzero(input: Tensor) -> bool:
    """Whether the one element is not zero. Computes it.

    Raises:
        RuntimeError: the tensor has another number of elements.
    """
    return bool(tensor_argument(input, "is_nonzero"))


@method()
def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return tensor_argument(input, "is_signed").dtype.is_signed


@method()
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return tensor_argument(input, "is_same_size").shape == tensor_argument(other, "is_same_size", "other").shape


def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made inside `inference_mode`."""
    answer: bool = tensor_argument(input, "is_inference").is_inference()
    return answer
