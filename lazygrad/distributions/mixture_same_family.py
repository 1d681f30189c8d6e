"""Mixtures of distributions of one kind."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.categorical import Categorical
from lazygrad.distributions.constraints import MixtureSameFamilyConstraint
from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import as_size
from lazygrad.grad_mode import no_grad
from lazygrad.ops.layers.softmax import log_softmax
from lazygrad.tensor import Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A sample of one of several components, which a `Categorical` chooses.

    Args:
        mixture_distribution: chooses components.
        component_distribution: the components, along its last batch dimension.
        validate_args: whether to check samples.

    Raises:
        ValueError: no distributions, or shapes that do not fit.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    has_rsample = False

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError("The Mixture distribution needs to be an instance of lazygrad.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of lazygrad.distributions.Distribution"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        of_mixture = mixture_distribution.batch_shape
        of_components = component_distribution.batch_shape[:-1]
        for i, j in zip(reversed(of_mixture), reversed(of_components), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"`mixture_distribution.batch_shape` ({of_mixture}) is not compatible with "
                                 f"`component_distribution.batch_shape`({of_components})")  # fmt: skip
        self._num_component = mixture_distribution._num_events
        components = component_distribution.batch_shape[-1]
        if self._num_component != components:
            raise ValueError(f"`mixture_distribution component` ({self._num_component}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({components})")  # fmt: skip
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(of_components, event_shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """What chooses components."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components, along its last batch dimension."""
        return self._component_distribution

    def _weights(self) -> Tensor:
        """The components' probabilities, aligned with their moments."""
        probs = self.mixture_distribution.probs
        own = len(self.mixture_distribution.batch_shape)
        padding = 0 if own == 1 else len(self.batch_shape) - own
        return probs.reshape(probs.shape[:-1] + (1,) * padding + probs.shape[-1:] + (1,) * self._event_ndims)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def _mixed(self, of_components: Tensor) -> Tensor:
        return (self._weights() * of_components).sum(-1 - self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return self._mixed(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The mean of the components' variances, and the variance of their means."""
        distances = (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)
        return self._mixed(self.component_distribution.variance) + self._mixed(distances)

    def cdf(self, value: Tensor) -> Tensor:
        return (self.component_distribution.cdf(self._pad(value)) * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        of_components = self.component_distribution.log_prob(self._pad(value))
        return (of_components + log_softmax(self.mixture_distribution.logits, dim=-1)).logsumexp(-1)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sample_shape = as_size(sample_shape)
        dim = len(sample_shape) + len(self.batch_shape)
        with no_grad():
            chosen = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            index = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            index = index.expand(chosen.shape + (1,) + self.event_shape)
            return samples.gather(dim, index).squeeze(dim)

    def text(self, shapes_only: bool = False) -> str:
        mixture, components = self.mixture_distribution, self.component_distribution
        return f"MixtureSameFamily(\n  {mixture.text(shapes_only)},\n  {components.text(shapes_only)})"
