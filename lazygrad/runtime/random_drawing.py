"""Arrays of random numbers that can be drawn again, as a replay of a compiled call does."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lazygrad.ir.shape import Shape
from lazygrad.runtime.random_streams import MT19937Stream


class Drawing(NamedTuple):
    """How an array of random numbers is drawn.

    Attributes:
        stream: where the numbers come from.
        function: ``function(stream, n, *arguments)`` draws ``n`` of them.
        arguments: equal ones draw equally.
        dtype: of the array.
        shape: of the array.
        order: its last dimensions in the order in which the numbers fill them, the one that varies fastest last; the
            dimensions before are filled in row-major order.
    """

    stream: MT19937Stream
    function: Callable[..., NDArray[Any]]
    arguments: tuple[Any, ...]
    dtype: np.dtype[Any]
    shape: Shape
    order: tuple[int, ...]

    def array(self) -> NDArray[Any]:
        """The next such array of the stream, row-major."""
        numbers = self.function(self.stream, prod(self.shape), *self.arguments).astype(self.dtype, copy=False)
        if self.order == tuple(range(len(self.order))):
            return numbers.reshape(self.shape)
        lead = len(self.shape) - len(self.order)
        axes = (*range(lead), *[lead + axis for axis in self.order])
        drawn = numbers.reshape([self.shape[axis] for axis in axes])
        return np.ascontiguousarray(drawn.transpose(np.argsort(axes)))
