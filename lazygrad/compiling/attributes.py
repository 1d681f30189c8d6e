"""Hooks on attributes: of objects, modules, classes, tensors and functions."""

from __future__ import annotations

import enum
import functools
from abc import ABCMeta
from collections import namedtuple
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)  # fmt: skip
from typing import Any

from lazygrad.compiling.conditions import MISSING
from lazygrad.compiling.library import CONTEXTS, FUNCTIONS, TENSOR_PROPERTIES
from lazygrad.compiling.plain import CONTAINERS, is_plain
from lazygrad.compiling.reads import METACLASSES, Reads
from lazygrad.nn.core.module import Module
from lazygrad.overrides.dispatching import Dispatching
from lazygrad.tensor import Tensor

_NAMED_FIELD = type(vars(namedtuple("_", "field"))["field"])
_PLAIN_LOOKUPS = (object.__getattribute__, SimpleNamespace.__getattribute__, tuple.__getattribute__)
# Of names with two underscores in front, those that mean no more than others do.
_ORDINARY = ("__call__", "__init__", "__new__", "__dataclass_fields__", "__dataclass_params__", "__match_args__")
_SPECIAL_KINDS = (*FUNCTIONS, BuiltinFunctionType, MethodType, functools.partial)


class Attributes:
    """What Python does to find an attribute, step by step, with a guard for each place where it looks.

    Args:
        call: the hook on calls, for properties and an object's own ``__getattr__``.
    """

    def __init__(self, reads: Reads, call: Callable[..., Any]) -> None:
        self._reads, self._call = reads, call

    def attribute(self, owner: Any, name: str) -> Any:
        """``owner.name``."""
        if not self._reads.is_active:
            return getattr(owner, name)
        kind = type(owner)
        if isinstance(owner, Tensor):
            return self._tensor_attribute(owner, name)
        if kind is ModuleType:
            return self._module_attribute(owner, name)
        if isinstance(owner, type):
            return self._class_attribute(owner, name)
        if is_plain(owner) or kind in CONTAINERS or kind is GeneratorType:
            return getattr(owner, name)
        if kind in _SPECIAL_KINDS:
            if name in ("__dict__", "__self__", "__func__", "__closure__", "__globals__", "__call__"):
                self._reads.refuse(f"reads {name} of a function")
            return self._reread(owner, name)
        if kind is super:
            return self._super_attribute(owner, name)
        if isinstance(owner, (BaseException, *CONTEXTS)) or self._reads.unwrap(owner) is not None:
            return getattr(owner, name)
        return self._object_attribute(owner, name)

    def _reread(self, owner: Any, name: str) -> Any:
        """An attribute of something that runs no code when it is asked; the guard asks again."""
        path = f".{name} of {_named(owner)}"
        value = getattr(owner, name, MISSING)
        self._reads.guards.attribute(owner, name, value, path)
        if value is MISSING:
            return getattr(owner, name)
        return self._reads.found(value, path)

    def _module_attribute(self, module: ModuleType, name: str) -> Any:
        path = f"{module.__name__}.{name}"
        if type(module).__getattribute__ is not ModuleType.__getattribute__ or name == "__dict__":
            self._reads.refuse(f"reads {path}")
        elif name not in vars(module) and "__getattr__" in vars(module):
            self._reads.refuse(f"reads {path}, which is computed")
        else:
            self._reads.entry(vars(module), name, path)
            if name not in vars(module):
                self._reads.guards.without(vars(module), "__getattr__", path)
        return getattr(module, name)

    def _class_attribute(self, cls: type, name: str) -> Any:
        meta = type(cls)
        is_special = name.startswith("__") and name not in _ORDINARY
        if is_special or meta not in METACLASSES or (name in dir(meta) and name not in _ORDINARY):
            self._reads.refuse(f"reads {cls.__name__}.{name}")
            return getattr(cls, name)
        found = self._reads.static(cls, name)
        if meta is enum.EnumType:
            self._reads.static(meta, "__getattribute__")
            if found is MISSING:  # its `__getattr__`
                self._reads.refuse(f"reads {cls.__name__}.{name}")
        if isinstance(found, classmethod):
            return MethodType(found.__func__, cls)
        bound = found is MISSING or isinstance(found, (*FUNCTIONS, staticmethod, type))
        if not bound and hasattr(type(found), "__get__"):
            self._reads.refuse(f"reads {cls.__name__}.{name}, a {type(found).__name__}")
        return getattr(cls, name)

    def _super_attribute(self, owner: Any, name: str) -> Any:
        cls = owner.__self_class__
        order = cls.__mro__
        self._reads.guard_type(owner.__self__)
        self._reads.guards.attribute(cls, "__mro__", order, f"the bases of {cls.__name__}")
        for base in order[order.index(owner.__thisclass__) + 1 :]:
            self._reads.entry(vars(base), name, f"{base.__name__}.{name}")
            if name in vars(base):
                break
        value = getattr(owner, name)
        if not isinstance(value, MethodType) or isinstance(owner.__self__, type):
            self._reads.refuse(f"reads super().{name}")
        return value

    def _object_attribute(self, owner: Any, name: str) -> Any:
        cls = type(owner)
        path = f".{name} of a {cls.__name__}"
        self._reads.guard_type(owner)
        if name == "__class__" and cls.__class__ is type:
            return cls
        lookup = self._reads.static(cls, "__getattribute__")
        plain = any(lookup is each for each in _PLAIN_LOOKUPS)
        if not plain or (name.startswith("__") and name not in _ORDINARY):
            self._reads.refuse(f"reads {path}")
            return getattr(owner, name)
        found = self._reads.static(cls, name)
        if isinstance(found, property) and found.fget is not None:
            return self._call(found.fget, owner)
        if type(found) is enum.property and found.fget is not None:  # `name` and `value` of a member
            self._reads.static(enum.property, "__get__")
            self._reads.guards.attribute(found, "fget", found.fget, path)
            return self._call(found.fget, owner)
        if type(found) is _NAMED_FIELD:
            return self._reads.found(getattr(owner, name), path)  # a field of a named tuple
        if isinstance(found, MemberDescriptorType):
            return getattr(owner, name) if self._reads.is_own(owner) else self._reread(owner, name)
        if found is not MISSING and hasattr(type(found), "__set__"):
            self._reads.refuse(f"reads {path}, a {type(found).__name__}")
            return getattr(owner, name)
        members: Any = getattr(owner, "__dict__", None)
        if members is not None:
            own = self._reads.is_own(owner)
            if not own:
                self._reads.guards.attribute(owner, "__dict__", members, f"the attributes of a {cls.__name__}")
            if name in members:
                if not own:
                    self._reads.guards.entry(members, name, members[name], path)
                return members[name] if own else self._reads.found(members[name], path)
            if not own:
                self._reads.guards.without(members, name, path)
        return self._inherited(owner, name, found, path)

    def _inherited(self, owner: Any, name: str, found: Any, path: str) -> Any:
        """An attribute that the instance's own dictionary lacks."""
        cls = type(owner)
        if found is MISSING:
            fallback = self._reads.static(cls, "__getattr__")
            if fallback is MISSING:
                return getattr(owner, name)
            if fallback is Module.__getattr__:
                return self._registered(owner, name, path)
            return self._call(fallback, owner, name)
        if isinstance(found, FUNCTIONS):
            return MethodType(found, owner)
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return MethodType(found.__func__, cls)
        if hasattr(type(found), "__get__") and not isinstance(found, type):
            self._reads.refuse(f"reads {path}, a {type(found).__name__}")
        return getattr(owner, name)

    def _registered(self, module: Any, name: str, path: str) -> Any:
        """A parameter, buffer or submodule."""
        members = vars(module)
        for kind in ("_parameters", "_buffers", "_modules"):
            self._reads.entry(members, kind, path)
            self._reads.entry(members.get(kind, {}), name, path)
            if name in members.get(kind, ()):
                break
        return getattr(module, name)

    def _tensor_attribute(self, tensor: Tensor, name: str) -> Any:
        self._reads.tensor(tensor)
        path = f".{name} of a tensor"
        given = self._reads.is_given(tensor)
        own = given or not self._reads.is_outside(tensor)
        found = self._reads.static(type(tensor), name)
        if name in tensor.__dict__ and not isinstance(found, property):
            if own:
                self._reads.refuse(f"reads {path}")
            else:
                self._reads.entry(tensor.__dict__, name, path)
            return getattr(tensor, name)
        if isinstance(found, (*FUNCTIONS, Dispatching)):
            return MethodType(found, tensor)  # type: ignore[arg-type]
        if found is MISSING and not own:
            self._reads.guards.without(tensor.__dict__, name, path)
        elif (found is not MISSING and (name not in TENSOR_PROPERTIES or (name == "grad" and given))) or (
            found is MISSING and given  # the call's key does not say what attributes a tensor has
        ):
            self._reads.refuse(f"reads {path}")
        elif name == "grad" and not tensor.requires_grad:
            self._reads.refuse(f"reads {path}, which requires no gradient")
        value = getattr(tensor, name)
        if isinstance(value, Tensor):
            self._reads.made(value)
        return value

    # Functions of Python that read what the program names.

    def getattr(self, owner: Any, name: str, *default: Any) -> Any:
        """``getattr(owner, name)``."""
        try:
            return self.attribute(owner, name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def hasattr(self, owner: Any, name: str) -> bool:
        """``hasattr(owner, name)``."""
        try:
            self.attribute(owner, name)
        except AttributeError:
            return False
        return True

    def isinstance(self, value: Any, classes: Any) -> bool:
        """``isinstance(value, classes)``."""
        for cls in classes if isinstance(classes, tuple) else (classes,):
            if type(cls) is enum.EnumType:
                self._reads.static(enum.EnumType, "__instancecheck__")
            elif type(cls) is not type and not (type(cls) is ABCMeta and isinstance(value, Tensor)):
                self._reads.refuse(f"asks whether something is a {getattr(cls, '__name__', cls)}")
        if isinstance(value, Tensor):
            self._reads.tensor(value)
        self._reads.guard_type(value)
        kind = type(value)
        if kind.__module__ not in ("builtins",):
            self._reads.guards.attribute(kind, "__mro__", kind.__mro__, f"the bases of {kind.__name__}")
        return isinstance(value, classes)

    def issubclass(self, cls: Any, classes: Any) -> bool:
        """``issubclass(cls, classes)``."""
        self._reads.refuse("asks whether a class is another's subclass")
        return issubclass(cls, classes)


def _named(value: Any) -> str:
    return getattr(value, "__qualname__", None) or f"a {type(value).__name__}"
