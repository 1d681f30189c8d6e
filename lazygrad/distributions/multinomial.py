"""The multinomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, lgamma

from lazygrad.distributions import constraints
from lazygrad.distributions.binomial import Binomial
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.probabilities import OfCategorical
from lazygrad.distributions.utils import as_size, broadcast_all
from lazygrad.ops.creation.like import ones_like
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor

__all__ = ["Multinomial"]


class Multinomial(OfCategorical):
    """How often each event happens in ``total_count`` draws from a `Categorical`.

    Args:
        total_count: the number of draws, one for the whole batch.
        probs: weights of the events along the last dimension; they are divided by their sum.
        logits: their logarithms, instead, which need not be normalized.
        validate_args: whether to check parameters and samples.

    Raises:
        NotImplementedError: ``total_count`` is a tensor.
        ValueError: see `Categorical`.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> constraints.Constraint:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = as_size(sample_shape)
        draws = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = draws.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add(-1, draws, ones_like(draws)).type_as(self.probs)

    def entropy(self) -> Tensor:
        support = self._binomial.enumerate_support(expand=False)[1:]
        weights = (support + 1).lgamma()
        arrangements = (self._binomial.log_prob(support).exp() * weights).sum([0, -1])
        return self.total_count * self._categorical.entropy() - lgamma(self.total_count + 1) + arrangements

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = where((value == 0) & (logits == -inf), 0.0, logits)
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + (logits * value).sum(-1)
