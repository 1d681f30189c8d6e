"""The von Mises distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import broadcast_all, lazy_property
from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import bool_
from lazygrad.ops.creation.filled import zeros
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import rand
from lazygrad.tensor import Tensor

__all__ = ["VonMises"]

# Abramowitz and Stegun, Handbook of Mathematical Functions, 9.8.1 to 9.8.4: I₀ and I₁/x in (x / 3.75)² below 3.75, and
# √x e^−x times each in 3.75 / x above.
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411),
)
_LARGE = (
    (0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633, 0.00392377),
    (0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312, 0.01787654, -0.00420059),
)


def _polynomial(coefficients: Sequence[float], x: Tensor) -> Tensor:
    result = coefficients[-2] + x * coefficients[-1]
    for coefficient in reversed(coefficients[:-2]):
        result = coefficient + x * result
    return result


def _log_modified_bessel_fn(x: Tensor, order: int = 0) -> Tensor:
    """log I₀ or log I₁ of positive numbers."""
    small = _polynomial(_SMALL[order], (x / 3.75) ** 2)
    if order == 1:
        small = x.abs() * small
    large = x - 0.5 * x.log() + _polynomial(_LARGE[order], 3.75 / x).log()
    return where(x < 3.75, small.log(), large)


class VonMises(Distribution):
    """The distribution of angles of density ∝ exp(concentration · cos(x − loc)).

    Args:
        loc: an angle.
        concentration: positive.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: ``loc`` is NaN, or ``concentration`` not positive.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Tensor, concentration: Tensor, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """1 − I₁(concentration) / I₀(concentration), the circular variance."""
        kappa = self.concentration
        return 1 - (_log_modified_bessel_fn(kappa, order=1) - _log_modified_bessel_fn(kappa, order=0)).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        log_prob = self.concentration * (value - self.loc).cos()
        return log_prob - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration, order=0)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples drawn in float64, from a wrapped Cauchy distribution of which some are rejected.

        Source: Best and Fisher, "Efficient simulation of the von Mises distribution", Applied Statistics 28, 1979.
        """
        shape = self._extended_shape(sample_shape)
        with no_grad():
            loc, kappa = self.loc.double(), self.concentration.double()
            proposal = _proposal(kappa)
            x = zeros(shape, dtype=loc.dtype, device=loc.device)
            done = zeros(shape, dtype=bool_, device=loc.device)
            while not done.all():
                u1, u2, u3 = rand((3, *shape), dtype=loc.dtype, device=loc.device).unbind()
                z = (math.pi * u1).cos()
                f = (1 + proposal * z) / (proposal + z)
                c = kappa * (proposal - f)
                accepted = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = where(accepted, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accepted
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)


def _proposal(kappa: Tensor) -> Tensor:
    tau = 1 + (1 + 4 * kappa**2).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
    return where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
