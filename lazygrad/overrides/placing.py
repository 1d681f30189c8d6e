"""Puts functions that ask (`Dispatching`) where a program finds the ordinary ones, once it has somebody to ask.

A class of tensors has its own methods and attributes that ask from its definition on; libraries define such classes
that a program never uses. The functions of modules, and the methods of all other tensors, follow when the first tensor
of such a class is made. A program without one, without a mode and without a trace of `lazygrad.fx` runs the ordinary
functions, and pays nothing. Where functions have been imported into modules under names of their own
(``from torch.nn.functional import relu``), these names are found and put right as well; functions that objects and
containers have kept since before are not.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from types import ModuleType
from typing import Any

from lazygrad.overrides.dispatching import Dispatching, DispatchingProperty
from lazygrad.overrides.names import (
    FUNCTIONAL,
    NAMESPACES,
    Known,
    known_functions,
    known_initializers,
    known_methods,
    known_properties,
)
from lazygrad.tensor import Tensor
from lazygrad.torch_function import asking, has_override

# Python's own attribute, past that of `Tensor`'s class: what is put there is no program's doing.
_Place = tuple[Any, str, Any]


class _Placed:
    """What is in place.

    Attributes:
        functions: by the module and the id of the function that each stands for; "" is any other module.
        is_whole: whether all of them are; an interrupt may come between two.
        needed: how many need them.
        lasts: whether one of these needs them for good.
        undo: owner, name and former value of what was replaced.
    """

    def __init__(self) -> None:
        self.functions: dict[tuple[str, int], Dispatching] = {}
        self.is_whole = False
        self.needed = 0
        self.lasts = False
        self.undo: list[_Place] = []
        self.lock = threading.RLock()


_placed = _Placed()


def prepare(cls: type[Tensor]) -> None:
    """Have the methods and attributes of a class of tensors ask it; those of other tensors stay as they are."""
    inherited = vars(Tensor)
    for known in list(known_methods()):
        if inspect.getattr_static(cls, known.name) is inherited[known.name] is known.function:
            setattr(cls, known.name, Dispatching(known))
    if inspect.getattr_static(cls, "__iter__") is inherited["__iter__"] and not _placed.is_whole:
        cls.__iter__ = _iterating(inherited["__iter__"])  # type: ignore[method-assign, assignment]
    for name, plain in known_properties():
        if getattr(cls, name) is plain:  # which neither the class nor one between defines anew
            setattr(cls, name, DispatchingProperty(name, plain))


def ask_before_calls() -> None:
    """There is a tensor of a class that is asked: from now on all functions ask the classes of their arguments."""
    if not _placed.is_whole:
        keep_in_place()


def keep_in_place() -> None:
    """Put the functions that ask into place for as long as the process runs; again, for modules that came since."""
    with _placed.lock:
        _put()
        _placed.needed += 1
        _placed.lasts = True


def ask_others_too(function: Callable[..., Any]) -> Callable[..., Any]:
    """A program has given a function an object of a class that is no tensor's: from now on all functions ask.

    Returns:
        What a program finds under the function's name from now on.
    """
    ask_before_calls()
    method = getattr(Tensor, getattr(function, "__name__", ""), None)
    found = _placed.functions.get(("lazygrad", id(function)), public_form(function))
    return method if found is function and method == function else found


@contextmanager
def in_place() -> Iterator[None]:
    """Functions ask while this context lasts."""
    with _placed.lock:
        _put()
        _placed.needed += 1
    try:
        yield
    finally:
        with _placed.lock:
            _placed.needed -= 1
            if not _placed.needed:
                _take_away()


def put_back() -> None:
    """Put the ordinary functions back, for tests: classes that need those that ask do without from now on."""
    with _placed.lock:
        _placed.needed, _placed.lasts = 0, False
        _take_away()


def ordinary(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that one which asks stands for; any other as it is."""
    return function.ordinary if isinstance(function, Dispatching) else function


def lasting_form(function: Any) -> Any:
    """A function as a program will find it when what is in place for a while only is gone."""
    return function if _placed.lasts and isinstance(function, Dispatching) else ordinary(function)


def public_form(function: Any) -> Any:
    """What a program finds under the name of a function at the moment: one that asks, if these are in place."""
    function = ordinary(function)
    return _placed.functions.get(("", id(function)), function) if _placed.is_whole else function


def _put() -> None:
    if not _placed.is_whole:
        _take_away()  # what an interrupt has left
        _placed.functions = _placed.functions or _forms(chain(known_functions(), known_initializers()))
        for known in list(known_methods()):
            _replace(Tensor, known.name, known.function, Dispatching(known))
        _replace(Tensor, "__iter__", vars(Tensor)["__iter__"], _iterating(vars(Tensor)["__iter__"]))
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType):
            _put_into(module)
    _placed.is_whole = True


def _forms(functions: Iterable[Known]) -> dict[tuple[str, int], Dispatching]:
    """What stands for each function, by its module; of several names in it, by that which is its own."""
    forms: dict[tuple[str, int], Dispatching] = {}
    for known in functions:
        function, own_name = id(known.function), getattr(known.function, "__name__", "")
        if (known.module, function) in forms and known.name != own_name:
            continue
        form = forms[known.module, function] = Dispatching(known)
        if known.module in (FUNCTIONAL, "lazygrad") or ("", function) not in forms:
            forms["", function] = form
    return forms


def _put_into(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        if callable(value) and ("", id(value)) in _placed.functions:
            _placed.undo.append((module, name, value))
            vars(module)[name] = _form_in(module, value)


def _form_in(module: ModuleType, function: Any) -> Dispatching:
    """What stands for a function in a module: `relu` of ``nn.functional`` spells its arguments out, and others not."""
    names = ("lazygrad", *NAMESPACES)  # which `as_torch` may have changed in the modules themselves
    home = next((name for name in names if sys.modules.get(name) is module), "")
    return _placed.functions.get((home, id(function))) or _placed.functions["", id(function)]


def _replace(owner: Any, name: str, old: Any, new: Any) -> None:
    _placed.undo.append((owner, name, old))
    setattr(owner, name, new)


def _take_away() -> None:
    _placed.is_whole = False
    for owner, name, old in reversed(_placed.undo):
        if isinstance(owner, ModuleType):
            if vars(owner).get(name) is _form_in(owner, old):  # and not what a program has put there since
                vars(owner)[name] = old
        else:
            setattr(owner, name, old)
    _placed.undo.clear()


def _iterating(ordinary_iteration: Callable[[Tensor], Iterator[Tensor]]) -> Callable[[Tensor], Iterator[Any]]:
    """Iteration over tensors, which of classes that are asked gives what ``unbind`` gives."""

    def __iter__(self: Tensor) -> Iterator[Any]:
        if asking.asks_classes and has_override(type(self)) and self.dim() > 0:
            return iter(self.unbind(0))
        return ordinary_iteration(self)

    return __iter__


def attributes_ask() -> Callable[[], None]:
    """Have attributes of all tensors ask, as modes see them; calling the answer undoes it."""
    replaced = list(known_properties())
    for name, plain in replaced:
        setattr(Tensor, name, DispatchingProperty(name, plain))

    def undo() -> None:
        for name, plain in replaced:
            if name in _OF_BASE:
                delattr(Tensor, name)
            else:
                setattr(Tensor, name, plain)

    return undo


_OF_BASE = frozenset(name for name in dir(Tensor) if name not in vars(Tensor))
