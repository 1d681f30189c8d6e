"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

State = dict[str, Tensor]
_MISSING = object()


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: State | Sequence[State],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other tensors in place of its parameters and buffers.

    Args:
        module: the module.
        parameter_and_buffer_dicts: tensors by dotted name, in one dictionary or several; names left out keep their own.
        args: the positional arguments; a single one may be given bare.
        kwargs: the keyword arguments.
        tie_weights: a tensor given for one name of a shared parameter stands for all of its names.
        strict: names must be exactly those of the module.

    Returns:
        What the module returns. A buffer that its forward assigns anew is updated in the dictionary.

    Raises:
        ValueError: a name given twice, or different tensors for the names of a shared parameter.
        RuntimeError: names that do not match, if ``strict``.
    """
    given = _merged(parameter_and_buffer_dicts)
    own = _named_tensors(module)
    if strict:
        _require_all(module, given, own)
    replaced = _tied(given, own) if tie_weights else dict(given)
    with _replaced(module, replaced, given):
        if args is None:
            args = ()
        elif not isinstance(args, tuple):
            args = (args,)
        return module(*args, **(kwargs or {}))


def _merged(dicts: State | Sequence[State]) -> State:
    if isinstance(dicts, dict):
        return dicts
    if not all(isinstance(one, dict) for one in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    merged: State = {}
    for one in dicts:
        for name, tensor in one.items():
            if name in merged:
                raise ValueError(f"{name} appeared in multiple dictionaries; behavior of functional call is ambiguous")
            merged[name] = tensor
    return merged


def _named_tensors(module: Module) -> State:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _require_all(module: Module, given: State, own: State) -> None:
    complaints = [
        f"{what} key(s): {', '.join(map(repr, names))}."
        for what, names in (("Unexpected", given.keys() - own.keys()), ("Missing", own.keys() - given.keys()))
        if names
    ]
    if complaints:
        lines = "".join(f"\n\t{line}" for line in complaints)
        raise RuntimeError(f"Error(s) in functional_call for {type(module).__name__}:{lines}")


def _tied(given: State, own: State) -> State:
    """``given`` with every name of a shared parameter."""
    names_of: dict[int, list[str]] = {}
    for name, tensor in own.items():
        names_of.setdefault(id(tensor), []).append(name)
    replaced = dict(given)
    for names in names_of.values():
        values = {id(given[name]): given[name] for name in names if name in given}
        if len(values) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                f"tie_weights=False"
            )
        for value in values.values():
            replaced.update(dict.fromkeys(names, value))
    return replaced


@contextmanager
def _replaced(module: Module, tensors: State, given: State) -> Iterator[None]:
    """Within this context the module has ``tensors``; what it assigns anew lands in ``given``."""
    own = {name: _swap(module, name, tensor) for name, tensor in tensors.items()}
    try:
        yield
    finally:
        for name, tensor in own.items():
            left = _swap(module, name, tensor)
            if name in given and left is not _MISSING and left is not given[name]:
                given[name] = left


def _swap(module: Module, path: str, value: Any) -> Any:
    """Put ``value`` at a dotted path, past the checks of assignment; returns what was there."""
    prefix, _, name = path.rpartition(".")
    owner = module.get_submodule(prefix)
    for registry in (owner._parameters, owner._buffers, owner.__dict__):
        if name in registry:
            old = registry[name]
            if value is _MISSING:
                del registry[name]
            else:
                registry[name] = value
            return old
    owner.__dict__[name] = value
    return _MISSING
