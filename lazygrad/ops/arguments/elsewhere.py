"""Calls that another implementation answers: an argument is a sparse tensor, or its class has ``__torch_function__``.

Nobody asks for either before a call. Neither can be used as a tensor with memory, so such a call fails; the decorators
that stand around functions anyway ask then, and programs without such arguments pay nothing. A program that has called
one of them with an object of such a class is known to have it, and all functions ask from then on.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from types import FunctionType
from typing import Any, ClassVar, TypeVar, cast

from lazygrad.tensor import Tensor
from lazygrad.torch_function import asking, has_override

Function = TypeVar("Function", bound=Callable[..., Any])
Form = Callable[..., Any]  # is called with the arguments of the call that failed
Ask = Callable[[Callable[..., Any], Sequence[Any], Mapping[str, Any]], Form | None]

FAILED = (NotImplementedError, TypeError, AttributeError)  # what functions raise that get such an argument

# What decorators have made of functions. A local function that named itself would, compiled, keep what it records.
DECORATED: dict[Callable[..., Any], Callable[..., Any]] = {}


class Others:
    """Who is asked before the classes of arguments are; layers above add themselves."""

    asked: ClassVar[list[Ask]] = []


def answered_elsewhere(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What another implementation makes of a call, while one of the errors in `FAILED` is handled, which is raised
    again where there is none; see `elsewhere`."""
    form = elsewhere(function, args, kwargs, frames=3)
    if form is None:
        raise  # the error that the caller handles
    return form()


def elsewhere(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frames: int = 2
) -> Form | None:
    """What makes the result of a call that has just failed; None where there is no other implementation.

    Args:
        function: what was called, whose own code calls this.
        args, kwargs: what it was called with.
        frames: how many lie between this one and that of the program that called the function.
    """
    for ask in Others.asked:
        form = ask(function, args, kwargs)
        if form is not None:
            return functools.partial(_quietly, form, args, kwargs)
    overriding = overriding_arguments(_parts([*args, *kwargs.values()]))
    if overriding and not _is_of_this_library(sys._getframe(frames).f_globals.get("__name__", "")):
        found = import_module("lazygrad.overrides.placing").ask_others_too(function)
        return functools.partial(_quietly, ask_classes, (found, overriding, args, kwargs), {})
    unbound = _made_method(function, args)
    if unbound is not None:
        return functools.partial(_quietly, unbound, args[1:], kwargs)
    return _reflected(function, args)


def _made_method(function: Callable[..., Any], args: Sequence[Any]) -> Callable[..., Any] | None:
    """The function that the class of the first argument holds, if that came because Python made it a method.

    PyTorch's functions are built in and become no methods: with ``op = torch.add`` in a class, ``self.op(x, y)`` adds
    two tensors. An object that says so itself would cost every call 30 ns or more; this costs only a call that failed.
    """
    cls = type(args[0]) if args else Tensor
    if issubclass(cls, Tensor) or cls.__module__ == "builtins":
        return None
    plain = inspect.unwrap(function)
    for base in cls.__mro__:
        for value in vars(base).values():
            if isinstance(value, FunctionType) and inspect.unwrap(value) is plain:
                return value
    return None


_REFLECTED = {
    name: f"__r{name}__" for name in "add sub mul pow matmul mod lshift rshift and or xor".split()
} | {"div": "__rtruediv__", "floor_divide": "__rfloordiv__", "remainder": "__rmod__",
     "lt": "__gt__", "le": "__ge__", "gt": "__lt__", "ge": "__le__"}  # fmt: skip


def _reflected(function: Callable[..., Any], args: Sequence[Any]) -> Form | None:
    """What the second operand makes of an operator, if it is of a class that is neither Python's nor a tensor's."""
    if len(args) != 2 or isinstance(args[1], Tensor) or type(args[1]).__module__ == "builtins":
        return None
    method = getattr(type(args[1]), _REFLECTED.get(function.__name__, ""), None)
    result = NotImplemented if method is None else method(args[1], args[0])
    return None if result is NotImplemented else lambda: result


def answers_elsewhere(function: Function) -> Function:
    """``function``, whose failed calls other implementations may answer; for functions without another decorator."""

    @functools.wraps(function)
    def variant(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except FAILED:
            return answered_elsewhere(DECORATED[function], args, kwargs)

    DECORATED[function] = variant
    return cast(Function, variant)


def _quietly(form: Form, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    try:
        return form(*args, **kwargs)
    except Exception as refusal:
        raise refusal from None  # that the first attempt failed is no news


def _is_of_this_library(module: str) -> bool:
    """Whether a module only passes on what a program has called, which classes are to be asked for instead."""
    return module.startswith(("lazygrad.ops.", "lazygrad.sparse.functions"))


def _parts(arguments: Iterable[Any]) -> list[Any]:
    """The arguments, and what is in lists and tuples among them."""
    found: list[Any] = []
    for argument in arguments:
        found += argument if isinstance(argument, (list, tuple)) else [argument]
    return found


def overriding_arguments(arguments: Iterable[Any]) -> list[Any]:
    """One argument of each class that has ``__torch_function__``, subclasses before their bases; see `Asking`."""
    found: list[Any] = []
    if not asking.asks_classes:
        return found
    for argument in arguments:
        cls = type(argument)
        if has_override(cls) and cls not in map(type, found):
            place = next((i for i, other in enumerate(found) if issubclass(cls, type(other))), len(found))
            found.insert(place, argument)
    return found


def ask_classes(
    function: Callable[..., Any], overriding: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """What the first of the arguments' classes that does not answer NotImplemented makes of a call.

    Raises:
        TypeError: no class implements the function.
    """
    types = tuple(map(type, overriding))
    for argument in overriding:
        result = argument.__torch_function__(function, types, tuple(args), dict(kwargs))
        if result is not NotImplemented:
            return result
    name = f"{function.__module__}.{function.__name__}"
    raise TypeError(f"no implementation found for {name!r} on types that implement __torch_function__: {[*types]}")
