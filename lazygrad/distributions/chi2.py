"""The χ² distribution."""

from __future__ import annotations

from lazygrad.distributions import constraints
from lazygrad.distributions.gamma import Gamma
from lazygrad.tensor import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The distribution of a sum of squares of ``df`` standard normal numbers: a gamma distribution.

    Args:
        df: degrees of freedom, positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``df`` is not positive.
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def _attributes(self) -> dict[str, constraints.Constraint]:
        return Gamma.arg_constraints

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2

    @df.setter
    def df(self, value: Tensor) -> None:
        self.concentration = value * 0.5
