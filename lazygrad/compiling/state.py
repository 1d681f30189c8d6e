"""Modules and optimizers as a whole: guards for everything that they keep."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from lazygrad.compiling.library import OPTIMIZER_METHODS
from lazygrad.compiling.plain import CONTAINERS, DICTS, is_plain, is_record
from lazygrad.compiling.reads import Reads
from lazygrad.nn.core.module import Module
from lazygrad.ops.random.generator import Generator
from lazygrad.optim.optimizer import Optimizer
from lazygrad.tensor import Tensor

# Members that no call reads.
_UNREAD = ("_scope_name", "_non_persistent_buffers_set")
# Options of optimizers that are numbers of the step, which each replay computes; where some are 0, a part is left out.
_SCHEDULED = ("lr", "betas", "momentum", "weight_decay")
_LEFT_OUT_AT_ZERO = ("momentum", "weight_decay")


def promise(state: Sequence[Any], reads: Reads) -> None:
    """Everything but the arguments and these modules and optimizers stays as it is: the call runs without hooks.

    Raises:
        TypeError: something among them is neither a module, an optimizer, a tensor nor a generator.
    """
    reads.is_promised = True
    for value in state:
        _guard(value, reads)
    reads.is_active = False


def _guard(value: Any, reads: Reads) -> None:
    if isinstance(value, Module):
        for module in value.modules():
            _guard_members(module, reads)
    elif isinstance(value, Optimizer):
        guard_optimizer(value, reads)
    elif isinstance(value, Tensor):
        reads.tensor(value, "a tensor of the state")
    elif not isinstance(value, Generator):
        raise TypeError(f"compile: state holds a {type(value).__name__}, not modules, optimizers and tensors")


def _guard_members(module: Module, reads: Reads) -> None:
    """What a module keeps: its flags, options, hooks, parameters, buffers and submodules.

    As many attributes as before, with what they held, are the same ones: their order is not looked at.
    """
    members, name = vars(module), type(module).__name__
    reads.guards.length(members, f"the attributes of a {name}")
    for key, value in members.items():
        if key.endswith("state_dict_hooks") or key in _UNREAD:
            continue
        if not key.endswith("_hooks"):
            reads.guards.entry(members, key, value, f".{key} of a {name}")
        _guard_contents(value, f".{key} of a {name}", reads)


def _guard_contents(value: Any, path: str, reads: Reads) -> None:
    """What lists, dictionaries, dataclasses and sets hold, however deep; of anything else that it is the same."""
    members = vars(value) if is_record(value) else value
    if type(members) in (list, *DICTS) and reads.enters(value):
        reads.contents(members)
        if members is not value:
            reads.guards.attribute(value, "__dict__", members, path)
        for item in members.values() if isinstance(members, dict) else members:
            _guard_contents(item, path, reads)
    elif type(value) is set and all(map(is_plain, value)):
        reads.contents(value)
    else:
        reads.found(value, path)


def guard_optimizer(optimizer: Optimizer, reads: Reads) -> None:
    """Its options and state. What schedules change and step counts are read anew at each replay."""
    if not reads.enters(optimizer):
        return
    guards, cls, path = reads.guards, type(optimizer), type(optimizer).__name__
    reads.guard_type(optimizer)
    if not cls.__module__.startswith("lazygrad.optim"):
        reads.refuse(f"uses the optimizer {cls.__name__}, which is not lazygrad's")
    members = vars(optimizer)
    guards.attribute(optimizer, "__dict__", members, path)
    for name in () if reads.is_promised else OPTIMIZER_METHODS:  # code is what a promise is about
        guards.without(members, name, f"{path}.{name}")
        reads.static(cls, name)
    for name, value in members.items():
        if "state_dict" in name or name == "defaults":
            continue
        guards.entry(members, name, value, f"{path}.{name}")
        if name not in ("param_groups", "state"):
            if not is_plain(value) and not (type(value) in CONTAINERS and not value):
                reads.refuse(f"uses {path} with {name.strip('_')}")
            elif not is_plain(value):
                reads.contents(value)
    guards.length(optimizer.param_groups, f"{path}.param_groups")
    for number, group in enumerate(optimizer.param_groups):
        guards.entry(optimizer.param_groups, number, group, f"{path}.param_groups[{number}]")
        _guard_options(group, f"{path}.param_groups[{number}]", _SCHEDULED, reads)
    guards.length(optimizer.state, f"{path}.state")
    for parameter, state in optimizer.state.items():
        reads.found(parameter, f"{path}.state")
        guards.entry(optimizer.state, parameter, state, f"{path}.state[…]")
        _guard_options(state, f"{path}.state[…]", ("step",), reads)


def _guard_options(options: dict[str, Any], path: str, varying: Collection[str], reads: Reads) -> None:
    """A parameter group, or what an optimizer keeps of one parameter."""
    reads.guards.keys(options, path)
    for name, value in options.items():
        if name in varying and not any([isinstance(number, Tensor) for number in _numbers(value)]):
            if name not in _LEFT_OUT_AT_ZERO:
                continue
            if type(value) in (int, float):
                reads.guards.zero(options, name, f"{path}.{name}")
                continue
        reads.guards.entry(options, name, value, f"{path}.{name}")
        if not is_plain(value) and not isinstance(value, Tensor):
            reads.contents(value)
        reads.found(value, f"{path}.{name}")


def _numbers(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
