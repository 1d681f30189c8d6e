"""Categorical distributions of one-hot vectors."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.probabilities import OfCategorical
from lazygrad.ops.creation.ranges import eye
from lazygrad.ops.indexing.masking import one_hot
from lazygrad.tensor import Tensor

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(OfCategorical):
    """A `Categorical` whose samples are one-hot vectors.

    Args:
        probs: weights of the events along the last dimension; they are divided by their sum.
        logits: their logarithms, instead, which need not be normalized.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: see `Categorical`.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return one_hot(self._categorical.sample(sample_shape), self._categorical._num_events).to(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A `OneHotCategorical` whose samples have the gradients of the probabilities.

    Source: Bengio, Léonard and Courville, "Estimating or propagating gradients through stochastic neurons for
    conditional computation", 2013.
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
