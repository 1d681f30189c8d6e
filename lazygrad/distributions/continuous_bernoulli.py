"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.probabilities import ProbabilitiesOrLogits
from lazygrad.distributions.utils import Number, broadcast_all, clamp_probs, lazy_property, logits_to_probs
from lazygrad.distributions.validation import checked
from lazygrad.grad_mode import no_grad
from lazygrad.ops.creation.like import ones_like, zeros_like
from lazygrad.ops.loss.probability import binary_cross_entropy_with_logits
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import rand
from lazygrad.tensor import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbabilitiesOrLogits, ExponentialFamily):
    """The distribution on [0, 1] of density ∝ probs^x (1 − probs)^(1 − x).

    Source: Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational
    autoencoders", NeurIPS 2019. Near probs = ½ the formulas divide zero by zero; there stand their Taylor series.

    Args:
        probs: the parameter, in [0, 1]. It is not the mean.
        logits: its log odds, instead.
        lims: between which values of ``probs`` the series stand.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none; ``probs`` outside [0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True

    def __init__(
        self,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        self._lims = lims
        if probs is not None:
            # As in PyTorch, what is outside [0, 1] is moved inside unless the caller asks for checks.
            given = checked(self.probs, constraints.unit_interval, _complaint) if validate_args else self.probs
            self.__dict__["probs"] = clamp_probs(given)
        super().__init__(self._param.shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        """The parameter, strictly between 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _is_stable(self) -> Tensor:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Tensor:
        """The parameter, and one for which the formulas hold where they do not for it."""
        return where(self._is_stable(), self.probs, self._lims[0] * ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Tensor:
        """The logarithm of the factor that makes the density integrate to 1."""
        cut = self._cut_probs()
        below = where(cut <= 0.5, cut, zeros_like(cut))
        above = where(cut >= 0.5, cut, ones_like(cut))
        log_denominator = where(cut <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log())
        log_norm = ((-cut).log1p() - cut.log()).abs().log() - log_denominator
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return where(self._is_stable(), log_norm, taylor)

    @property
    def mean(self) -> Tensor:
        cut = self._cut_probs()
        means = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        return where(self._is_stable(), means, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def variance(self) -> Tensor:
        cut = self._cut_probs()
        variances = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        return where(self._is_stable(), variances, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        cut = self._cut_probs()
        powers = cut.pow(value) * (1.0 - cut).pow(1.0 - value)
        inside = where(self._is_stable(), (powers + cut - 1.0) / (2.0 * cut - 1.0), value)
        return where(value <= 0.0, zeros_like(value), where(value >= 1.0, ones_like(value), inside))

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut_probs()
        numerator = (-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()
        return where(self._is_stable(), numerator / (cut.log() - (-cut).log1p()), value)

    def entropy(self) -> Tensor:
        log_zero, log_one = (-self.probs).log1p(), self.probs.log()
        return self.mean * (log_zero - log_one) - self._cont_bern_log_norm() - log_zero

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        low, high = (limit - 0.5 for limit in self._lims)
        is_stable = (x <= low) | (x > high)
        cut = where(is_stable, x, low * ones_like(x))
        taylor = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return where(is_stable, cut.expm1().abs().log() - cut.abs().log(), taylor)


def _complaint(shapes_only: bool) -> str:
    return "The parameter probs has invalid values: "
