"""Compiled modules: the same module under another class, whose call is a compiled function."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from lazygrad.compiling.compiled import CompiledFunction
from lazygrad.nn.core.module import Module


class CompiledModule(Module):
    """What the classes of compiled modules have in common.

    An instance shares the dictionary of attributes with the module it was made from: whatever happens to one, happens
    to both. Only calling differs.
    """

    __slots__ = ("_compiled", "_orig_mod")

    _compiled: CompiledFunction
    _orig_mod: Module

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._compiled(*args, **kwargs)

    def explain(self) -> str:
        """See `CompiledFunction.explain`."""
        return self._compiled.explain()

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        """Loads this module, also under the names that PyTorch's compiled modules save theirs by."""
        named = f"{prefix}_orig_mod."
        for key in [key for key in state_dict if key.startswith(named)]:
            state_dict[prefix + key.removeprefix(named)] = state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, *args)

    def __deepcopy__(self, memo: dict[int, Any]) -> Module:
        return compiled_module(copy.deepcopy(self._orig_mod, memo), *self._compiled.options)

    def __reduce__(self) -> tuple[Any, ...]:
        return compiled_module, (self._orig_mod, *self._compiled.options)


def compiled_module(
    module: Module, fullgraph: bool, dynamic: bool | None, state: Sequence[Any] | None = None
) -> Module:
    """See `lazygrad.compile`."""
    original = module._orig_mod if isinstance(module, CompiledModule) else module
    names = {"__slots__": (), "__module__": type(original).__module__, "__doc__": type(original).__doc__}
    compiled: Any = object.__new__(type(type(original).__name__, (CompiledModule, type(original)), names))
    compiled.__dict__ = original.__dict__
    for name, value in (("_orig_mod", original), ("_compiled", CompiledFunction(original, fullgraph, dynamic, state))):
        object.__setattr__(compiled, name, value)
    result: Module = compiled
    return result
