"""Relaxed Bernoulli distributions, on the reals and on (0, 1)."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.probabilities import ProbabilitiesOrLogits
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import SigmoidTransform
from lazygrad.distributions.utils import Number, broadcast_all, clamp_probs, parameter_of
from lazygrad.ops.random.tensors import rand
from lazygrad.tensor import Tensor

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ProbabilitiesOrLogits):
    """The distribution of the log odds of `RelaxedBernoulli` samples.

    Args:
        temperature: positive.
        probs: the probability of 1.
        logits: its log odds, instead.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none; a probability outside [0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniforms = clamp_probs(rand(shape, dtype=probs.dtype, device=probs.device))
        noise = uniforms.log() - (-uniforms).log1p()
        return (noise + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value * self.temperature
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A distribution on (0, 1) that nears the Bernoulli one as ``temperature`` nears 0, with gradients.

    Source: Maddison, Mnih and Teh, "The concrete distribution", ICLR 2017.

    Args:
        temperature: positive.
        probs: the probability of 1.
        logits: its log odds, instead.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none; a probability outside [0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    temperature = parameter_of("base_dist", "temperature")
    logits = parameter_of("base_dist", "logits")
    probs = parameter_of("base_dist", "probs")

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)
