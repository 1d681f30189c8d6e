"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from lazygrad.nn._types import type_name
from lazygrad.ops.shapes.joining import cat
from lazygrad.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of all parameters, one after the other; differentiable.

    Raises:
        TypeError: the parameters are on different devices.
    """
    listed = list(parameters)
    _require_one_device(listed)
    return cat([parameter.view(-1) for parameter in listed])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Sets the parameters to consecutive parts of a vector; gradients do not see it.

    Args:
        vec: a vector with as many elements as all parameters together.
        parameters: the parameters, which keep their shapes.

    Raises:
        TypeError: ``vec`` is no Tensor, or the parameters are on different devices.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected lazygrad.Tensor, but got: {type_name(vec)}")
    listed = list(parameters)
    _require_one_device(listed)
    start = 0
    for parameter in listed:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop


def _require_one_device(parameters: list[Tensor]) -> None:
    if len({parameter.device for parameter in parameters}) > 1:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
