"""The Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from lazygrad.distributions import constraints
from lazygrad.distributions.exp_family import ExponentialFamily
from lazygrad.distributions.probabilities import ProbabilitiesOrLogits, enumerated
from lazygrad.distributions.utils import Number, broadcast_all
from lazygrad.grad_mode import no_grad
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.loss.probability import binary_cross_entropy_with_logits
from lazygrad.ops.pointwise.selection import where
from lazygrad.ops.random.tensors import bernoulli
from lazygrad.tensor import Tensor

__all__ = ["Bernoulli"]


class Bernoulli(ProbabilitiesOrLogits, ExponentialFamily):
    """1 with probability ``probs``, otherwise 0.

    Args:
        probs: probabilities of 1.
        logits: their log odds, instead.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none; a probability outside [0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return where(self.probs == 0.5, nan, (self.probs >= 0.5).to(self.probs))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(2, dtype=self._param.dtype, device=self._param.device)
        return enumerated(values, self._batch_shape, expand)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.probs.logit(),)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return natural_params[0].exp().log1p()
