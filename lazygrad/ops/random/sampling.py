"""Random numbers whose distribution other tensors say: multinomial, poisson, binomial. Drawn at once, on the host."""

from __future__ import annotations

from math import inf

import numpy as np

from lazygrad.ir.dtype import Category, float32, float64
from lazygrad.ops.arguments.operands import tensor_argument
from lazygrad.ops.arguments.options import placed
from lazygrad.ops.arguments.out import accepts_out_of_its_dtype
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.creation.like import empty_like
from lazygrad.ops.pointwise.division import div
from lazygrad.ops.random.filling import exponential_, without_gradient_to
from lazygrad.ops.random.generator import Generator, stream_of
from lazygrad.ops.reductions.sorting import topk
from lazygrad.ops.shapes.reshaping import broadcast_tensors
from lazygrad.runtime import random_rejection
from lazygrad.runtime.random_distributions import choices, exponential
from lazygrad.tensor import Tensor

__all__ = ["multinomial", "poisson", "binomial"]


@accepts_out_of_its_dtype
@method()
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Column numbers drawn with the weights in each row; PyTorch's numbers for the same seed.

    Args:
        input: weights, shape (columns,) or (rows, columns), floating; they need not sum to one.
        num_samples: how many of each row.
        replacement: whether a column may be drawn again.
        generator: where the numbers come from; the default generator if None.

    Returns:
        int64, shape (num_samples,) or (rows, num_samples).

    Raises:
        RuntimeError: weights that are negative, not finite, not floating or all zero; another number of dimensions;
            fewer columns than are to be drawn without replacement; no samples.
    """
    _check_weights(input, num_samples, replacement)
    weights = input.detach()
    if replacement and num_samples > 1:
        shape = tuple(input.shape)
        drawn = choices(stream_of(generator), weights.array().reshape(-1, shape[-1]), num_samples)
        return placed(drawn.reshape((*shape[:-1], num_samples)), input.device)
    # Of exponential waiting times, each divided by its weight, the shortest belong to a sample without replacement.
    if num_samples == 1 and weights.dtype in (float32, float64) and weights.is_contiguous():
        array = weights.array()  # as policies draw actions: no plan is worth it
        times = exponential(stream_of(generator), array.size, 1, array.dtype).reshape(array.shape)
        return placed((array / times).argmax(-1, keepdims=True), input.device)
    waiting = exponential_(empty_like(weights), generator=generator)
    found: Tensor = topk(div(weights, waiting), num_samples, -1)[1]
    return found


def _check_weights(input: Tensor, num_samples: int, replacement: bool) -> None:
    if tensor_argument(input, "multinomial").dtype.category is not Category.FLOAT:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.name}")
    if input.ndim not in (1, 2):
        raise RuntimeError(f"multinomial: prob_dist must be 1 or 2 dim, not {input.ndim}")
    if num_samples <= 0:
        raise RuntimeError(f"multinomial: cannot sample n_sample <= 0 samples, got {num_samples}")
    if not replacement and num_samples > input.shape[-1]:
        raise RuntimeError("multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
                           f"{num_samples} > {input.shape[-1]}")  # fmt: skip
    weights = input.detach().array()
    totals = np.add.reduce(weights, -1)
    if weights.size and not (np.minimum.reduce(weights, None) >= 0 and np.maximum.reduce(weights, None) < inf):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if totals.size and not np.minimum.reduce(totals, None) > 0:
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """A Poisson number for each rate in ``input``, in its shape and dtype, whose gradient is zero.

    Raises:
        RuntimeError: a negative rate.
        NotImplementedError: not a floating dtype.
    """
    if tensor_argument(input, "poisson").dtype.category is not Category.FLOAT:
        raise NotImplementedError(f"poisson takes floating rates, not {input.dtype.name}")
    rates = input.detach().array()
    drawn = random_rejection.poisson(stream_of(generator), rates.reshape(-1))
    return without_gradient_to(input, placed(drawn.reshape(rates.shape), input.device))


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of ``count`` trials succeed with probability ``prob``, broadcast; no gradient flows from it.

    Args:
        count: whole numbers, of a floating dtype.
        prob: of the same dtype.
        generator: where the numbers come from; the default generator if None.

    Raises:
        ValueError: a dtype that is not floating.
        RuntimeError: different dtypes, or shapes that do not broadcast.
    """
    for name, operand in (("count", count), ("prob", prob)):
        if tensor_argument(operand, "binomial", name).dtype.category is not Category.FLOAT:
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {operand.dtype.name}")
    if count.dtype is not prob.dtype:
        raise RuntimeError(f"binomial: found dtype {prob.dtype.name} but expected {count.dtype.name}")
    counts, probabilities = (operand.detach().array() for operand in broadcast_tensors(count, prob))
    drawn = random_rejection.binomial(stream_of(generator), counts.reshape(-1), probabilities.reshape(-1))
    return placed(drawn.reshape(counts.shape), count.device)
