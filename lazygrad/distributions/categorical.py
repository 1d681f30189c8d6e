"""The categorical distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from lazygrad.distributions import constraints
from lazygrad.distributions.probabilities import ProbabilitiesOrLogits, enumerated, given_parameter
from lazygrad.distributions.utils import as_size
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.filled import full
from lazygrad.ops.creation.ranges import arange
from lazygrad.ops.random.sampling import multinomial
from lazygrad.ops.shapes.reshaping import broadcast_tensors
from lazygrad.tensor import Tensor

__all__ = ["Categorical"]


class Categorical(ProbabilitiesOrLogits):
    """One of several events, by its number.

    Args:
        probs: weights of the events along the last dimension; they are divided by their sum.
        logits: their logarithms, instead, which need not be normalized.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none, one without dimensions, a negative weight.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _is_binary = False

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._given = given_parameter(probs, logits)
        given = logits if probs is None else probs
        assert given is not None
        if given.dim() < 1:
            raise ValueError(f"`{self._given}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = given - given.logsumexp(dim=-1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return self.mean

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = as_size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        return multinomial(rows, sample_shape.numel(), True).T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value).long().unsqueeze(-1)
        value, log_pmf = broadcast_tensors(value, self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return enumerated(arange(self._num_events, device=self._param.device), self._batch_shape, expand)
