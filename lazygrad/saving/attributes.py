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


def set_state(target: Any, state: Any) -> None:
    """Give an object of a class that the program allows its state, as pickle does.

    Raises:
        pickle.UnpicklingError: a state that is no dict, for a class that does not say what it does with others.
    """
    if hasattr(target, "__setstate__"):
        target.__setstate__(state)
        return
    plain, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    for attributes in (plain or {}, slots or {}):
        if not isinstance(attributes, Mapping):
            raise pickle.UnpicklingError(f"load: the state of a {type(target).__name__} is no dict")
    target.__dict__.update(plain or {})
    for name, value in (slots or {}).items():
        setattr(target, name, value)


def _is_taken(target: Any, name: str) -> bool:
    if name.startswith("__") or name in ABOUT_THIS_OBJECT or name in target.__dict__:
        return True
    return any(name in vars(cls) for cls in type(target).__mro__)
