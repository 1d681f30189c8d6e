"""Signal processing, with PyTorch's names."""

from lazygrad.signal import windows

__all__ = ["windows"]
