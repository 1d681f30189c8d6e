"""Classes and functions by the names that PyTorch's files give them, and the names under which ours are written.

A whole module is written under its class's name in PyTorch, so that either framework reads it as a module of its own.
"""

from __future__ import annotations

import pickle
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from lazygrad import nn
from lazygrad.left_out import is_stand_in
from lazygrad.torch_imports import module_of


def object_named(module: str, name: str) -> Any:
    """What plays the part of an object of PyTorch.

    Args:
        module: its path, which begins with ``torch``.
        name: in the module.

    Raises:
        pickle.UnpicklingError: lazygrad has none.
    """
    try:
        found: Any = module_of(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (AttributeError, ImportError):
        found = None
    if found is None or is_stand_in(found):
        raise pickle.UnpicklingError(f"load: the file needs {module}.{name}, which lazygrad does not have")
    return found


def torch_name_of(obj: Any) -> tuple[str, str] | None:
    """PyTorch's module and name of a layer's class or a function of ``nn.functional``; None for anything else."""
    return _torch_names().get(obj) if str(getattr(obj, "__module__", "")).startswith("lazygrad.") else None


@cache
def _torch_names() -> dict[Any, tuple[str, str]]:
    paths = [f"torch.nn.modules.{found.name}" for found in iter_modules(nn.modules.__path__)]
    names: dict[Any, tuple[str, str]] = {}
    for path in (*paths, "torch.nn.functional", "torch.nn.parameter"):
        module = import_module(path.replace("torch", "lazygrad", 1))
        for name in getattr(module, "__all__", None) or vars(module):
            found = getattr(module, name)
            if isinstance(found, type) or (callable(found) and path == "torch.nn.functional"):
                names.setdefault(found, (path, name))
    return names
