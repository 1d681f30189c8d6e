"""``lazygrad.utils.hooks``: the handle that registering a hook returns, where programs import it from."""

from __future__ import annotations

from lazygrad.autograd.hooks import RemovableHandle as RemovableHandle
