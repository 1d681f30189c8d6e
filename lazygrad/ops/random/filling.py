"""Filling tensors with random numbers in place. Numbers are drawn at once, in PyTorch's order, on the host."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from lazygrad.grad_mode import is_grad_enabled
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import Category, bool_
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import number
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.keywords import also_named
from lazygrad.ops.arguments.memory_strides import order_in_pytorch
from lazygrad.ops.arguments.operands import as_real_scalar
from lazygrad.ops.arguments.options import require_numbers
from lazygrad.ops.arguments.registering import broadcast_node, method
from lazygrad.ops.indexing.fill import overwrite
from lazygrad.ops.pointwise.complex_numbers import view_as_real
from lazygrad.ops.random.drawn import drawn
from lazygrad.ops.random.generator import Generator, stream_of
from lazygrad.runtime import random_distributions as distributions
from lazygrad.runtime.random_streams import MT19937Stream
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record


def _filled_by(
    target: Tensor, name: str, generator: Generator | None, function: Callable[..., Any], *arguments: Any
) -> Tensor:
    """Write ``function(stream, n, *arguments)`` into the tensor, in the order in which PyTorch visits its elements:
    that of their addresses. A tensor without memory takes none of the stream's numbers."""
    if target.is_meta:
        return target
    dtype, order = to_numpy(target.dtype), order_in_pytorch(target)
    numbers = tuple([argument.item() if isinstance(argument, Tensor) else argument for argument in arguments])
    node = drawn(stream_of(generator), function, numbers, dtype, target._sizes(), order, target.device)
    return overwrite(target, node, name)


def without_gradient_to(source: Tensor, drawn: Tensor) -> Tensor:
    """``drawn``, whose distribution ``source`` said, connected to it as in PyTorch: the gradient is zero."""
    if not (source.requires_grad and is_grad_enabled()):
        return drawn
    never = number(False, bool_, source.device)
    return record(ew.where, (never, source.node(), drawn.node()))


@method()
@also_named(**{"from": "from_"})  # a word of Python's
def uniform_(input: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with uniform numbers from [from_, to); of complex numbers, both parts.

    Raises:
        NotImplementedError: not a floating dtype.
        RuntimeError: bounds in the wrong order or outside the dtype's range.
    """
    if input.dtype.is_complex:
        uniform_(view_as_real(input), from_, to, generator=generator)
        return input
    return _filled_by(input, "uniform_", generator, MT19937Stream.uniform, from_, to, to_numpy(input.dtype))


@method()
def normal_(input: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with normally distributed numbers; of complex ones, both parts with half the variance.

    Raises:
        NotImplementedError: not a floating dtype.
        RuntimeError: a negative standard deviation.
    """
    if input.dtype.is_complex:
        normal_(view_as_real(input), mean, std / sqrt(2), generator=generator)
        return input
    dtype, contiguous = to_numpy(input.dtype), input.view_of_storage().is_contiguous
    return _filled_by(input, "normal_", generator, MT19937Stream.normal, mean, std, dtype, contiguous)


@method()
def exponential_(input: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with exponentially distributed numbers of rate ``lambd``.

    Raises:
        RuntimeError: not a floating dtype; a rate that is not positive.
    """
    if input.dtype.category is not Category.FLOAT:
        raise RuntimeError(f"exponential_ needs a floating dtype, but the tensor is {input.dtype.name}")
    return _filled_by(input, "exponential_", generator, distributions.exponential, lambd, to_numpy(input.dtype))


@method()
def cauchy_(input: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with Cauchy distributed numbers around ``median``, of scale ``sigma``.

    Raises:
        RuntimeError: not a floating dtype; a scale that is not positive.
    """
    if input.dtype.category is not Category.FLOAT:
        raise RuntimeError(f"cauchy_ needs a floating dtype, but the tensor is {input.dtype.name}")
    return _filled_by(input, "cauchy_", generator, distributions.cauchy, median, sigma, to_numpy(input.dtype))


@method()
def log_normal_(input: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers whose logarithms are normally distributed, with this mean and standard deviation.

    Raises:
        NotImplementedError: not a floating dtype.
        RuntimeError: a standard deviation that is not positive.
    """
    return _filled_by(input, "log_normal_", generator, distributions.log_normal, mean, std, to_numpy(input.dtype))


@method()
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with how many trials of probability ``p`` it takes to succeed, 1 or more.

    Raises:
        NotImplementedError: a bool tensor.
        RuntimeError: ``p`` is outside (0, 1).
    """
    require_numbers(input.dtype, "geometric_")
    return _filled_by(input, "geometric_", generator, distributions.geometric, p, to_numpy(input.dtype))


@method()
@also_named(**{"from": "from_"})
def random_(
    input: Tensor,
    *bounds: int | None,
    from_: int | None = None,
    to: int | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with integers.

    Called as ``random_()`` for the dtype's whole range from 0 on, of a floating dtype the integers it can count
    exactly; ``random_(to)`` for [0, to); ``random_(low, to)`` for [low, to), with None for the largest value.

    Raises:
        TypeError: bounds that are not integers.
        RuntimeError: an empty range, or one the dtype cannot hold.
    """
    dtype = to_numpy(input.dtype)
    given = (from_, to) if from_ is not None else bounds if to is None else (*bounds, to)
    if not given:
        return _filled_by(input, "random_", generator, MT19937Stream.random_, dtype)
    low, high = given if len(given) == 2 else (0, given[0])
    if len(given) > 2 or low is None or not all(bound is None or hasattr(bound, "__index__") for bound in given):
        raise TypeError(f"random_() takes (), (to) or (low, to), as ints; got {given}")
    return _filled_by(input, "random_", generator, MT19937Stream.integers, low, high, dtype)


@method()
def bernoulli_(input: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with ones with probability ``p``, and zeros.

    Args:
        input: the tensor to fill, of any dtype.
        p: a number, or a floating tensor that broadcasts to ``input``.
        generator: where the numbers come from; the default generator if None.

    Raises:
        RuntimeError: a probability outside [0, 1].
        NotImplementedError: a tensor of probabilities that is not floating.
    """
    if not isinstance(p, Tensor):
        probability = float(as_real_scalar(p, "bernoulli_"))
        return _filled_by(input, "bernoulli_", generator, MT19937Stream.bernoulli, probability)
    flat = probabilities_in_order(p, input._sizes(), order_in_pytorch(input))
    return _filled_by(input, "bernoulli_", generator, bernoulli_of_each, flat)


def probabilities_in_order(p: Tensor, shape: Shape, order: tuple[int, ...]) -> np.ndarray:
    """The elements of ``p``, which broadcasts to ``shape``, with its dimensions in this order, flat."""
    source = p.detach()
    if source._sizes() != shape:
        source = Tensor.from_node(broadcast_node(source.node(), shape))
    return source.array().transpose(order).reshape(-1)


def bernoulli_of_each(stream: MT19937Stream, n: int, probabilities: np.ndarray) -> np.ndarray:
    """``n`` draws, each with the next of some probabilities, which are repeated as often as there are examples."""
    repeats = n // max(probabilities.size, 1)
    return stream.bernoulli(n, probabilities if repeats == 1 else np.tile(probabilities, repeats))
