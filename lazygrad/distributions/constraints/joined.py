"""Constraints of tensors whose parts along a dimension have constraints of their own."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.distributions.constraints.constraint import Constraint
from lazygrad.ops.shapes.joining import cat, stack
from lazygrad.tensor import Tensor


class _Joined(Constraint):
    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        if not all(isinstance(constraint, Constraint) for constraint in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether a part's region is discrete."""
        return any(constraint.is_discrete for constraint in self.cseq)

    def _check_dim(self, value: Tensor) -> None:
        if not -value.ndim <= self.dim < value.ndim:
            raise AssertionError(f"dim {self.dim} out of range for value with {value.ndim} dimensions")


class _Cat(_Joined):
    """Constraints of consecutive slices along ``dim``, of given lengths; see `lazygrad.cat`."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an event has."""
        return max(constraint.event_dim for constraint in self.cseq)

    def check(self, value: Tensor) -> Tensor:
        self._check_dim(value)
        parts = value.narrow(self.dim, 0, sum(self.lengths)).split(self.lengths, self.dim)
        return cat([constraint.check(part) for constraint, part in zip(self.cseq, parts, strict=True)], self.dim)


class _Stack(_Joined):
    """Constraints of the positions along ``dim``; see `lazygrad.stack`."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an event has."""
        dim = max(constraint.event_dim for constraint in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Tensor) -> Tensor:
        self._check_dim(value)
        parts = value.unbind(self.dim)
        return stack([constraint.check(part) for part, constraint in zip(parts, self.cseq, strict=False)], self.dim)
