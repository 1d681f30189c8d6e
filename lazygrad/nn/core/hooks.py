"""Hooks around a module's forward and backward computation."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle, add_hook
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn.core.backward_hooks import BackwardHookCall
from lazygrad.nn.core.global_hooks import hooks_of_all
from lazygrad.nn.core.operation_hooks import hook_last_operation


class ModuleHooks:
    """The part of `Module` that registers hooks; `call_with_hooks` runs them."""

    forward: Callable[..., Any]

    _forward_pre_hooks: HookRegistry[Callable[..., Any]]
    _forward_hooks: HookRegistry[Callable[..., Any]]
    # The numbers of those that were registered with an option; dictionaries of the module once there are any.
    _forward_pre_hooks_with_kwargs: Mapping[int, bool] = {}
    _forward_hooks_with_kwargs: Mapping[int, bool] = {}
    _forward_hooks_always_called: Mapping[int, bool] = {}
    _backward_pre_hooks: HookRegistry[Callable[..., Any]]
    _backward_hooks: HookRegistry[Callable[..., Any]]
    # Of which kind these are; None while there are none.
    _is_full_backward_hook: bool | None = None

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(
            _forward_pre_hooks=HookRegistry(),
            _forward_hooks=HookRegistry(),
            _backward_pre_hooks=HookRegistry(),
            _backward_hooks=HookRegistry(),
        )

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls a hook before every ``forward``.

        Args:
            hook: called as ``hook(module, args)``; may return other positional arguments.
            prepend: run it before the hooks that are there already.
            with_kwargs: call it as ``hook(module, args, kwargs)``; it may return ``(args, kwargs)``.
        """
        options = self._numbers_of(_forward_pre_hooks_with_kwargs=with_kwargs)
        return add_hook(self._forward_pre_hooks, hook, prepend, options)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Calls a hook after every ``forward``.

        Args:
            hook: called as ``hook(module, args, output)``; may return another output.
            prepend: run it before the hooks that are there already.
            with_kwargs: call it as ``hook(module, args, kwargs, output)``.
            always_call: call it also when ``forward`` raises, with None for the output.
        """
        options = self._numbers_of(_forward_hooks_with_kwargs=with_kwargs, _forward_hooks_always_called=always_call)
        return add_hook(self._forward_hooks, hook, prepend, options)

    def _numbers_of(self, **options: bool) -> list[OrderedDict[int, bool]]:
        """The dictionaries of the options that are chosen."""
        return [self.__dict__.setdefault(name, OrderedDict()) for name, chosen in options.items() if chosen]

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls a hook when the gradients of the module's outputs are known.

        Args:
            hook: called as ``hook(module, grad_output)`` with a tuple; may return another one.
            prepend: run it before the hooks that are there already.
        """
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls a hook when the gradients of the module's inputs are known.

        Args:
            hook: called as ``hook(module, grad_input, grad_output)`` with tuples, None standing for arguments that
                are no tensors or need no gradient; may return another ``grad_input``.
            prepend: run it before the hooks that are there already.
        """
        self._require_kind(is_full=True)
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls a hook with the gradients of the last operation in ``forward``; `register_full_backward_hook` is newer.

        Args:
            hook: called as ``hook(module, grad_input, grad_output)``, with what that operation's inputs and its output
                receive; may return another ``grad_input``.

        Raises:
            RuntimeError: the module has full backward hooks.
        """
        self._require_kind(is_full=False)
        return add_hook(self._backward_hooks, hook)

    def _require_kind(self, is_full: bool) -> None:
        if self._is_full_backward_hook is (not is_full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only "
                "one of them."
            )
        self._is_full_backward_hook = is_full


def call_with_hooks(module: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs ``module.forward`` and all hooks around it."""
    finished: set[int] = set()
    try:
        args, kwargs = _run_pre_hooks(module, args, kwargs)
        backward: BackwardHookCall | None = None
        own = module._backward_hooks if module._is_full_backward_hook else {}
        hooks = [*hooks_of_all("backward").values(), *own.values()]
        pre_hooks = [*hooks_of_all("backward_pre").values(), *module._backward_pre_hooks.values()]
        if hooks or pre_hooks:
            backward = BackwardHookCall(module, pre_hooks, hooks)
            args = backward.watch_inputs(args)
        output = module.forward(*args, **kwargs)
        for hook_id, hook in _forward_hooks_of(module):
            finished.add(hook_id)
            output = _run_forward_hook(hook, module, args, kwargs, output)
        output = output if backward is None else backward.watch_output(output)
        own = module._backward_hooks if module._is_full_backward_hook is False else {}
        of_operation = [*hooks_of_all("operation").values(), *own.values()]
        if of_operation:
            hook_last_operation(module, of_operation, args, output)
        return output
    except Exception:
        _run_remaining_hooks(module, args, kwargs, finished)
        raise


_WithOptions = tuple[Callable[..., Any], bool, bool]
"""A hook, whether it is given the keywords, and whether it is called after an error, too."""


def _forward_hooks_of(module: ModuleHooks) -> list[tuple[int, _WithOptions]]:
    with_kwargs, always = module._forward_hooks_with_kwargs, module._forward_hooks_always_called
    own = [(number, (hook, number in with_kwargs, number in always)) for number, hook in module._forward_hooks.items()]
    return [*hooks_of_all("forward").items(), *own]


def _forward_pre_hooks_of(module: ModuleHooks) -> list[_WithOptions]:
    with_kwargs = module._forward_pre_hooks_with_kwargs
    own = [(hook, number in with_kwargs, False) for number, hook in module._forward_pre_hooks.items()]
    return [*hooks_of_all("forward_pre").values(), *own]


def _run_pre_hooks(
    module: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    for hook, with_kwargs, _ in _forward_pre_hooks_of(module):
        if with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                )
            args, kwargs = changed
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


def _run_forward_hook(
    given: _WithOptions, module: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
) -> Any:
    hook, with_kwargs, _ = given
    changed = hook(module, args, kwargs, output) if with_kwargs else hook(module, args, output)
    return output if changed is None else changed


def _run_remaining_hooks(
    module: ModuleHooks, args: tuple[Any, ...], kwargs: dict[str, Any], finished: set[int]
) -> None:
    """After an error: the ``always_call`` hooks that have not run. Their own errors must not hide the first one."""
    for hook_id, hook in _forward_hooks_of(module):
        if not hook[2] or hook_id in finished:
            continue
        try:
            _run_forward_hook(hook, module, args, kwargs, None)
        except Exception as error:
            warn_user(
                "module forward hook with ``always_call=True`` raised an exception that was silenced as another "
                f"error was raised in forward: {error}",
            )
