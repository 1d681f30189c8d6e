"""Names: of nodes, which are variables of the code that a graph becomes, and of the functions that nodes call."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from lazygrad.ir.spoken_name import package
from lazygrad.overrides.lists import resolve_name

_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")
_HUMP = re.compile(r"(?<=[a-z])([A-Z])")
# What the code itself means by these names.
_OF_CODE = frozenset({"inf", "nan", "NoneType", "torch", "lazygrad", "device", "fx_pytree", "pytree"})


class Namespace:
    """Names of the nodes of one graph, each given out once."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._counts: dict[str, int] = defaultdict(int)

    def create_name(self, candidate: str, obj: Any = None) -> str:
        """An unused name like ``candidate``.

        Args:
            candidate: any text, such as ``layer.0.weight``.
            obj: what the name is for; a function of Python may go by its own name.
        """
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        numbered = _NUMBERED.match(candidate)
        base, number = (candidate, 0) if numbered is None else (numbered.group(1), int(numbered.group(2)))
        number = number or self._counts[base]
        while candidate in self._used or _is_taken(candidate, obj):
            number += 1
            candidate = f"{base}_{number}"
        self._used.add(candidate)
        self._counts[base] = number
        return candidate

    def release(self, name: str) -> None:
        """Let a name be given out again."""
        self._used.discard(name)


def _is_taken(name: str, obj: Any) -> bool:
    if name in keyword.kwlist or name in _OF_CODE:
        return True
    return name in vars(builtins) and vars(builtins)[name] is not obj


def name_of_target(target: Any) -> str:
    """What a node that calls ``target`` is called, before it is made unique: ``add`` for ``operator.add``."""
    name = public_name(target).rpartition(".")[2] if callable(target) else str(target)
    if name.startswith("__") and name.endswith("__") and len(name) > 4:
        name = name[2:-2]
    return _HUMP.sub(r"_\1", name).lower()


def name_of_call(function: Callable[..., Any], has_keywords: bool) -> str | None:
    """A public name to call a function by: ``torch.relu`` and not that of ``nn.functional``, whose arguments a tracer
    would spell out; where they are, the latter. None for functions of others."""
    name = resolve_name(function)
    if name is not None and not has_keywords and ".nn.functional." in name:
        short = name.replace(".nn.functional.", ".")
        if vars(sys.modules["lazygrad"]).get(short.rpartition(".")[2]) == function:
            return short
    return name


def public_name(function: Callable[..., Any]) -> str:
    """The full name of a function: ``torch.nn.functional.relu``, ``operator.add``, ``builtins.getattr``."""
    found = resolve_name(function)
    if found is not None:
        return found
    name = getattr(function, "__name__", type(function).__name__)
    module = str(getattr(function, "__module__", None) or "builtins")
    if module == "_operator":
        module = "operator"
    if module.partition(".")[0] == "lazygrad":
        if vars(sys.modules["lazygrad"]).get(name) is function:
            return f"{package.name}.{name}"
        module = module.replace("lazygrad", package.name, 1)
    return f"{module}.{name}"
