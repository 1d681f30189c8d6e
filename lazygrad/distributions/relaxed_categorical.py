"""Relaxed categorical distributions, of one-hot vectors and of their logarithms."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.probabilities import OfCategorical
from lazygrad.distributions.transformed_distribution import TransformedDistribution
from lazygrad.distributions.transforms import ExpTransform
from lazygrad.distributions.utils import broadcast_all, clamp_probs, parameter_of
from lazygrad.ops.creation.like import full_like
from lazygrad.ops.random.tensors import rand
from lazygrad.tensor import Tensor

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OfCategorical):
    """The distribution of the logarithms of `RelaxedOneHotCategorical` samples.

    Args:
        temperature: positive.
        probs: weights of the events along the last dimension; they are divided by their sum.
        logits: their logarithms, instead, which need not be normalized.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: see `Categorical`.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniforms = clamp_probs(rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbels = -(-uniforms.log()).log()
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        events = self._categorical._num_events
        value = self._checked_sample(value)
        logits, value = broadcast_all(self.logits, value)
        log_scale = full_like(self.temperature, float(events)).lgamma() + self.temperature.log() * (events - 1)
        score = logits - value * self.temperature
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """A distribution on the simplex that nears that of one-hot vectors as ``temperature`` nears 0, with gradients.

    Sources: Maddison, Mnih and Teh, "The concrete distribution"; Jang, Gu and Poole, "Categorical reparameterization
    with Gumbel-softmax"; both ICLR 2017.

    Args:
        temperature: positive.
        probs: weights of the events along the last dimension; they are divided by their sum.
        logits: their logarithms, instead, which need not be normalized.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: see `Categorical`.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    temperature = parameter_of("base_dist", "temperature")
    logits = parameter_of("base_dist", "logits")
    probs = parameter_of("base_dist", "probs")

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
