"""Functions, methods and attributes that ask the modes and the classes of their arguments before they run.

None is in place before a program needs them (`lazygrad.overrides.placing`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ir.spoken_name import package
from lazygrad.ops.arguments.elsewhere import overriding_arguments
from lazygrad.overrides.names import Asks, Known, Spelling
from lazygrad.tensor import Tensor
from lazygrad.torch_function import DisableTorchFunctionSubclass, asking, has_override

_PLAIN = frozenset({Tensor, int, float, bool, complex, str, type(None), DType, slice, type(...)})


class Dispatching:
    """A function that asks first. It equals the function that it stands for, so that tables have one entry of both.

    Args:
        known: the function.
    """

    def __init__(self, known: Known) -> None:
        functools.update_wrapper(self, known.function)
        self._function, self._known, self._is_method = known.function, known, known.is_method
        self.__name__ = self.__qualname__ = known.name
        if not known.is_method:  # so that a pickle names what a later process has, too
            self.__module__ = package.name + known.module.removeprefix("lazygrad")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not asking.modes:
            for argument in args:  # plain ones, as most are: without further calls
                if type(argument) not in _PLAIN:
                    break
            else:
                if not kwargs:
                    return self._function(*args)
        if self.asks_nobody(args, kwargs):
            return self._function(*args, **kwargs)
        overriding = self._overriding(args, kwargs)
        if overriding or (self._known.asks is not Asks.NOBODY and asking.modes and asking.asks_modes):
            return self._asked(overriding, args, kwargs)
        with DisableTorchFunctionSubclass():
            return self._function(*args, **kwargs)

    def _overriding(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """One argument of each class that is asked. PyTorch's functions in Python also ask plain tensors' class."""
        asks = self._known.asks
        if asks not in (Asks.ALL, Asks.OTHERS):
            return []
        parts: list[Any] = []
        _collect([*args, *kwargs.values()], parts)
        found = overriding_arguments(parts)
        if asks is Asks.OTHERS:
            return [argument for argument in found if not isinstance(argument, Tensor)]
        if found and self._known.spelling is not Spelling.AS_CALLED:
            found += [part for part in parts if type(part) is Tensor][:1]
        return found

    def asks_nobody(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether a call with these arguments is one of the ordinary function."""
        if asking.modes and asking.asks_modes and self._known.asks is not Asks.NOBODY:
            return False
        return not asking.asks_classes or not (_concern(args) or (kwargs and _concern(kwargs.values())))

    @property
    def is_method(self) -> bool:
        """Whether this is a method of tensors."""
        return self._known.is_method

    @property
    def ordinary(self) -> Callable[..., Any]:
        """The function that this one stands for."""
        return self._function

    def _asked(self, overriding: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        known = self._known
        asked_for = getattr(Tensor, known.reported, self) if known.is_method else self
        is_python = known.spelling is not Spelling.AS_CALLED
        if known.spelling in (Spelling.SPELLED_OUT, Spelling.BY_NAME):
            args, kwargs = _spelled_out(self._function, args, kwargs, known.spelling is Spelling.BY_NAME)
        result = ask(asked_for, overriding, args, kwargs if kwargs or is_python else None)
        if result is NotImplemented and not known.is_operator:
            raise no_implementation(asked_for, overriding, is_python)
        return result

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        return MethodType(self, instance) if self._is_method and instance is not None else self

    def __eq__(self, other: object) -> bool:
        return self is other or self._function is getattr(other, "_function", other)

    def __hash__(self) -> int:
        return hash(self._function)

    def __reduce__(self) -> Any:
        return (getattr, (Tensor, self._known.name)) if self._known.is_method else self.__qualname__

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__qualname__}>"


def _concern(arguments: Any) -> bool:
    """Whether the class of any of the arguments, or of what lists and tuples among them hold, is to be asked."""
    for argument in arguments:
        kind = type(argument)
        if kind in _PLAIN:
            continue
        if kind is tuple or kind is list:
            if _concern(argument):
                return True
        elif has_override(kind):
            return True
    return False


def _collect(arguments: Any, parts: list[Any]) -> None:
    for argument in arguments:
        if isinstance(argument, (tuple, list)):
            _collect(argument, parts)
        else:
            parts.append(argument)


_signature = functools.cache(inspect.signature)


def _spelled_out(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], by_name: bool
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The required arguments by position, or ``by_name``, and all others so; as they are where they do not fit."""
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except TypeError:
        return args, kwargs
    bound.apply_defaults()
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= value
        elif parameter.default is parameter.empty and not by_name:
            positional.append(value)
        else:
            named[name] = value
    return tuple(positional), named


def ask(
    asked_for: Callable[..., Any], overriding: Sequence[Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None
) -> Any:
    """What the innermost mode, or the first class that does not answer NotImplemented, makes of a call.

    Args:
        asked_for: the function as those asked know it.
        overriding: one argument of each class that is asked.
        args, kwargs: all arguments; None where there are no keywords.

    Returns:
        NotImplemented where nobody has an answer.
    """
    types = tuple(map(type, overriding))
    rest = () if kwargs is None else (kwargs,)
    if asking.modes and asking.asks_modes:
        mode = asking.modes.pop()  # what the mode itself calls is seen by the modes around it
        try:
            result = mode.__torch_function__(asked_for, types, args, *rest)
        finally:
            asking.modes.append(mode)
        if result is not NotImplemented:
            return result
    for argument in overriding:
        result = argument.__torch_function__(asked_for, types, args, *rest)
        if result is not NotImplemented:
            return result
    return NotImplemented


def no_implementation(asked_for: Any, overriding: Sequence[Any], is_python: bool = True) -> TypeError:
    """The error of a call that nobody has an answer for."""
    name = f"{asked_for.__module__}.{getattr(asked_for, '__name__', asked_for)}"
    types = [type(argument) for argument in overriding]
    mode = f" nor in mode {asking.modes[-1]}" if asking.modes else ""
    if is_python:
        return TypeError(
            f"no implementation found for {name!r} on types that implement __torch_function__: {types}{mode}"
        )
    asked = [f"mode object {mode}" for mode in asking.modes[-1:]] + [f"tensor subclass {type}" for type in types]
    lines = "".join(f"\n\n  - {each}" for each in asked)
    return TypeError(
        f"Multiple dispatch failed for {name!r}; all __torch_function__ handlers returned NotImplemented:{lines}"
    )


class AttributeCall:
    """``Tensor.shape.__get__`` and the like, as those asked are given it: equal to what the class itself has.

    Args:
        attribute: whose.
        name: ``__get__``, ``__set__`` or ``__delete__``.
    """

    def __init__(self, attribute: DispatchingProperty, name: str) -> None:
        self.__self__, self.__name__, self.__module__ = attribute, name, "lazygrad"

    def __call__(self, *args: Any) -> Any:
        return getattr(self.__self__, self.__name__)(*args)

    def _plain(self) -> Any:
        return getattr(self.__self__.plain, self.__name__)

    def __eq__(self, other: object) -> bool:
        return bool(self._plain() == (other._plain() if isinstance(other, AttributeCall) else other))

    def __hash__(self) -> int:
        return hash(self._plain())


class DispatchingProperty:
    """An attribute that asks first.

    Attributes:
        plain: the property that it stands for.
    """

    def __init__(self, name: str, plain: property) -> None:
        self.__name__, self.plain, self.__doc__ = name, plain, plain.__doc__

    def _asked(self, call: str, instance: Any, *args: Any) -> Any:
        if (asking.modes and asking.asks_modes) or (asking.asks_classes and has_override(type(instance))):
            asked_for = AttributeCall(self, call)
            overriding = overriding_arguments([instance])
            result = ask(asked_for, overriding, (instance, *args), None)
            if result is NotImplemented:
                raise no_implementation(asked_for, overriding, False)
            return result
        return getattr(self.plain, call)(instance, *args)

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        return self.plain if instance is None else self._asked("__get__", instance)

    def __set__(self, instance: Any, value: Any) -> None:
        self._asked("__set__", instance, value)

    def __delete__(self, instance: Any) -> None:
        self._asked("__delete__", instance)
