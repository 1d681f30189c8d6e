"""``torch._subclasses.fake_tensor``: tensors without values, of which there are none here."""

from __future__ import annotations

from typing import Any

from lazygrad.left_out import stand_in_class

__all__ = ["FakeTensor", "FakeTensorMode", "is_fake"]

_INSTEAD = "tensors on the device 'meta' have shapes and dtypes and no values"
FakeTensor = stand_in_class("_subclasses.FakeTensor", _INSTEAD)
FakeTensorMode = stand_in_class("_subclasses.FakeTensorMode", _INSTEAD)


def is_fake(x: Any) -> bool:
    """False."""
    return False
