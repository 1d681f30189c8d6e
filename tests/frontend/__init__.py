"""Conformance of the frontend with PyTorch: the same functions run on torch and on lazygrad."""
