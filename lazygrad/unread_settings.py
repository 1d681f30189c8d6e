"""Modules of settings that nothing reads: programs that set something up for PyTorch's compilers run as they are."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import ContextDecorator
from types import ModuleType, SimpleNamespace
from typing import Any

__all__ = ["Patch", "UnreadSettings"]

_MISSING = object()
_OWN = ("_SECOND_NAMES", "annotations")  # of a module's names, those that are no settings


class UnreadSettings(ModuleType):
    """A module whose attributes may be assigned and read back, known names and others. Nothing depends on them.

    A module's ``_SECOND_NAMES`` says which names stand for others. A name may lead into a section:
    ``setattr(config, "triton.cudagraphs", True)``. Reading a name that has no value raises AttributeError.
    """

    def __getattr__(self, name: str) -> Any:
        if name in vars(self).get("_SECOND_NAMES", ()):
            return getattr(self, self._SECOND_NAMES[name])
        section, dot, rest = name.partition(".")
        if dot and section in vars(self):
            return getattr(vars(self)[section], rest)
        raise AttributeError(f"{self.__name__}.{name} does not exist: nothing has set it")

    def __setattr__(self, name: str, value: Any) -> None:
        name = vars(self).get("_SECOND_NAMES", {}).get(name, name)
        section, dot, rest = name.partition(".")
        if dot:
            setattr(vars(self).setdefault(section, SimpleNamespace()), rest, value)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        section, dot, rest = name.partition(".")
        if dot:
            delattr(vars(self)[section], rest)
        else:
            super().__delattr__(name)

    def patch(self, arg1: str | Mapping[str, Any] | None = None, arg2: Any = None, **kwargs: Any) -> Patch:
        """A context, or a decorator, in which settings have other values.

        Args:
            arg1: the name of one setting, or a dictionary of several.
            arg2: the value of the one.
            kwargs: the settings by name.

        Raises:
            AssertionError: arguments of two of these kinds.
        """
        if arg1 is not None and kwargs:
            raise AssertionError("cannot pass both positional and keyword arguments to patch")
        if arg1 is None and arg2 is not None:
            raise AssertionError("second positional argument is only valid when first argument is a key string")
        if arg2 is not None and not isinstance(arg1, str):
            raise AssertionError("first argument must be a string when passing 2 positional args to patch")
        if isinstance(arg1, str):
            if arg2 is None:
                raise AssertionError("first argument must be a dict when passing a single positional arg to patch")
            return Patch(self, {arg1: arg2})
        if arg1 is not None and not isinstance(arg1, Mapping):
            raise AssertionError("first argument must be a dict when passing a single positional arg to patch")
        return Patch(self, dict(kwargs if arg1 is None else arg1))

    def shallow_copy_dict(self) -> dict[str, Any]:
        """The settings by name, those of sections with a dot in it."""
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, SimpleNamespace):
                found |= {f"{name}.{inner}": each for inner, each in vars(value).items()}
            elif not name.startswith("__") and not isinstance(value, (ModuleType, type)) and name not in _OWN:
                found[name] = value
        return found

    to_dict = shallow_copy_dict

    def get_config_copy(self) -> dict[str, Any]:
        """`shallow_copy_dict`, with copies of what may change."""
        return copy.deepcopy(self.shallow_copy_dict())

    def load_config(self, maybe_pickled_config: Mapping[str, Any]) -> None:
        """Sets what a dictionary of `shallow_copy_dict` says."""
        for name, value in maybe_pickled_config.items():
            setattr(self, name, value)


class Patch(ContextDecorator):
    """Within this context, or during calls of what it decorates, settings have other values."""

    def __init__(self, settings: UnreadSettings, changes: dict[str, Any]) -> None:
        self._settings, self.changes = settings, changes
        self._before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        self._before.append({name: getattr(self._settings, name, _MISSING) for name in self.changes})
        for name, value in self.changes.items():
            setattr(self._settings, name, value)

    def __exit__(self, *error: object) -> None:
        for name, value in self._before.pop().items():
            if value is _MISSING:
                delattr(self._settings, name)
            else:
                setattr(self._settings, name, value)
