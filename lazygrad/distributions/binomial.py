"""The binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.probabilities import ProbabilitiesOrLogits, enumerated
from lazygrad.grad_mode import no_grad
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.random.sampling import binomial
from lazygrad.tensor import Tensor

__all__ = ["Binomial"]


class Binomial(ProbabilitiesOrLogits):
    """How many of ``total_count`` trials succeed.

    Args:
        total_count: a number of trials for each batch element.
        probs: the probability of success.
        logits: its log odds, instead.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none; a count that is no whole number, a probability outside [0, 1].
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        count = self.total_count
        choices = (count + 1).lgamma() - (value + 1).lgamma() - (count - value + 1).lgamma()
        # count · log(1 + exp(logits)), of which the gradient at 0 is a half of count.
        at_least_zero = (self.logits.clamp(min=0) + self.logits - self.logits.clamp(max=0)) / 2
        normalizer = count * at_least_zero + count * (-self.logits.abs()).exp().log1p()
        return value * self.logits + choices - normalizer

    def entropy(self) -> Tensor:
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        total_count = int(self.total_count.max())
        if self.total_count.min() != total_count:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = arange(1 + total_count, dtype=self._param.dtype, device=self._param.device)
        return enumerated(values, self._batch_shape, expand)
