"""``lazygrad.quasirandom``: points that fill a cube more evenly than random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import qmc

from lazygrad.ir.dtype import DType, float32, float64, int64
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.creation.from_data import tensor
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.objects.conversion import to
from lazygrad.ops.pointwise.arithmetic import mul
from lazygrad.ops.pointwise.bitwise import bitwise_and, bitwise_right_shift, bitwise_xor
from lazygrad.ops.random.generator import Generator
from lazygrad.ops.random.tensors import randint
from lazygrad.ops.shapes.reshaping import expand, unsqueeze
from lazygrad.tensor import Tensor

__all__ = ["SobolEngine"]


class SobolEngine:
    """Draws the points of a Sobol sequence in [0, 1)ᵈ, plain or scrambled; PyTorch's points for the same seed.

    Point n is the exclusive or of the direction numbers that the bits of n's Gray code choose. The direction numbers
    are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections" (SIAM
    Journal on Scientific Computing 30, 2008), which scipy ships. Scrambling multiplies their bits by random lower
    triangular matrices and shifts all points (J. Matoušek, "On the L2-discrepancy for anchored boxes", 1998).

    Args:
        dimension: d, from 1 to 21201.
        scramble: whether the points are scrambled.
        seed: of the scrambling; from the default generator if None.

    Attributes:
        num_generated: how many points were drawn or skipped.

    Raises:
        ValueError: a dimension out of range.
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"SobolEngine supports dimensions from 1 to {self.MAXDIM}, not {dimension}")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        directions = _direction_numbers(dimension, self.MAXBIT)
        shift = np.zeros(dimension, np.int64)
        if scramble:
            directions, shift = self._scrambled(directions)
        self._directions = tensor(directions)  # (bits, dimension)
        self.shift = tensor(shift)
        self.num_generated = 0

    def _scrambled(self, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        bits = self.MAXBIT
        shift = randint(2, (self.dimension, bits), generator=generator).numpy() @ (1 << np.arange(bits))
        matrices = np.tril(randint(2, (self.dimension, bits, bits), generator=generator).numpy(), -1) + np.eye(bits)
        places = np.arange(bits)[::-1]  # the most significant bit comes first
        digits = (directions[..., None] >> places) & 1
        mixed = np.einsum("dpq,jdq->jdp", matrices, digits).astype(np.int64) % 2
        return (mixed << places).sum(-1), shift

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next ``n`` points, shape (n, dimension), in the default dtype unless ``dtype`` is given.

        Raises:
            NotImplementedError: a dtype other than float32 and float64, which cannot tell the points apart.
        """
        wanted = dtype or get_default_dtype()
        if wanted not in (float32, float64):
            raise NotImplementedError(f"SobolEngine draws in float32 and float64, not {wanted.name}; cast the points")
        place = arange(self.num_generated, self.num_generated + n, dtype=int64)
        gray = unsqueeze(bitwise_xor(place, bitwise_right_shift(place, 1)), 1)
        points = expand(self.shift, (n, self.dimension))
        for bit in range((self.num_generated + n - 1).bit_length() if n else 0):
            chosen = bitwise_and(bitwise_right_shift(gray, bit), 1)
            points = bitwise_xor(points, mul(chosen, self._directions[bit]))
        self.num_generated += n
        result = mul(to(points, wanted), 2.0**-self.MAXBIT)
        if out is None:
            return result
        filled: Tensor = out.resize_(result.shape).copy_(result)
        return filled

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next 2ᵐ points.

        Raises:
            ValueError: the points drawn until then would not be a power of two in number, which the sequence's
                evenness asks for.
        """
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2, but {self.num_generated} "
                f"points have been generated and 2**{m} more make {total}; use draw() if that does not matter"
            )
        return self.draw(2**m, out, dtype)

    def reset(self) -> SobolEngine:
        """Return to the first point."""
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skip ``n`` points."""
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        facts = [f"dimension={self.dimension}"]
        if self.scramble:
            facts.append("scramble=True")
        if self.seed is not None:
            facts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(facts)})"


def _direction_numbers(dimension: int, bits: int) -> np.ndarray:
    """int64, shape (bits, dimension)."""
    engine: Any = qmc.Sobol(dimension, scramble=False, bits=bits)
    return np.asarray(engine._sv, np.int64).T.copy()
