"""Jacobians by central differences, of complex functions along both axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lazygrad.tensor import Tensor


def directions(tensor: Tensor) -> Iterator[np.ndarray]:
    """Unit arrays, one per element; for a complex tensor each followed by its multiple with ``i``."""
    units = (1.0, 1j) if tensor.dtype.is_complex else (1.0,)
    for place in np.ndindex(tuple(tensor.shape)):
        for unit in units:
            direction = np.zeros(tensor.shape, complex if tensor.dtype.is_complex else float)
            direction[place] = unit
            yield direction


def unit_cotangents(output: Tensor) -> list[np.ndarray]:
    """The cotangents for which `gradcheck` looks at the gradients."""
    return list(directions(output))


def numerical_jacobian(function: Callable[..., Tensor], args: tuple[Any, ...], position: int, eps: float) -> np.ndarray:
    """The derivative of ``function(*args)`` by one argument along each of its `directions`, one row each.

    Args:
        function: returns one tensor.
        args: its arguments.
        position: of the argument that varies.
        eps: the step.

    Returns:
        An array of shape (number of directions, number of outputs).
    """
    tensor: Tensor = args[position]
    values = tensor.detach().array()
    rows = []
    for direction in directions(tensor):
        ahead, behind = (
            _value(function, args, position, values + (direction * step).astype(values.dtype)) for step in (eps, -eps)
        )
        rows.append((ahead - behind).reshape(-1) / (2 * eps))
    return np.array(rows)


def _value(function: Callable[..., Tensor], args: tuple[Any, ...], position: int, moved: np.ndarray) -> np.ndarray:
    given = list(args)
    array = np.ascontiguousarray(moved).reshape(moved.shape)
    given[position] = Tensor.from_array(array, args[position].device, shared=False).requires_grad_()
    return function(*given).detach().array().copy()
