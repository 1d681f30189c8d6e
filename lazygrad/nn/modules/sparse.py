"""Embeddings, under PyTorch's path."""

from lazygrad.nn.sparse import Embedding

__all__ = ["Embedding"]
