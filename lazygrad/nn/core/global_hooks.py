"""Hooks that all modules have, for debugging and measuring: they run before those of the module that is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle

Kind = Literal["forward_pre", "forward", "backward_pre", "backward", "operation"]


class ForwardHook(NamedTuple):
    """A hook with the options it was registered with."""

    function: Callable[..., Any]
    with_kwargs: bool
    always_call: bool = False


class GlobalHook(NamedTuple):
    """A hook, and around what it runs."""

    kind: Kind
    hook: Any


# What runs when a member is registered: (kind of member, hook).
registration_hooks: HookRegistry[tuple[str, Callable[..., Any]]] = HookRegistry()
# One registry for all kinds, so that a call of a module asks once whether there are any.
global_hooks: HookRegistry[GlobalHook] = HookRegistry()


def hooks_of_all(kind: Kind) -> dict[int, Any]:
    """The hooks of a kind by their numbers."""
    return {number: each.hook for number, each in global_hooks.items() if each.kind == kind}


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(module, args)`` before every ``forward`` of any module; it may return other arguments."""
    return global_hooks.add(GlobalHook("forward_pre", ForwardHook(hook, with_kwargs=False)))


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls a hook after every ``forward`` of any module; see `Module.register_forward_hook`."""
    return global_hooks.add(GlobalHook("forward", ForwardHook(hook, with_kwargs, always_call)))


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls a hook for any module; see `Module.register_full_backward_pre_hook`."""
    return global_hooks.add(GlobalHook("backward_pre", hook))


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls a hook for any module; see `Module.register_full_backward_hook`.

    Raises:
        RuntimeError: there are hooks of `register_module_backward_hook`.
    """
    _require_none("operation")
    return global_hooks.add(GlobalHook("backward", hook))


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls a hook for any module; see `Module.register_backward_hook`.

    Raises:
        RuntimeError: there are hooks of `register_module_full_backward_hook`.
    """
    _require_none("backward")
    return global_hooks.add(GlobalHook("operation", hook))


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(module, name, parameter)`` when a parameter is registered; it may return another one."""
    return registration_hooks.add(("parameter", hook))


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(module, name, buffer)`` when a buffer is registered; it may return another one."""
    return registration_hooks.add(("buffer", hook))


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(module, name, submodule)`` when a submodule is registered; it may return another one."""
    return registration_hooks.add(("module", hook))


def registered(kind: str, module: object, name: str, member: Any) -> Any:
    """What is registered in place of ``member``."""
    for of, hook in list(registration_hooks.values()):
        changed = hook(module, name, member) if of == kind else None
        member = member if changed is None else changed
    return member


def _require_none(kind: Kind) -> None:
    if hooks_of_all(kind):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
            "one of them."
        )
