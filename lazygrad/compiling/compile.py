"""The `compile` function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, overload

from lazygrad.compiling.compiled import CompiledFunction
from lazygrad.compiling.compiled_module import compiled_module
from lazygrad.nn.core.module import Module

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
    state: Any = ...,
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
    state: Any = ...,
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
    state: Any = None,
) -> Any:
    """A function that records its calls, and replays them without running ``model``'s Python code again.

    A call is the unit: forward, backward, optimizer steps and updates of buffers become one program. A call is replayed
    only if everything it read when it was recorded is known, and is as it was: the arguments' structure, shapes,
    dtypes, devices and plain values; lazygrad's settings; and each global, closure variable, attribute and item that
    the code read. Tensors' values are read anew, and so are what schedules change of optimizers and the state of the
    random generators, so that a replay computes what the call would have computed.

    The first calls are recorded: one to see what is read, and two that agree. While recording, the function runs in a
    copy made from its source, in which every such read makes a guard. What no guard can repeat is never left out
    silently: a call that reads a computed value, the environment or the clock, seeds random numbers, prints, changes
    Python objects, imports a module for the first time, or uses a construct that is not known to be safe runs
    uncompiled every time. A warning names the line, and so does ``explain()`` of the result. A call whose result still
    needs a backward runs uncompiled too, without a warning: compile the whole step.

    With ``state``, nothing is looked for: the caller names the modules, optimizers and tensors that change between
    calls, and promises that everything else that the function reads stays the same, and that it changes nothing else.
    Of modules and optimizers their attributes, options, parameters, buffers, submodules and registered hooks may change
    between calls, and so may what their attributes hold in lists, dictionaries, sets of plain values and dataclasses.
    Not noticed are: attributes of other objects to which an attribute refers, another class of a module and other code
    of any, attributes that are set again in another order, and another dictionary in the place of the one that holds a
    module's hooks.

    Usable as a decorator, with and without arguments.

    Args:
        model: a function, or a module. The result is then the same module, sharing all attributes, called otherwise.
        fullgraph: raise where a call cannot be replayed.
        dynamic: expect many sizes. A call of new sizes is run by a plan that serves a range of them, as if its
            arguments were given to `mark_dynamic`; what comes a third time at the same sizes has a recording of its
            own, and 64 are kept instead of 8.
        backend: accepted; `lazygrad.set_backend` chooses what runs programs.
        mode: accepted: one of PyTorch's.
        options: accepted.
        disable: return ``model`` itself.
        state: a module, optimizer, tensor or generator, or a sequence of such; see above.

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
            compile,
            fullgraph=fullgraph,
            dynamic=dynamic,
            backend=backend,
            mode=mode,
            options=options,
            disable=disable,
            state=state,
        )
    if not callable(model):
        raise TypeError(f"compile: expected a function or a module, not {type(model).__name__}")
    if disable:
        return model
    if state is not None and not isinstance(state, (tuple, list)):
        state = (state,)
    if isinstance(model, Module):
        return compiled_module(model, fullgraph, dynamic, state)
    return CompiledFunction(model, fullgraph, dynamic, state)
