"""The geometric distribution."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions import constraints
from lazygrad.distributions.probabilities import ProbabilitiesOrLogits
from lazygrad.distributions.utils import Number, broadcast_all
from lazygrad.distributions.validation import checked
from lazygrad.grad_mode import no_grad
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.creation.like import zeros_like
from lazygrad.ops.loss.probability import binary_cross_entropy_with_logits
from lazygrad.ops.pointwise.selection import where
from lazygrad.tensor import Tensor

__all__ = ["Geometric"]


class Geometric(ProbabilitiesOrLogits):
    """How many trials fail before the first success.

    Args:
        probs: the probability of success, positive.
        logits: its log odds, instead.
        validate_args: whether to check parameters and samples.

    Raises:
        ValueError: both parameters or none; a probability outside (0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(
        self,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)
        if self._validate_args and probs is not None:
            self.__dict__["probs"] = checked(self.probs, constraints.positive, self._not_positive)

    def _not_positive(self, shapes_only: bool) -> str:
        return (
            f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of "
            f"distribution {self.text(shapes_only)} to be positive but found invalid values:\n"
        )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape, dtype = self._extended_shape(sample_shape), self.probs.dtype
        with no_grad():
            u = empty(shape, dtype=dtype, device=self.probs.device).uniform_(finfo(dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked_sample(value)
        value, probs = broadcast_all(value, self.probs)
        # No failure of trials that never fail is certain: 0 · log 0 counts as 0.
        failing = where((probs == 1) & (value == 0), 0.0, probs)
        return value * (-failing).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
