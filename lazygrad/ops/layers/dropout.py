"""Dropout. Which elements are dropped is decided by random numbers drawn anew at every call, as in PyTorch."""

from __future__ import annotations

from math import sqrt

import numpy as np

from lazygrad.ir.build import cast
from lazygrad.ir.composites.random import dropout as composite
from lazygrad.ir.composites.random import philox_dropout
from lazygrad.ir.device import Device
from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape, numel
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.memory_strides import order_in_pytorch
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.creation.filled import filled
from lazygrad.ops.layers.smooth_activations import SELU_ALPHA, SELU_SCALE, new_or_in_place
from lazygrad.ops.pointwise.arithmetic import add, mul
from lazygrad.ops.pointwise.relational import ge
from lazygrad.ops.random.drawn import drawn
from lazygrad.ops.random.generator import stream_of
from lazygrad.ops.random.in_graphs import drawn_inside, philox_source, uniform_like
from lazygrad.runtime.random_streams import MT19937Stream
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record

_BOOL = np.dtype(np.bool_)
# Where selu levels off: alpha dropout sets elements to it, which keeps mean and variance.
_SELU_FLOOR = -SELU_ALPHA * SELU_SCALE


def _check_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _kept(input: Tensor, shape: Shape | None, p: float) -> Node:
    """Bools that are True with probability 1 - ``p``, of ``shape``, or like the input: in its order in memory."""
    if shape is None:
        shape, order = tuple(input.shape), order_in_pytorch(input)
    else:
        order = tuple(range(len(shape)))
    return drawn(stream_of(None), MT19937Stream.bernoulli, (1 - float(p),), _BOOL, shape, order, input.device)


def draws_on_host(device: Device, p: float) -> bool:
    """Whether dropout with probability ``p`` reads flags that are drawn before, as `kept_elements` draws them."""
    return 0 < p < 1 and not drawn_inside(device)


def kept_elements(shape: Shape, p: float, device: Device) -> Tensor:
    """Flags for `dropped_as_drawn`, drawn in row-major order: True, an element is kept, with probability 1 - ``p``."""
    order = tuple(range(len(shape)))
    flags = drawn(stream_of(None), MT19937Stream.bernoulli, (1 - float(p),), _BOOL, shape, order, device)
    return Tensor.from_node(flags)


def dropped_as_drawn(input: Tensor, kept: Tensor, p: float) -> Tensor:
    """`dropout` of which ``kept`` says which elements stay."""
    return record(composite, (input.node(), kept.node()), (float(p),))


def _dropped(input: Tensor, p: float, shape: Shape | None = None) -> Tensor:
    """Dropout that decides for each element, or for each of ``shape``, which broadcasts to the input's."""
    node = input.node()
    if not node.dtype.differentiable:
        raise RuntimeError(f"dropout: its result, a float, cannot be stored as {node.dtype.name}; cast the input "
                           f"first, for example .float()")  # fmt: skip
    if p == 1:
        return mul(input, 0)
    if not drawn_inside(node.device):
        return record(composite, (node, _kept(input, shape, p)), (float(p),))
    if shape is not None:
        return mul(input, _dropped(filled(shape, 1, input.dtype, input.device), p))
    return record(philox_dropout, (node, *philox_source(numel(node.type.shape), node.device)), (float(p),))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to 0 with probability ``p``, the others divided by 1 − p. Source: Srivastava et al., 2014.

    Args:
        input: any shape, floating.
        p: probability of an element to be dropped.
        training: False to return the input.
        inplace: write the result into the input.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: integers or bools.
    """
    _check_probability(p)
    tensor_argument(input, "dropout")
    if not training or p == 0:
        return input
    return new_or_in_place(input, _dropped(input, p), inplace, "dropout_")


def _channel_dropout(input: Tensor, p: float, training: bool, inplace: bool, name: str, lead: int) -> Tensor:
    """Dropout of everything behind the first ``lead`` dimensions together."""
    if not training or p == 0:
        return input
    shape: Shape = (*input.shape[:lead], *(1,) * (input.ndim - lead))
    return new_or_in_place(input, _dropped(input, p, shape), inplace, name)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of signals.

    Args:
        input: (N, C, L) or (C, L), floating.
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: another rank, integers or bools.
    """
    _check_probability(p)
    rank = tensor_argument(input, "dropout1d").ndim
    if rank not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {rank}D input; use dropout to drop "
                           f"elements, or dropout2d or dropout3d for more spatial dimensions")  # fmt: skip
    return _channel_dropout(input, p, training, inplace, "dropout1d_", rank - 1)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of images.

    Args:
        input: (N, C, H, W), floating. Of any other rank, too, the first two dimensions are taken as (N, C).
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: integers or bools.
    """
    _check_probability(p)
    rank = tensor_argument(input, "dropout2d").ndim
    if rank != 4:
        _warn_about_rank("dropout2d", rank, "(N, C, H, W)")
    return _channel_dropout(input, p, training, inplace, "dropout2d_", min(rank, 2))


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of volumes.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W), floating.
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: integers or bools.
    """
    _check_probability(p)
    rank = tensor_argument(input, "dropout3d").ndim
    if rank not in (4, 5):
        _warn_about_rank("dropout3d", rank, "(N, C, D, H, W) or (C, D, H, W)")
    return _channel_dropout(input, p, training, inplace, "dropout3d_", 2 if rank == 5 else 1)


def _warn_about_rank(name: str, rank: int, expected: str) -> None:
    warn_user(f"{name}: Received a {rank}-D input to {name}, expected {expected}; use dropout to drop elements")


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for networks of selu: elements set to its lower limit, then all rescaled to mean 0 and variance 1.

    Source: Klambauer et al., "Self-Normalizing Neural Networks", 2017.

    Args:
        input: any shape, floating.
        p, training, inplace: see `dropout`.

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        NotImplementedError: integers or bools.
    """
    return _alpha_dropped("alpha_dropout", input, None, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels of an input (N, C, …)."""
    if training and tensor_argument(input, "feature_alpha_dropout").ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    shape: Shape = (*input.shape[:2], *(1,) * (input.ndim - 2))
    return _alpha_dropped("feature_alpha_dropout", input, shape, p, training, inplace)


def _alpha_dropped(name: str, input: Tensor, shape: Shape | None, p: float, training: bool, inplace: bool) -> Tensor:
    """Alpha dropout that decides for each element, or for each of ``shape``, which broadcasts to the input's."""
    _check_probability(p)
    tensor_argument(input, name)
    if not training or p == 0:
        return input
    if p == 1:
        return new_or_in_place(input, mul(input, 0), inplace, f"{name}_")
    scale = 1 / sqrt((_SELU_FLOOR**2 * p + 1) * (1 - p))
    if drawn_inside(input.device):
        decisions = uniform_like(filled(shape or tuple(input.shape), 0, input.dtype, input.device))
        noise = Tensor.from_node(cast(ge(decisions, p).node(), input.dtype))
    else:
        noise = Tensor.from_node(cast(_kept(input, shape, p), input.dtype))
    shift = add(mul(add(noise, -1), -_SELU_FLOOR * scale), -_SELU_FLOOR * scale * p)
    return new_or_in_place(input, add(mul(input, mul(noise, scale)), shift), inplace, f"{name}_")


def feature_dropout(input: Tensor, p: float, training: bool, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of an input (N, C, …)."""
    _check_probability(p)
    if training and tensor_argument(input, "feature_dropout").ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return _channel_dropout(input, p, training, inplace, "feature_dropout_", 2)
