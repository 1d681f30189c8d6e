"""Initial values that are not drawn element by element: identities, orthogonal and sparse matrices."""

from __future__ import annotations

import math

from lazygrad.grad_mode import no_grad
from lazygrad.linalg import qr
from lazygrad.ops.creation.from_data import tensor as tensor_of
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.random.generator import Generator
from lazygrad.ops.random.tensors import randperm
from lazygrad.ops.shapes.joining import cat
from lazygrad.tensor import Tensor


def eye_(tensor: Tensor) -> Tensor:
    """Sets a matrix to the identity, ones on its diagonal; ValueError for other ranks."""
    _require_matrix(tensor)
    rows, columns = tensor.shape
    with no_grad():
        return tensor.copy_(eye(rows, columns, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Sets a convolution's weight so that it passes on as many channels as it can, unchanged.

    Args:
        tensor: shape (out, in, *kernel), with one to three kernel sizes.
        groups: each group of output channels gets the first input channels.

    Raises:
        ValueError: another rank, or output channels that cannot be divided into groups.
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    outputs, inputs, *kernel = tensor.shape
    if outputs % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    size = outputs // groups
    passed = range(min(size, inputs))
    rows = [group * size + channel for group in range(groups) for channel in passed]
    columns = [channel for _ in range(groups) for channel in passed]
    with no_grad():
        tensor.zero_()
        if rows:
            tensor[(tensor_of(rows), tensor_of(columns), *(extent // 2 for extent in kernel))] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Sets a matrix to a random one with orthonormal rows or columns, times ``gain``.

    Source: Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural
    networks", 2013; signs: Mezzadri, "How to generate random matrices from the classical compact groups", 2006.

    Args:
        tensor: two dimensions or more; all but the first count as one.
        gain: factor.
        generator: the random numbers' source, the default one when left out.

    Raises:
        ValueError: fewer than two dimensions.
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.shape[0]
    columns = tensor.numel() // rows
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        orthonormal, triangular = qr(drawn.t() if rows < columns else drawn)
        orthonormal = orthonormal * triangular.diagonal().sign()
        orthonormal = orthonormal.t() if rows < columns else orthonormal
        return tensor.copy_(orthonormal.reshape(tensor.shape) * gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Draws from the normal distribution, and sets a share of each column to 0.

    Source: Martens, "Deep learning via Hessian-free optimization", 2010.

    Args:
        tensor: a matrix.
        sparsity: the share.
        std: standard deviation of the others.
        generator: of the numbers; which of them are 0 the default one decides.

    Raises:
        ValueError: no matrix.
    """
    _require_matrix(tensor)
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        chosen = [randperm(rows)[:zeros] for _ in range(columns)]
        if columns:
            tensor[cat(chosen), tensor_of([column for column in range(columns) for _ in range(len(chosen[0]))])] = 0
    return tensor


def _require_matrix(tensor: Tensor) -> None:
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
