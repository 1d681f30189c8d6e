"""`Module.compile`: a module whose own calls are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.compiling.compile import compile
from lazygrad.nn.core.module import Module


def compile_in_place(self: Module, *args: Any, **kwargs: Any) -> None:
    """Compiles the module's calls from then on.

    The module gets a class of its own, with the same name, whose calls are those of a compiled module that shares its
    attributes. Copies and pickles of it are of the class that it had.

    Args:
        args: for `lazygrad.compile`.
        kwargs: for `lazygrad.compile`.
    """
    cls = type(self).__mro__[1] if "_compiled_call" in vars(type(self)) else type(self)
    twin: Any = object.__new__(cls)
    twin.__dict__ = self.__dict__
    call = compile(twin, *args, **kwargs)

    def called(self: Module, *args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    def reduced(self: Module, protocol: Any) -> Any:
        make, arguments, *state = twin.__reduce_ex__(protocol)
        return _made, (make, arguments), *state

    members = {"__call__": called, "__reduce_ex__": reduced, "_compiled_call": call, "__module__": cls.__module__}
    self.__class__ = type(cls.__name__, (cls,), members)


def _made(make: Callable[..., Module], arguments: tuple[Any, ...]) -> Module:
    """A module of the class that a compiled one had: pickle would ask ``make`` for one of the class that it has."""
    return make(*arguments)
