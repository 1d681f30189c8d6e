"""Attributes that a file gives to the objects in it."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

from lazygrad.ops.objects.copying import ABOUT_THIS_OBJECT


def set_attributes(target: Any, attributes: Any) -> None:
    """Store on an object what a program had stored on it.

    Args:
        target: a tensor or a container that has a ``__dict__``.
        attributes: values by name. None of them may hide what the object's class defines, or replace what the object
            is made of: an attribute that nobody set may not change what the object does.

    Raises:
        pickle.UnpicklingError: other attributes.
    """
    if not isinstance(attributes, Mapping):
        raise pickle.UnpicklingError(f"load: attributes are a dict, not {type(attributes).__name__}")
    for name in attributes:
        if type(name) is not str or _is_taken(target, name):
            shown = repr(name[:80]) if type(name) is str else f"of type {type(name).__name__}"
            raise pickle.UnpicklingError(
                f"load: the file sets an attribute {shown} of a {type(target).__name__}, which is no name "
                f"that a program may use"
            )
    target.__dict__.update(attributes)


def _is_taken(target: Any, name: str) -> bool:
    if name.startswith("__") or name in ABOUT_THIS_OBJECT or name in target.__dict__:
        return True
    return any(name in vars(cls) for cls in type(target).__mro__)
