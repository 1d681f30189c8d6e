"""Dataclasses: which functions are the ``__init__`` that Python generates, and which objects are but their fields."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType, MemberDescriptorType
from typing import Any

from lazygrad.compiling.conditions import MISSING
from lazygrad.compiling.reads import Reads

Field = dataclasses.Field[Any]
_DEFAULTS = ("_dflt_{}", "__dataclass_dflt_{}__")  # closure variables, before and since Python 3.12


@dataclasses.dataclass
class _Made:
    value: list[int] = dataclasses.field(default_factory=list)


_NOT_GIVEN: Any = inspect.signature(_Made).parameters["value"].default  # that of every value that a factory makes


def generated_fields(function: FunctionType, instance: Any, reads: Reads) -> tuple[Field, ...] | None:
    """The fields that a dataclass's generated ``__init__`` sets on ``instance``; None for any other function.

    It is known by its code, which is that of the same dataclass made anew.
    """
    cls = type(instance)
    owner: Any = next((base for base in cls.__mro__ if vars(base).get("__init__") is function), None)
    if owner is None or "__dataclass_fields__" not in vars(owner):
        return None
    fields = dataclasses.fields(owner)
    is_frozen = owner.__dataclass_params__.frozen
    likeness = tuple([(f.name, f.default is not dataclasses.MISSING, _makes(f), f.init, f.kw_only) for f in fields])
    takes_slots = "__slots__" in vars(owner)
    twin = _twin(likeness, is_frozen, takes_slots, hasattr(owner, "__post_init__"))
    if twin is None or _behaviour(twin.__code__) != _behaviour(function.__code__):
        return None
    own = {name.format(f.name): f.default_factory if _makes(f) else f.default for f in fields for name in _DEFAULTS}
    for name, ours, theirs in zip(
        twin.__code__.co_freevars, function.__closure__ or (), twin.__closure__ or (), strict=True
    ):
        if ours.cell_contents is not own.get(name, theirs.cell_contents):
            return None
    if not is_frozen and reads.static(cls, "__setattr__") is not object.__setattr__:
        return None
    for field in fields:
        found = reads.static(cls, field.name)
        if found is not MISSING and hasattr(type(found), "__set__") and not isinstance(found, MemberDescriptorType):
            return None
    return fields


def values_of(
    fields: tuple[Field, ...], cls: type, given: dict[str, Any], make: Callable[[Any], Any]
) -> Iterator[tuple[str, Any]]:
    """What such an ``__init__`` sets, in order.

    Args:
        given: see `arguments_of`.
        make: calls a factory.
    """
    for field in fields:
        if field.init and given[field.name] is not _NOT_GIVEN:
            yield field.name, given[field.name]
        elif _makes(field):
            yield field.name, make(field.default_factory)
        elif isinstance(vars(cls).get(field.name), MemberDescriptorType) and field.default is not dataclasses.MISSING:
            yield field.name, field.default  # which a class with slots cannot hold


def arguments_of(function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What each parameter of a function gets.

    Raises:
        TypeError: the arguments do not fit.
    """
    bare = FunctionType(function.__code__, {}, "init", function.__defaults__, function.__closure__)
    bare.__kwdefaults__ = function.__kwdefaults__
    bound = inspect.signature(bare).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def _makes(field: Field) -> bool:
    return field.default_factory is not dataclasses.MISSING


def _behaviour(code: CodeType) -> tuple[Any, ...]:
    """What code does, wherever it stands."""
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    return (code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars, *arguments)


@lru_cache(maxsize=1024)
def _twin(
    likeness: tuple[tuple[str, bool, bool, bool, bool], ...], is_frozen: bool, takes_slots: bool, has_post_init: bool
) -> FunctionType | None:
    """The ``__init__`` of a dataclass with such fields; None where there can be none."""
    members: dict[str, Any] = {"__annotations__": {name: object for name, *_ in likeness}}
    for name, has_default, makes, init, kw_only in likeness:
        given: dict[str, Any] = {"default": None} if has_default else {"default_factory": list} if makes else {}
        members[name] = dataclasses.field(init=init, kw_only=kw_only, **given)
    if has_post_init:
        members["__post_init__"] = lambda self: None
    try:
        made: Any = dataclasses.dataclass(frozen=is_frozen, slots=takes_slots)(type("Twin", (), members))
    except TypeError:
        return None
    found = vars(made)["__init__"]
    return found if isinstance(found, FunctionType) else None
