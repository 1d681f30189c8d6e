"""The `compile` function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, overload

from lazygrad.compiling.compiled import CompiledFunction
from lazygrad.compiling.compiled_module import compiled_module
from lazygrad.nn.module import Module

Function = TypeVar("Function", bound=Callable[..., Any])

_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


@overload
def compile(
    model: Function,
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    backend: str | None = ...,
    mode: str | None = ...,
    options: Mapping[str, Any] | None = ...,
    disable: bool = ...,
) -> Function: ...


@overload
def compile(
    model: None = ...,
    *,
    fullgraph: bool = ...,
    dynamic: bool | None = ...,
    backend: str | None = ...,
    mode: str | None = ...,
    options: Mapping[str, Any] | None = ...,
    disable: bool = ...,
) -> Callable[[Function], Function]: ...


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | None = None,
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
    disable: bool = False,
) -> Any:
    """A function that records its calls, and replays them without running ``model``'s Python code again.

    A call is the unit: forward, backward, optimizer steps and updates of buffers become one program. It is replayed
    when everything it depends on is as it was when it was recorded: the arguments' structure, shapes, dtypes, devices
    and plain values; gradient mode and training flags; and the globals, closures, attributes, lists and dictionaries
    its code can reach. Tensors' values are read anew, and so are learning rates and the state of the random
    generators, so that a replay computes what the call would have computed.

    The first calls are recorded: one to see which code runs, and two that agree. What a replay could not repeat is
    never left out silently. A call that reads a computed value, draws random numbers outside the graph, prints, or
    changes Python objects runs uncompiled every time; a warning names the reason, and so does ``explain()`` of the
    result. A call whose result still needs a backward runs uncompiled too, without a warning: compile the whole step.

    Usable as a decorator, with and without arguments.

    Args:
        model: a function, or a module. The result is then the same module, sharing all attributes, called otherwise.
        fullgraph: raise where a call cannot be replayed.
        dynamic: expect many shapes: keep 64 recordings instead of 8. Each shape has one of its own.
        backend: accepted; `lazygrad.set_backend` chooses what runs programs.
        mode: accepted: one of PyTorch's.
        options: accepted.
        disable: return ``model`` itself.

    Raises:
        RuntimeError: ``mode`` is unknown, or given beside ``options``; with ``fullgraph``, calls raise it too.
        TypeError: ``model`` cannot be called.
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if model is None:
        return partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
        )
    if not callable(model):
        raise TypeError(f"compile: expected a function or a module, not {type(model).__name__}")
    if disable:
        return model
    if isinstance(model, Module):
        return compiled_module(model, fullgraph, dynamic)
    return CompiledFunction(model, fullgraph, dynamic)
