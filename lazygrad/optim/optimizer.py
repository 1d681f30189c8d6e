"""What all optimizers share: parameter groups, their state, saving and loading."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle
from lazygrad.exposure import land_writes
from lazygrad.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from lazygrad.host.collector import collector_waits
from lazygrad.host.interrupts import uninterrupted
from lazygrad.ir.origin import from_one_line
from lazygrad.ir.user_warning import warn_user
from lazygrad.optim._direct_step import DirectStep, Unfit, note
from lazygrad.optim._for_subclasses import Parameters as Parameters
from lazygrad.optim._for_subclasses import ParamsT as ParamsT
from lazygrad.optim._for_subclasses import StateDict as StateDict
from lazygrad.optim._for_subclasses import _default_to_fused_or_foreach as _default_to_fused_or_foreach
from lazygrad.optim._for_subclasses import _get_value as _get_value
from lazygrad.optim._for_subclasses import _RequiredParameter as _RequiredParameter
from lazygrad.optim._for_subclasses import _stack_if_compiling as _stack_if_compiling
from lazygrad.optim._for_subclasses import _use_grad_for_differentiable as _use_grad_for_differentiable
from lazygrad.optim._for_subclasses import _view_as_real as _view_as_real
from lazygrad.optim._for_subclasses import hooks_after, hooks_before
from lazygrad.optim._for_subclasses import register_optimizer_step_post_hook as register_optimizer_step_post_hook
from lazygrad.optim._for_subclasses import register_optimizer_step_pre_hook as register_optimizer_step_pre_hook
from lazygrad.optim._for_subclasses import required as required
from lazygrad.optim._state_dict import pack_state_dict, unpack_state_dict
from lazygrad.optim._step_numbers import noting_numbers, step_begins
from lazygrad.runtime.listening import listening
from lazygrad.runtime.realize import cache, realize
from lazygrad.tensor import Tensor, realize_all

Group = dict[str, Any]


def assign(tensor: Tensor, value: Tensor) -> None:
    """Writes ``value`` over the whole of ``tensor``, without recording a copy."""
    if is_grad_enabled():
        tensor.assign(value.node(), since=step_begins())  # what the step itself reads is the old value
    else:
        tensor._replace_value(value)


def _with_step_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A ``step`` that runs the optimizer's hooks around itself, unless a subclass's ``step`` called it.

    An optimizer that wraps another may leave out `Optimizer.__init__`, and has no hooks then, as in PyTorch.
    """

    @functools.wraps(step)
    def hooked_step(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if type(self).step is not hooked_step or "_step_pre_hooks" not in vars(self):
            return step(self, *args, **kwargs)
        self._opt_called = True
        for pre_hook in hooks_before(self):
            changed = pre_hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{type(self).__name__}.step must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {changed}."
                    )
                args, kwargs = changed
        result = step(self, *args, **kwargs)
        for hook in hooks_after(self):
            hook(self, args, kwargs)
        return result

    return hooked_step


class Optimizer:
    """Base class of all optimizers.

    A subclass either defines `_update_parameter`, one parameter's update, or overrides `step`.

    Args:
        params: tensors, (name, tensor) pairs, or dictionaries with such under ``"params"`` and options of their own.
        defaults: options of the groups that do not set them.

    Attributes:
        param_groups: dictionaries with the tensors under ``"params"`` and all options.
        state: what the optimizer keeps for each tensor.
        defaults: see above.

    Raises:
        TypeError: something else than tensors is to be optimized.
        ValueError: no parameters, some of them computed from others, or in two groups.
    """

    _opt_called = False  # whether `step` was called, which schedules ask for

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._register_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {type(params).__name__}"
            )
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        listed: list[Any] = list(params)
        if not listed:
            raise ValueError("optimizer got an empty parameter list")
        groups = listed if isinstance(listed[0], dict) else [{"params": listed}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _with_step_hooks(cls.step)  # type: ignore[method-assign]

    def add_param_group(self, param_group: Group) -> None:
        """Adds parameters, for example of layers that are no longer frozen.

        Args:
            param_group: the tensors under ``"params"``, and options that differ from the defaults.

        Raises:
            TypeError: something else than tensors, or a set, whose order would change between runs.
            ValueError: computed tensors, tensors of another group, names for only some of them, or an option left out
                that is `required`.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _list_parameters(param_group, bool(self.defaults.get("differentiable")))
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        own = {id(parameter) for parameter in param_group["params"]}
        if len(own) != len(param_group["params"]):
            warn_user(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                kind = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {kind} to the optimizer"
                )
            if any(id(parameter) in own for parameter in group["params"]):
                raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters: sets them to None, or to zeros for ``set_to_none=False``."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad = None if set_to_none else parameter.grad.detach().zero_()

    @_with_step_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Computes gradients and what else is pending, then updates all parameters that have a gradient.

        Args:
            closure: computes the loss and its gradients again, and returns the loss.

        Returns:
            What ``closure`` returned; None without one.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if self.defaults.get("differentiable"):
            with noting_numbers():
                self._record_updates()
            return loss
        direct = _direct_steps.get(self)
        if direct is None or not direct.run(self):
            _direct_steps.pop(self, None)
            with collector_waits():  # what is recorded here is let go of when it is computed
                self._step_by_recording()
        return loss

    def _compute_gradients(self) -> None:
        """Compute what the step reads, and what else is pending; a recorded call becomes one program as a whole."""
        if listening.listener is None:
            parameters = [parameter for group in self.param_groups for parameter in group["params"]]
            gradients = [g for parameter in parameters if type(g := parameter._grad) is Tensor]
            realize_all([gradient for gradient in gradients if gradient._storage.value.value is None])

    def _step_by_recording(self) -> None:
        self._compute_gradients()
        noted = note(self)
        before = [tensor.remember() for tensor in self._tensors()]
        before.append(
            functools.partial(self._restore_state, [(key, state, state.copy()) for key, state in self.state.items()])
        )
        done: list[Any] = []
        try:
            with noting_numbers() as numbers:
                self._record_updates()
            if listening.listener is not None:
                listening.listener.on_step(before)
            uninterrupted(self._compute_updates, done)
        except BaseException:
            if not done:
                for restore in before:
                    restore()  # a step that failed leaves the model as it was
            raise
        if listening.listener is None:
            with suppress(Unfit):
                _direct_steps[self] = DirectStep(self, noted, numbers, done[0])

    def _compute_updates(self, done: list[Any]) -> None:
        if listening.listener is None:
            last = cache.last
            ran = realize([tensor._storage.value for tensor in self._tensors()])
            land_writes()
            cache.last = last or cache.last  # what is shown of a training step is the loss and its gradients
        else:
            realize_all(self._tensors())
            ran = None
        done.append(ran)  # a Ctrl-C that waited until now comes after the step

    def _record_updates(self) -> None:
        with set_grad_enabled(bool(self.defaults.get("differentiable"))), from_one_line():
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        state = self.state[parameter]
                        self._update_parameter(parameter, parameter.grad, state, group)
                        if not state:  # as in PyTorch, nothing is kept where there is nothing to keep
                            del self.state[parameter]

    def _restore_state(self, kept: list[tuple[Tensor, dict[str, Any], dict[str, Any]]]) -> None:
        """Undoes what a step that failed has counted, and forgets what it had begun to keep.

        Args:
            kept: per parameter with a state, that dictionary and a copy of it.
        """
        self.state.clear()
        for parameter, state, contents in kept:
            state.clear()
            state.update(contents)
            self.state[parameter] = state

    def _tensors(self) -> list[Tensor]:
        """The parameters that have a gradient, each followed by its state."""
        tensors: list[Tensor] = []
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    tensors.append(parameter)
                    if parameter in self.state:
                        tensors.extend(value for value in self.state[parameter].values() if isinstance(value, Tensor))
        return tensors

    def _update_parameter(self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group) -> None:
        """Records the update of one parameter and of its state.

        Args:
            parameter: changed by `assign`.
            grad: its gradient, which stays as it is.
            state: what is kept for the parameter between steps; empty before the first.
            group: the options.
        """
        raise NotImplementedError(f"{type(self).__name__} defines neither step nor _update_parameter")

    def state_dict(self) -> dict[str, Any]:
        """The state under ``"state"`` and the groups under ``"param_groups"``, with numbers in place of the tensors.

        The dictionary shares the state's tensors. Step counts are 0-dim tensors in it.
        """
        for pre_hook in self._state_dict_pre_hooks.values():
            pre_hook(self)
        state_dict = pack_state_dict(self.param_groups, self.state)
        for hook in self._state_dict_post_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        return state_dict

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over groups' options and state; state is matched by position and cast to its parameter's dtype.

        Raises:
            ValueError: the groups differ in number or size.
        """
        state_dict = dict(state_dict)
        for pre_hook in self._load_state_dict_pre_hooks.values():
            changed = pre_hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups, state = unpack_state_dict(state_dict, self.param_groups)
        self.__setstate__({"param_groups": groups, "state": state})
        for hook in self._load_state_dict_post_hooks.values():
            hook(self)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(optimizer, args, kwargs)`` before `step`; it may return other ``(args, kwargs)``."""
        return self._step_pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(optimizer, args, kwargs)`` after `step`."""
        return self._step_post_hooks.add(hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer)`` before `state_dict`."""
        return self._state_dict_pre_hooks.add(hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer, state_dict)`` after `state_dict`; it may return another dictionary."""
        return self._state_dict_post_hooks.add(hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer, state_dict)`` before `load_state_dict`; it may return another dictionary."""
        return self._load_state_dict_pre_hooks.add(hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer)`` after `load_state_dict`."""
        return self._load_state_dict_post_hooks.add(hook, prepend)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_step_pre_hooks" not in self.__dict__:  # unpickled: hooks are not saved
            self._register_hooks()

    def __repr__(self) -> str:
        lines = ""
        for number, group in enumerate(self.param_groups):
            lines += f"\nParameter Group {number}\n"
            for name in sorted(group):
                if name != "params":
                    lines += f"    {name}: {group[name]}\n"
        return f"{type(self).__name__} ({lines})"

    def _patch_step_function(self) -> None:
        """Nothing: a ``step`` gets its hooks when its class is made. Wrappers of optimizers call it."""

    def _register_hooks(self) -> None:
        self._step_pre_hooks: HookRegistry[Callable[..., Any]] = HookRegistry()
        self._step_post_hooks: HookRegistry[Callable[..., Any]] = HookRegistry()
        self._state_dict_pre_hooks: HookRegistry[Callable[..., Any]] = HookRegistry()
        self._state_dict_post_hooks: HookRegistry[Callable[..., Any]] = HookRegistry()
        self._load_state_dict_pre_hooks: HookRegistry[Callable[..., Any]] = HookRegistry()
        self._load_state_dict_post_hooks: HookRegistry[Callable[..., Any]] = HookRegistry()


# Optimizers' last steps, if these can be done again without being recorded. Beside the optimizers, since these are
# copied, saved and guarded with all their attributes.
_direct_steps: WeakKeyDictionary[Optimizer, DirectStep] = WeakKeyDictionary()


def _list_parameters(group: Group, takes_computed: bool) -> None:
    """Brings ``group["params"]`` into the form of a list of tensors, with their names in ``group["param_names"]``."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    listed = [params] if isinstance(params, Tensor) else list(params)
    names = [entry[0] for entry in listed if isinstance(entry, tuple)]
    if names and len(names) != len(listed):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    tensors = [entry[1] for entry in listed] if names else listed
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(tensor).__name__}")
        if not (takes_computed or tensor.is_leaf or tensor.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")
    group["params"] = tensors
    if names:
        group["param_names"] = names
