"""Random numbers drawn on the host as nodes. Recorders of whole calls hear how to draw them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lazygrad.host.buffer import Buffer, buffer_of
from lazygrad.host.dtypes import from_numpy
from lazygrad.host.machine_memory import require_memory
from lazygrad.ir.device import CPU, Device
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.ir.shape import Shape, numel
from lazygrad.levels import examples_to_draw, levels, stacking_levels
from lazygrad.runtime.listening import listening
from lazygrad.runtime.random_drawing import Drawing
from lazygrad.runtime.random_streams import MT19937Stream


def drawn(
    stream: MT19937Stream,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    dtype: np.dtype[Any],
    shape: Shape,
    order: tuple[int, ...],
    device: Device,
) -> Node:
    """An array of random numbers, drawn now; of the example being recorded inside `vmap`.

    Args:
        stream, function, arguments, dtype, shape, order: see `Drawing`. Inside `vmap` with ``randomness="different"``
            numbers are drawn for all examples.
        device: where to put it.

    Raises:
        RuntimeError: inside `vmap` with ``randomness="error"``.
        HostMemoryError: the machine could not hold the numbers.
    """
    require_memory(numel(shape) * dtype.itemsize)
    listener = listening.listener
    if listener is None and not levels.active and device is CPU and order == tuple(range(len(shape))):
        return _in_order(function(stream, numel(shape), *arguments), dtype, shape)
    examples_to_draw()
    stacking = stacking_levels()
    drawing = Drawing(stream, function, arguments, dtype, (*[level.copies for level in stacking], *shape), order)
    if listener is None:
        node = _holding(drawing.array(), device)
    else:
        before = stream.get_state().tobytes()
        node = _holding(drawing.array(), device)
        listener.on_drawing(node, drawing, before)
    for level in stacking:
        node = level.one_of(node)
    return node


def _in_order(numbers: NDArray[Any], dtype: np.dtype[Any], shape: Shape) -> Node:
    """A node with numbers as its value in row-major order, as most are drawn."""
    node = leaf_node(buffer, (None,), tensor_type(shape, from_numpy(dtype)))
    if numbers.dtype is not dtype:
        numbers = numbers.astype(dtype, copy=False)
    node.value = Buffer(numbers if numbers.shape == shape else numbers.reshape(shape))
    node.origin = capture()
    return node


def _holding(array: NDArray[Any], device: Device) -> Node:
    """A node with an array as its value."""
    node = leaf_node(buffer, (None,), tensor_type(array.shape, from_numpy(array.dtype), device))
    node.value = buffer_of(array, device)
    node.origin = capture()
    return node
