"""The negative binomial distribution."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.gamma import Gamma
from lazygrad.distributions.probabilities import ProbabilitiesOrLogits
from lazygrad.distributions.utils import lazy_property
from lazygrad.grad_mode import no_grad
from lazygrad.ops.layers.smooth_activations import logsigmoid
from lazygrad.ops.random.sampling import poisson
from lazygrad.tensor import Tensor

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbabilitiesOrLogits):
    """How many trials succeed before ``total_count`` of them have failed.

    Args:
        total_count: not negative; it need not be whole.
        probs: the probability of success.
        logits: its log odds, instead.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none; a negative count, a probability outside [0, 1).
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Gamma:
        # What is checked above may be 0 here, which a gamma distribution that checks would refuse.
        return Gamma(concentration=self.total_count, rate=(-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        unnormalized = self.total_count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        total = self.total_count + value
        normalizer = -total.lgamma() + (1.0 + value).lgamma() + self.total_count.lgamma()
        return unnormalized - normalizer.masked_fill(total == 0.0, 0.0)
