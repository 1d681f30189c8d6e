"""What can be overridden, and under which names."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from lazygrad.ir.spoken_name import package
from lazygrad.overrides.dispatching import AttributeCall, Dispatching
from lazygrad.overrides.names import FUNCTIONAL, Asks, Known, known_functions, known_methods, known_properties
from lazygrad.overrides.placing import ordinary, public_form
from lazygrad.tensor import Tensor


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions and methods that ask classes, by the module or class that has them."""
    found: dict[Any, list[Callable[..., Any]]] = {}
    for known in known_functions():
        if known.asks is Asks.ALL:
            found.setdefault(import_module(known.module), []).append(public_form(known.function))
    methods = [getattr(Tensor, name) for name in _method_names()]
    found[Tensor] = [*methods, *(plain.__get__ for _, plain in known_properties())]
    return found


def _preference(known: Known) -> tuple[int, bool]:
    """Of functions with several names the last is taken: that of ``nn.functional``, and their own."""
    own_name = getattr(ordinary(known.function), "__name__", "")
    return {"lazygrad": 1, FUNCTIONAL: 2}.get(known.module, 0), known.name == own_name


@cache
def _functions() -> frozenset[Callable[..., Any]]:
    return frozenset(ordinary(known.function) for known in known_functions())


@cache
def _method_names() -> frozenset[str]:
    names = {name for name, value in vars(Tensor).items() if isinstance(value, Dispatching)}
    return frozenset(names | {known.name for known in known_methods()})


@cache
def _names() -> dict[Any, str]:
    names: dict[Any, str] = {}
    for name, plain in known_properties():
        for call in ("__get__", "__set__", "__delete__"):
            names[getattr(plain, call)] = f"Tensor.{name}.{call}"
    for name in sorted(_method_names(), key=lambda name: not name.startswith("_")):  # `add` rather than `__add__`
        names[ordinary(getattr(Tensor, name))] = f"Tensor.{name}"
    for known in sorted(known_functions(), key=_preference):
        names[ordinary(known.function)] = f"{known.module}.{known.name}".removeprefix("lazygrad.")
    return names


def resolve_name(f: Callable[..., Any]) -> str | None:
    """The public name of a function, method or attribute, such as ``torch.Tensor.add``; None for any other object."""
    try:
        name = _names().get(f)
    except TypeError:  # not hashable
        return None
    return None if name is None else f"{package.name}.{name}"


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether this is a method of tensors, or reads, sets or deletes an attribute of theirs."""
    if isinstance(func, AttributeCall) or getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
        return True
    if isinstance(func, Dispatching):
        return func.is_method
    if ordinary(func) in _functions():
        return False
    name = getattr(func, "__name__", "")
    return name in _method_names() and ordinary(getattr(Tensor, name)) is ordinary(func)


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """What gives objects that a program put there, which ``Tensor.__torch_function__`` leaves as they are."""
    return {Tensor.grad.__get__}
