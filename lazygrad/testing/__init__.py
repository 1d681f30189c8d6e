"""``torch.testing``: an assertion that values are close, and tensors to test with."""

from __future__ import annotations

from lazygrad.testing.closeness import assert_close
from lazygrad.testing.tensors import make_tensor

__all__ = ["assert_close", "make_tensor"]
