"""Saving a module's parameters and buffers to a dictionary, and loading them from one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from lazygrad.autograd.hooks import HookRegistry, RemovableHandle
from lazygrad.grad_mode import no_grad
from lazygrad.nn.core.attributes import ModuleAttributes
from lazygrad.nn.parameter import Parameter, is_lazy
from lazygrad.tensor import Tensor

_EXTRA_STATE = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` did not find in the dictionary, and what it found no place for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class SavingHook(NamedTuple):
    """A hook that runs after saving, and whether it may return another dictionary."""

    function: Callable[..., Any]
    may_replace: bool


class LoadingHook(NamedTuple):
    """A hook that runs before loading, and whether it is called with the module first."""

    function: Callable[..., Any]
    with_module: bool


class ModuleState(ModuleAttributes):
    """The part of `Module` that saves and loads."""

    # Raised by a class whose saved form changes; `_load_from_state_dict` finds the saved version in the metadata.
    _version: int = 1

    _state_dict_pre_hooks: HookRegistry[Callable[..., Any]]
    _state_dict_hooks: HookRegistry[SavingHook]
    _load_state_dict_pre_hooks: HookRegistry[LoadingHook]
    _load_state_dict_post_hooks: HookRegistry[Callable[..., Any]]

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(
            _state_dict_pre_hooks=HookRegistry(),
            _state_dict_hooks=HookRegistry(),
            _load_state_dict_pre_hooks=HookRegistry(),
            _load_state_dict_post_hooks=HookRegistry(),
        )

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by dotted name.

        Args:
            destination: a dictionary to fill; a new one when left out.
            prefix: put before every name.
            keep_vars: return the tensors themselves instead of detached ones.

        Returns:
            The dictionary. It shares its tensors' storage with the module.
        """
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()  # the saved version of every module, by its dotted name
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for pre_hook in self._state_dict_pre_hooks.values():
            pre_hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook.function(self, destination, prefix, local_metadata)
            if changed is not None and not hook.may_replace:
                raise RuntimeError("state_dict post-hook must return None")
            destination = destination if changed is None else changed
        return destination

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies values into the parameters and buffers of this module and those below.

        Args:
            state_dict: values by dotted name, as `state_dict` returns them.
            strict: raise when the names differ from the module's.
            assign: use the dictionary's tensors themselves, with their dtype and device, instead of copying.

        Returns:
            The missing and the unexpected names.

        Raises:
            TypeError: ``state_dict`` is no mapping.
            RuntimeError: shapes differ, or names do and ``strict`` is set; lists all differences.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        loading = _Loading(state_dict, assign)
        loading.load(self, "")
        errors = loading.errors
        if strict:
            errors = [*_list_keys("Missing", loading.missing), *_list_keys("Unexpected", loading.unexpected), *errors]
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return IncompatibleKeys(loading.missing, loading.unexpected)

    def get_extra_state(self) -> Any:
        """State beside parameters and buffers, saved with them; a class that has some overrides this."""
        raise RuntimeError(f"{type(self).__name__} has no extra state: override get_extra_state() to save some")

    def set_extra_state(self, state: Any) -> None:
        """Takes back what `get_extra_state` returned."""
        raise RuntimeError(f"{type(self).__name__} has no extra state: override set_extra_state() to load some")

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, prefix, keep_vars)`` before this module is saved."""
        return self._state_dict_pre_hooks.add(hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, state_dict, prefix, local_metadata)``, which may change the dictionary, after saving."""
        return self._state_dict_hooks.add(SavingHook(hook, may_replace=False))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Like `register_state_dict_post_hook`; the hook may also return another dictionary. Older programs call it."""
        return self._state_dict_hooks.add(SavingHook(hook, may_replace=True))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)`` first."""
        return self._load_state_dict_pre_hooks.add(LoadingHook(hook, with_module=True))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """Like `register_load_state_dict_pre_hook`, without the module unless asked for. Older programs call it."""
        return self._load_state_dict_pre_hooks.add(LoadingHook(hook, with_module))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, incompatible_keys)``, which may change the two lists, after loading this module."""
        return self._load_state_dict_post_hooks.add(hook)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Saves this module without its submodules; overridden by a class with a saved form of its own."""
        for name, value in self._persistent_members():
            destination[prefix + name] = value if keep_vars else value.detach()
        if _overrides(self, "get_extra_state"):
            destination[prefix + _EXTRA_STATE] = self.get_extra_state()

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Loads this module without its submodules; overridden by a class that reads older saved forms.

        Args:
            state_dict: the values below ``prefix``; may be changed.
            prefix: this module's dotted name with a dot at the end.
            local_metadata: what was saved beside the values, such as ``version``.
            strict: whether missing and unexpected names are collected.
            missing_keys: extended by the names that are not in ``state_dict``.
            unexpected_keys: extended by the names that have no place in this module.
            error_msgs: extended by all other complaints.
        """
        for hook in self._load_state_dict_pre_hooks.values():
            module = (self,) if hook.with_module else ()
            hook.function(
                *module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
            )
        own_names = {name for name, _ in self._persistent_members()}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, value in self._persistent_members():
            key = prefix + name
            if key in state_dict:
                error_msgs.extend(_load_value(self, name, value, key, state_dict[key], assign))
            elif strict:
                missing_keys.append(key)
        if _overrides(self, "set_extra_state"):
            own_names.add(_EXTRA_STATE)
            if prefix + _EXTRA_STATE in state_dict:
                self.set_extra_state(state_dict[prefix + _EXTRA_STATE])
            elif strict:
                missing_keys.append(prefix + _EXTRA_STATE)
        if strict:
            unexpected_keys.extend(key for key in state_dict if not self._has_place(key, prefix, own_names))

    def _persistent_members(self) -> Iterator[tuple[str, Tensor]]:
        buffers = {
            name: buffer for name, buffer in self._buffers.items() if name not in self._non_persistent_buffers_set
        }
        for name, value in (*self._parameters.items(), *buffers.items()):
            if value is not None:
                yield name, value

    def _has_place(self, key: str, prefix: str, own_names: set[str]) -> bool:
        if not key.startswith(prefix):
            return True  # another module's
        first, dot, _ = key[len(prefix) :].partition(".")
        return first in self._modules if dot else first in own_names


class _Loading:
    """One run of `load_state_dict` through the tree of modules."""

    def __init__(self, state_dict: Mapping[str, Any], assign: bool) -> None:
        self.values = dict(state_dict)  # a copy, because modules that read older forms change it
        metadata: Mapping[str, dict[str, Any]] = getattr(state_dict, "_metadata", None) or {}
        self.metadata = {_without_compiled(path): about for path, about in metadata.items()}
        self.assign = assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []

    def load(self, module: ModuleState, prefix: str, values: dict[str, Any] | None = None) -> None:
        values = self.values if values is None else values
        metadata = dict(self.metadata.get(prefix[:-1], {}))
        if self.assign:
            metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(values, prefix, metadata, True, self.missing, self.unexpected, self.errors)
        for name, child in module._modules.items():
            if child is not None:
                path = f"{prefix}{name}."
                self.load(child, path, {key: value for key, value in values.items() if key.startswith(path)})
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, IncompatibleKeys(self.missing, self.unexpected)) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                    "values, if incompatible_keys need to be modified, it should be done inplace."
                )


def _without_compiled(path: str) -> str:
    """The path of a module without the name that PyTorch's compiled modules have for the one they were made from."""
    return ".".join(name for name in path.split(".") if name != "_orig_mod")


def _load_value(module: ModuleState, name: str, target: Tensor, key: str, value: Any, assign: bool) -> list[str]:
    """Copies or assigns one value; returns what is wrong with it."""
    if not isinstance(value, Tensor):
        return [
            f'While copying the parameter named "{key}", expected lazygrad.Tensor or Tensor-like object from '
            f"checkpoint but received {type(value)}"
        ]
    if is_lazy(target) and is_lazy(value):
        return []  # neither has elements
    if target.shape != value.shape:
        return [
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {target.shape}."
        ]
    try:
        with no_grad():
            if not assign:
                target.copy_(value)
            elif isinstance(target, Parameter):
                setattr(module, name, _as_parameter(value, target.requires_grad))
            else:
                setattr(module, name, value)
    except Exception as error:  # reported with all others at the end
        return [
            f'While copying the parameter named "{key}", whose dimensions in the model are {target.shape} and '
            f"whose dimensions in the checkpoint are {value.shape}, an exception occurred : {error.args}."
        ]
    return []


def _as_parameter(value: Tensor, requires_grad: bool) -> Parameter:
    if isinstance(value, Parameter):
        value.requires_grad_(requires_grad)
        return value
    return Parameter(value, requires_grad)


def _overrides(module: ModuleState, method: str) -> bool:
    return getattr(type(module), method) is not getattr(ModuleState, method)


def _list_keys(kind: str, keys: list[str]) -> list[str]:
    listed = ", ".join(f'"{key}"' for key in keys)
    return [f"{kind} key(s) in state_dict: {listed}. "] if keys else []
