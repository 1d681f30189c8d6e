"""Layers that look up rows of a table."""

from __future__ import annotations

from typing import Self

from lazygrad.grad_mode import no_grad
from lazygrad.ir.dtype import DType
from lazygrad.nn import functional as F
from lazygrad.nn import init
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.creation.filled import empty
from lazygrad.tensor import Tensor

__all__ = ["Embedding", "EmbeddingBag"]


def draw_vectors(weight: Tensor, padding_idx: int | None) -> None:
    """Draws new vectors and zeroes the one of ``padding_idx``."""
    init.normal_(weight)
    if padding_idx is not None:
        with no_grad():
            weight[padding_idx].fill_(0)


class Embedding(Module):
    """A learned vector for every index. The vectors start normally distributed.

    Args:
        num_embeddings: number of vectors.
        embedding_dim: their size.
        padding_idx: a vector that starts at zero and is not trained.
        max_norm: vectors that are looked up are first shortened to this norm.
        norm_type: p of that norm.
        scale_grad_by_freq: divide a vector's gradient by how often its index occurs in the batch.
        sparse: whether gradients are sparse tensors of the rows that were looked up.
        device: where the parameter lives.
        dtype: its dtype, the default one when left out.

    Shapes:
        ``weight`` (num_embeddings, embedding_dim), indices (…) → (…, embedding_dim).

    Raises:
        AssertionError: ``padding_idx`` is out of range.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            self.weight = Parameter(empty(shape, device=device, dtype=dtype), requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """An embedding with given vectors.

        Args:
            embeddings: shape (num_embeddings, embedding_dim); its storage is shared.
            freeze: keep the vectors as they are in training.
            padding_idx: see the class; the vector keeps its value.
            max_norm: see the class.
            norm_type: see the class.
            scale_grad_by_freq: see the class.
            sparse: see the class.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

    def reset_parameters(self) -> None:
        """Draws new vectors and zeroes the one of ``padding_idx``."""
        draw_vectors(self.weight, self.padding_idx)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        parts = [
            f"{self.num_embeddings}, {self.embedding_dim}",
            f"padding_idx={self.padding_idx}" if self.padding_idx is not None else "",
            f"max_norm={self.max_norm}" if self.max_norm is not None else "",
            f"norm_type={self.norm_type}" if self.norm_type != 2 else "",
            f"scale_grad_by_freq={self.scale_grad_by_freq}" if self.scale_grad_by_freq else "",
            "sparse=True" if self.sparse else "",
        ]
        return ", ".join(part for part in parts if part)


class EmbeddingBag(Module):
    """Sums, means or maxima of the vectors of bags of indices. The vectors start normally distributed.

    Args:
        num_embeddings: number of vectors.
        embedding_dim: their size.
        max_norm: vectors that are looked up are first shortened to this norm.
        norm_type: p of that norm.
        scale_grad_by_freq: divide a vector's gradient by how often its index occurs in the batch.
        mode: ``"sum"``, ``"mean"`` or ``"max"``.
        sparse: whether gradients are sparse tensors of the rows that were looked up.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: an index that belongs to no bag; its vector starts at zero and is not trained.
        device: where the parameter lives.
        dtype: its dtype, the default one when left out.

    Shapes:
        ``weight`` (num_embeddings, embedding_dim); indices (B, N), or (N) with offsets (B); weights of samples like the
        indices → (B, embedding_dim).

    Raises:
        AssertionError: ``padding_idx`` is out of range.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = padding_idx
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            self.weight = Parameter(empty(shape, device=device, dtype=dtype))
            self.reset_parameters()
        else:
            if tuple(_weight.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Bags of given vectors.

        Args:
            embeddings: shape (num_embeddings, embedding_dim); its storage is shared.
            freeze: keep the vectors as they are in training.
            max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx: see the class.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        made.weight.requires_grad = not freeze
        return made

    def reset_parameters(self) -> None:
        """Draws new vectors and zeroes the one of ``padding_idx``."""
        draw_vectors(self.weight, self.padding_idx)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        usual = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "mode": None, "padding_idx": None}
        parts += [f"{name}={getattr(self, name)!r}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join(parts)
