"""Random tensors: rand, randn, randint, randperm, normal, bernoulli; the numbers PyTorch draws on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Unpack

import numpy as np

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import Category, int64
from lazygrad.ir.shape import Shape, broadcast_shapes
from lazygrad.ops.arguments.creation_options import Chosen, LikeOptions, TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.kinds import Sizes
from lazygrad.ops.arguments.operands import as_real_scalar
from lazygrad.ops.arguments.options import require_numbers, shape_option
from lazygrad.ops.arguments.out import accepts_out, creates_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.filled import filled_in_order
from lazygrad.ops.creation.like import like_options
from lazygrad.ops.pointwise.arithmetic import add, mul
from lazygrad.ops.random.drawn import drawn
from lazygrad.ops.random.filling import (
    bernoulli_,
    bernoulli_of_each,
    normal_,
    probabilities_in_order,
    random_,
    uniform_,
    without_gradient_to,
)
from lazygrad.ops.random.generator import Generator, stream_of
from lazygrad.runtime.random_dtypes import FLOAT_FORMATS
from lazygrad.runtime.random_streams import MT19937Stream
from lazygrad.tensor import Tensor

__all__ = ["rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal", "bernoulli"]


def _target(shape: Shape, made: Chosen, axes: tuple[int, ...] | None = None) -> Tensor:
    """A tensor that a random fill is about to overwrite: a write that the user does not see."""
    target = filled_in_order(shape, axes or tuple(range(len(shape))), 0, made.dtype, made.device)
    target._storage.unseen_writes = 1
    return target


def _drawn(
    shape: Shape, made: Chosen, generator: Generator | None, function: Callable[..., Any], *arguments: Any
) -> Tensor:
    """A tensor of real numbers that ``function(stream, n, *arguments, dtype)`` draws; nothing is filled first.

    A tensor without memory takes none of the stream's numbers.
    """
    if not made.device.computes:
        return made.finished(_target(shape, made))
    dtype = to_numpy(made.dtype)
    order = tuple(range(len(shape)))
    node = drawn(stream_of(generator), function, (*arguments, dtype), dtype, shape, order, made.device)
    return made.finished(Tensor.from_node(node))


def _drawn_like(
    name: str,
    input: Tensor,
    options: LikeOptions,
    generator: Generator | None,
    function: Callable[..., Any],
    fill: Callable[..., Tensor],
    *arguments: Any,
) -> Tensor:
    """A tensor like ``input`` of what ``function(stream, n, *arguments, dtype)`` draws.

    Random numbers follow the order of axes in memory. ``fill``, which writes the same numbers into a tensor, serves
    orders other than the row-major one, and complex numbers.
    """
    made, axes = like_options(name, input, options, to_draw=True)
    shape = tuple(input.shape)
    if axes == tuple(range(len(shape))) and not made.dtype.is_complex:
        return _drawn(shape, made, generator, function, *arguments)
    return made.finished(fill(_target(shape, made, axes), *arguments, generator=generator))


@creates_out
@takes_options(TensorOptions)
def rand(
    *sizes: Sizes,
    size: Sizes | None = None,
    generator: Generator | None = None,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """Uniform numbers from [0, 1); the size as separate ints or one sequence.

    Raises:
        NotImplementedError: not a floating dtype.
    """
    shape, made = shape_option("rand", sizes, size), chosen("rand", options)
    if not made.dtype.is_complex:
        return _drawn(shape, made, generator, MT19937Stream.uniform, 0, 1)
    return made.finished(uniform_(_target(shape, made), generator=generator))


@creates_out
@takes_options(TensorOptions)
def randn(
    *sizes: Sizes,
    size: Sizes | None = None,
    generator: Generator | None = None,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """Standard normal numbers; the size as separate ints or one sequence.

    Raises:
        NotImplementedError: not a floating dtype.
    """
    shape, made = shape_option("randn", sizes, size), chosen("randn", options)
    if not made.dtype.is_complex:
        return _drawn(shape, made, generator, MT19937Stream.normal, 0, 1)
    return made.finished(normal_(_target(shape, made), generator=generator))


@creates_out
@takes_options(TensorOptions)
def randint(
    *bounds: Any,
    low: int | None = None,
    high: int | None = None,
    size: Sizes | None = None,
    generator: Generator | None = None,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """Integers from [low, high): ``randint(high, size)`` or ``randint(low, high, size)``.

    Raises:
        TypeError: missing or misplaced arguments.
        RuntimeError: an empty range, or one that ``dtype`` (int64 by default) cannot hold.
    """
    first, last, shape = _integer_bounds(bounds, low, high, size)
    made = chosen("randint", options, int64)
    return _drawn(shape_option("randint", (shape,), None), made, generator, MT19937Stream.integers, first, last)


def _integer_bounds(bounds: tuple[Any, ...], low: Any, high: Any, size: Any) -> tuple[int, int, Any]:
    given = list(bounds)
    if size is None and given:
        size = given.pop()
    if high is None and given:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    if given or high is None or isinstance(size, int) or size is None:
        raise TypeError("randint() takes (high, size) or (low, high, size), with the size as a tuple of ints")
    for bound in (low, high):
        if not hasattr(bound, "__index__"):
            raise TypeError(f"randint(): bounds must be int, not {type(bound).__name__}")
    return low.__index__(), high.__index__(), size


@creates_out
@takes_options(TensorOptions)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """The integers 0 … n-1 in random order, int64 unless ``dtype`` says otherwise.

    Raises:
        RuntimeError: ``n`` is negative, or too large for ``dtype``.
    """
    if not hasattr(n, "__index__"):
        raise TypeError(f"randperm(): argument 'n' must be int, not {type(n).__name__}")
    made = chosen("randperm", options, int64)
    wanted = made.dtype
    require_numbers(wanted, "randperm")
    count = n.__index__()
    stored = to_numpy(wanted)
    if count > _largest_counted(stored) + 1:
        raise RuntimeError(f"randperm: {wanted.name} cannot hold all integers below {count}")
    if not made.device.computes:
        return made.finished(_target((count,), made))
    node = drawn(stream_of(generator), _permutations, (count,), stored, (count,), (0,), made.device)
    return made.finished(Tensor.from_node(node))


@cache
def _largest_counted(dtype: np.dtype[Any]) -> int:
    """Up to which integer a dtype holds all."""
    return 2 ** FLOAT_FORMATS[dtype].digits if dtype in FLOAT_FORMATS else int(np.iinfo(dtype).max)


def _permutations(stream: MT19937Stream, n: int, count: int) -> np.ndarray:
    """``n`` numbers: permutations of ``count`` in a row."""
    if n == count:
        return stream.permutation(count)
    return np.concatenate([stream.permutation(count) for _ in range(n // count)]) if n else np.empty(0, np.int64)


@takes_options(LikeOptions)
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    **options: Unpack[LikeOptions],
) -> Tensor:
    """Uniform numbers from [0, 1) in ``input``'s shape, dtype and device unless others are given."""
    return _drawn_like("rand_like", input, options, generator, MT19937Stream.uniform, uniform_, 0, 1)


@takes_options(LikeOptions)
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    **options: Unpack[LikeOptions],
) -> Tensor:
    """Standard normal numbers in ``input``'s shape, dtype and device unless others are given."""
    return _drawn_like("randn_like", input, options, generator, MT19937Stream.normal, normal_, 0, 1)


@takes_options(LikeOptions)
def randint_like(
    input: Tensor,
    *bounds: Any,
    low: int | None = None,
    high: int | None = None,
    generator: Generator | None = None,
    **options: Unpack[LikeOptions],
) -> Tensor:
    """Integers from [low, high), called with ``high`` or ``low, high``, in ``input``'s shape, dtype and device."""
    first, last, _ = _integer_bounds(bounds, low, high, tuple(input.shape))
    return _drawn_like("randint_like", input, options, generator, MT19937Stream.integers, random_, first, last)


@accepts_out
@takes_options(TensorOptions)
def normal(
    mean: float | Tensor = 0.0,
    std: float | Tensor = 1.0,
    size: Sizes | None = None,
    *,
    generator: Generator | None = None,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """Normally distributed numbers; the gradients of ``mean`` and ``std`` are zero.

    Args:
        mean: a number, or a tensor with one mean per number drawn.
        std: a number, or a tensor that broadcasts with ``mean``.
        size: the shape, given if and only if ``mean`` and ``std`` are numbers.
        generator: where the numbers come from; the default generator if None.
        options: see `TensorOptions`; only where ``size`` is given.

    Raises:
        TypeError: numbers without a size.
        RuntimeError: a standard deviation that is negative or complex.
    """
    if size is not None:
        mean, std = as_real_scalar(mean, "normal"), as_real_scalar(std, "normal")
    like = mean if isinstance(mean, Tensor) else std
    if not isinstance(like, Tensor):
        if size is None:
            raise TypeError("normal() of two numbers needs a size")
        made = chosen("normal", options)
        shape = shape_option("normal", (size,), None)
        moments = as_real_scalar(mean, "normal"), as_real_scalar(std, "normal")
        if not made.dtype.is_complex:
            return _drawn(shape, made, generator, MT19937Stream.normal, *moments)
        return made.finished(normal_(_target(shape, made), *moments, generator=generator))
    shapes = [tuple(operand.shape) for operand in (mean, std) if isinstance(operand, Tensor)]
    shape, made = broadcast_shapes("normal", *shapes), chosen("normal", options, like=like)
    if isinstance(std, Tensor):
        _check_deviations(std)
    deviation = 1 if isinstance(std, Tensor) else as_real_scalar(std, "normal")
    if made.dtype.is_complex:
        drawn = normal_(_target(shape, made), 0, deviation, generator=generator)
    else:
        drawn = _drawn(shape, made, generator, MT19937Stream.normal, 0, deviation)
    if isinstance(std, Tensor):
        drawn = mul(drawn, std.detach())
    drawn = add(drawn, mean.detach() if isinstance(mean, Tensor) else mean)
    for parameter in (mean, std):
        if isinstance(parameter, Tensor):
            drawn = without_gradient_to(parameter, drawn)
    return drawn


def _check_deviations(std: Tensor) -> None:
    if std.dtype.is_complex:
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.device.computes and bool((std.detach().array() < 0).any()):
        raise RuntimeError("normal expects all elements of std >= 0.0")


@accepts_out
@method()
def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """Ones with the probabilities in ``input`` (or ``p`` everywhere), and zeros, in ``input``'s dtype.

    The gradient of ``input`` is zero.

    Raises:
        RuntimeError: a probability outside [0, 1].
        NotImplementedError: probabilities that are not floating.
    """
    made, axes = like_options("bernoulli", input, {})
    if p is None and input.dtype.category is not Category.FLOAT:
        raise NotImplementedError(f"bernoulli takes floating probabilities, not {input.dtype.name}")
    shape = input._sizes()
    if p is None and made.device is CPU and axes == tuple(range(len(shape))):
        flat, dtype = probabilities_in_order(input, shape, axes), to_numpy(made.dtype)
        node = drawn(stream_of(generator), bernoulli_of_each, (flat,), dtype, shape, axes, CPU)
        return without_gradient_to(input, Tensor.from_node(node))
    result = _target(shape, made, axes)
    return without_gradient_to(input, bernoulli_(result, input if p is None else p, generator=generator))
