"""`wrap`: functions of Python that a tracer records as one call, though they ask nobody themselves."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from lazygrad.fx.node import map_aggregate
from lazygrad.fx.patching import Patches
from lazygrad.fx.proxy import Proxy

__all__ = ["wrap"]

Named = TypeVar("Named", bound=str | Callable[..., Any])

_wrapped: dict[tuple[int, str], dict[str, Any]] = {}


def wrap(fn_or_name: Named) -> Named:
    """Have tracers record calls of a global function of this module, also of ``len`` and the like.

    Args:
        fn_or_name: the function, or its name; called at the top of the module, or as a decorator there.

    Raises:
        RuntimeError: neither a function nor a name.
        NotImplementedError: called elsewhere than at the top of a module.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


def patch_wrapped(patches: Patches) -> None:
    """Put what records calls in place of all functions that were given to `wrap`."""
    for (_, name), namespace in _wrapped.items():
        function = namespace.get(name, getattr(builtins, name, None))
        if function is not None and not hasattr(function, "__fx_already_patched"):
            patches.entry(namespace, name, recording(function))


def patch_functions(patches: Patches, namespace: dict[str, Any], functions: Iterable[Callable[..., Any]]) -> None:
    """Put what records calls in place of some functions in a namespace, under whatever names."""
    known = {id(function) for function in functions}
    for name, value in list(namespace.items()):
        if not name.startswith("_") and callable(value) and id(value) in known:
            patches.entry(namespace, name, recording(value))


def recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose calls with proxies become nodes."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = proxy_in((args, kwargs))
        if proxy is None:
            return function(*args, **kwargs)
        result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        result.node.meta["is_wrapped"] = True
        return result

    setattr(wrapped, "__fx_already_patched", True)
    return wrapped


def proxy_in(arguments: Any) -> Proxy | None:
    """The first proxy in some arguments."""
    found: list[Proxy] = []

    def note(part: Any) -> Any:
        if isinstance(part, Proxy):
            found.append(part)
        return part

    map_aggregate(arguments, note)
    return found[0] if found else None
