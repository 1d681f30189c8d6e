"""Distributions whose parameter is given as probabilities or as logits."""

from __future__ import annotations

from typing import Any

from lazygrad.distributions.distribution import Distribution
from lazygrad.distributions.utils import Number, broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from lazygrad.size import Size
from lazygrad.tensor import Tensor


class ProbabilitiesOrLogits(Distribution):
    """A distribution with ``probs`` or ``logits``, one of which is given, and the other computed when it is asked for.

    Attributes:
        _is_binary: whether logits are log odds; otherwise they are logarithms of the last dimension's probabilities.
        _given: which is given.
    """

    _is_binary = True
    _given: str

    def _take(self, probs: Tensor | Number | None, logits: Tensor | Number | None, *others: Tensor | Number) -> Any:
        """Keep the parameter, broadcast with others, and return those in its dtype.

        Raises:
            ValueError: both are given, or none.
        """
        self._given = given_parameter(probs, logits)
        given = logits if probs is None else probs
        assert given is not None
        *broadcast, self.__dict__[self._given] = broadcast_all(*others, given)
        return [other.type_as(self._param) for other in broadcast]

    @lazy_property
    def logits(self) -> Tensor:
        """Log odds, or logarithms of probabilities."""
        return probs_to_logits(self.probs, self._is_binary)

    @lazy_property
    def probs(self) -> Tensor:
        """Probabilities."""
        return logits_to_probs(self.logits, self._is_binary)

    @property
    def _param(self) -> Tensor:
        found: Tensor = self.__dict__[self._given]
        return found

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.shape

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)


class OfCategorical(Distribution):
    """A distribution made of a categorical one, which has the parameters and checks them.

    Attributes:
        _categorical: that one.
    """

    _categorical: Any

    @property
    def probs(self) -> Tensor:
        """Probabilities, normalized."""
        found: Tensor = self._categorical.probs
        return found

    @property
    def logits(self) -> Tensor:
        """Logarithms of the probabilities, normalized."""
        found: Tensor = self._categorical.logits
        return found

    @property
    def _param(self) -> Tensor:
        found: Tensor = self._categorical._param
        return found

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.shape

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)


def given_parameter(probs: object, logits: object) -> str:
    """The name of the one that is not None.

    Raises:
        ValueError: both are, or none.
    """
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return "logits" if probs is None else "probs"


def enumerated(values: Tensor, batch_shape: Size, expand: bool) -> Tensor:
    """Values along the first dimension before a batch, whose dimensions have size 1 unless ``expand``."""
    values = values.view((-1,) + (1,) * len(batch_shape))
    return values.expand((-1, *batch_shape)) if expand else values
