"""A softmax over many classes, most of which are rare."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.containers import ModuleList, Sequential
from lazygrad.nn.core.module import Module
from lazygrad.nn.linear import Linear
from lazygrad.ops.arguments.requirements import required
from lazygrad.ops.indexing.gathering import gather
from lazygrad.ops.pointwise.bitwise import logical_and
from lazygrad.ops.pointwise.relational import ge, lt
from lazygrad.ops.pointwise.selection import clamp, where
from lazygrad.ops.reductions.extrema import argmax
from lazygrad.ops.shapes.joining import cat
from lazygrad.ops.shapes.parts import between
from lazygrad.ops.shapes.reshaping import squeeze, unsqueeze
from lazygrad.tensor import Tensor

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The logarithms of the targets' probabilities, and the loss."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The logarithms of class probabilities, with clusters of rare classes below a head of frequent ones.

    Every cluster is computed for every row, so that a program does not depend on which classes occur.
    Source: Grave et al., "Efficient softmax approximation for GPUs", arXiv:1609.04309, 2016.

    Args:
        in_features: size of the inputs.
        n_classes: number of classes, the most frequent ones first.
        cutoffs: where the clusters begin, in increasing order.
        div_value: by what factor each cluster's inputs are smaller than those before.
        head_bias: whether the head has a bias.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Shapes:
        ``input`` (N, in_features) or (in_features), ``target`` (N) or () → logarithms of the targets' probabilities,
        of the shape of ``target``, and their negative mean.

    Raises:
        ValueError: cutoffs that are no increasing integers between 1 and n_classes - 1.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        given = list(cutoffs)
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            any(int(cutoff) != cutoff for cutoff in given)
            or given != sorted(set(given))
            or not 0 < given[0] <= given[-1] < n_classes
        ):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                             "where each value is between 1 and n_classes-1")  # fmt: skip
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*given, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = given[0]
        self.n_clusters = len(given)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i, (begin, end) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // div_value ** (i + 1))
            sizes = ((in_features, width), (width, end - begin))
            layers = [Linear(*size, bias=False, device=device, dtype=dtype) for size in sizes]
            self.tail.append(Sequential(*layers))

    def reset_parameters(self) -> None:
        """Draws all weights anew."""
        for layer in (self.head, *[layer for cluster in self.tail for layer in cluster.children()]):
            layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """See the class.

        Raises:
            RuntimeError: shapes that do not fit; when the result is computed, a target that is no class.
        """
        rank = target_.dim()
        if rank > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if rank == 1 and input_.shape[0] != target_.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != rank + 1:
            raise RuntimeError(f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with size "
                               f"{input_.shape}")  # fmt: skip
        target = self._checked(target_ if rank else unsqueeze(target_, 0))
        parts = self._parts(input_ if rank else unsqueeze(input_, 0))
        output = _of_class(parts[0], clamp(target, 0, self.shortlist_size - 1))
        for part, (begin, end) in zip(parts[1:], pairwise(self.cutoffs), strict=True):
            is_here = logical_and(ge(target, begin), lt(target, end))
            output = where(is_here, _of_class(part, clamp(target - begin, 0, end - begin - 1)), output)
        loss = (-output).mean()
        return _ASMoutput(output if rank else squeeze(output, 0), loss)

    def _checked(self, target: Tensor) -> Tensor:
        is_class = logical_and(ge(target, 0), lt(target, self.n_classes))
        return required(target, is_class, f"Target values should be in [0, {self.n_classes - 1}], but {{}} was found")

    def _parts(self, input: Tensor) -> list[Tensor]:
        """The logarithms of probabilities: of the frequent classes, then of each cluster's."""
        head = F.log_softmax(self.head(input), dim=1)
        parts = [between(head, 1, 0, self.shortlist_size)]
        for i, cluster in enumerate(self.tail):
            of_cluster = between(head, 1, self.shortlist_size + i, self.shortlist_size + i + 1)
            parts.append(F.log_softmax(cluster(input), dim=1) + of_cluster)
        return parts

    def log_prob(self, input: Tensor) -> Tensor:
        """(N, n_classes): the logarithms of the probabilities of all classes, for ``input`` (N, in_features)."""
        return cat(self._parts(input), 1)

    def predict(self, input: Tensor) -> Tensor:
        """(N): the most probable class; where the head finds a frequent class most probable, that class."""
        head = argmax(self.head(input), dim=1)
        return where(lt(head, self.shortlist_size), head, argmax(self.log_prob(input), dim=1))


def _of_class(logarithms: Tensor, target: Tensor) -> Tensor:
    return squeeze(gather(logarithms, 1, unsqueeze(target, 1)), 1)
