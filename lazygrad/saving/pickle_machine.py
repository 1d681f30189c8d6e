"""The state of an unpickler that does not trust its pickle, and what its opcodes are made of."""

from __future__ import annotations

import pickle
import struct
from typing import Any

from lazygrad.saving import containers, rebuilding
from lazygrad.saving.safe_globals import allowed, is_allowed

KNOWN_NAMES = containers.NAMES | rebuilding.TORCH_NAMES
# By id, because a file may ask to call anything, also what has no hash.
_CONTAINERS = {id(function): made for function, made in containers.CALLABLE.items()}
_REBUILDING = {id(function): made for function, made in rebuilding.CALLABLE.items()}

_SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset)


class PickleMachine:
    """A pickle that is being read.

    Args:
        data: the pickle.
        encoding: of the text that Python 2 wrote; ``"bytes"`` leaves it as bytes.
        errors: what is done about text that the encoding cannot read.
        position: where in ``data`` it begins.

    Attributes:
        position: of the byte that is read next.
        stack: what was made since the last mark.
        outer: the stacks below the marks.
        memo: objects that the pickle may refer to again.
    """

    def __init__(self, data: bytes, encoding: str, errors: str, position: int = 0) -> None:
        self.data, self.position = data, position
        self.encoding, self.errors = encoding, errors
        self.stack: list[Any] = []
        self.outer: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self._budget = 4 * len(data) + 1024

    def take(self, count: int) -> bytes:
        """The next bytes of the pickle."""
        end = self.position + count
        if count < 0 or end > len(self.data):
            raise pickle.UnpicklingError("load: the pickle in the file is cut off")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def line(self) -> str:
        """The text up to the end of the line."""
        end = self.data.index(b"\n", self.position)
        return str(self.take(end + 1 - self.position)[:-1], "utf-8")

    def number(self, layout: struct.Struct) -> Any:
        """The next number of the pickle."""
        return layout.unpack(self.take(layout.size))[0]

    def pop(self) -> Any:
        """The object made last."""
        if not self.stack:
            raise pickle.UnpicklingError("load: the pickle in the file uses an object that it has not made")
        return self.stack.pop()

    def pop_to_mark(self) -> list[Any]:
        """The objects made since the last mark."""
        if not self.outer:
            raise pickle.UnpicklingError("load: the pickle in the file uses a mark that it has not set")
        items, self.stack = self.stack, self.outer.pop()
        return items

    def spend(self, steps: int) -> None:
        """Count steps that the pickle causes beyond reading it: a few per byte are all that honest ones take."""
        self._budget -= steps
        if self._budget < 0:
            raise pickle.UnpicklingError("load: the pickle in the file asks for far more work than its size bears out")

    def named(self, module: str, name: str) -> Any:
        """What a name in the pickle stands for."""
        full = f"{module}.{name}"
        found = KNOWN_NAMES.get(full)
        if found is None:
            found = allowed(full)
        if found is None:
            raise pickle.UnpicklingError(
                f"Weights only load failed: the file asks for {module[:80]}.{name[:80]}. Unsupported global: it was "
                f"not an allowed global by default. Allow it by lazygrad.serialization.add_safe_globals if you trust "
                f"this class or function, or, if you trust where the file comes from, load it with weights_only=False, "
                f"which may run code in it"
            )
        return found

    def call(self, function: Any, arguments: Any) -> Any:
        """The object that a call makes, where that is one of those allowed."""
        if type(arguments) is not tuple:
            raise pickle.UnpicklingError("load: the pickle in the file calls something without a tuple of arguments")
        for argument in arguments:
            if isinstance(argument, _SIZED):
                self.spend(len(argument))
        if id(function) in _CONTAINERS:
            return _CONTAINERS[id(function)](self.spend, *arguments)
        if id(function) in _REBUILDING:
            return _REBUILDING[id(function)](*arguments)
        if is_allowed(function):
            return function(*arguments)
        raise pickle.UnpicklingError(
            f"Weights only load failed: the file calls a {type(function).__name__} that makes no tensor"
        )

    def made_new(self, cls: Any, arguments: Any) -> Any:
        """The object that a class's ``__new__`` makes, where the class is one of those allowed."""
        if id(cls) not in _CONTAINERS and isinstance(cls, type) and is_allowed(cls) and type(arguments) is tuple:
            return cls.__new__(cls, *arguments)
        return self.call(cls, arguments)

    def set_items(self, target: Any, items: list[Any]) -> None:
        """Keys and values, in turn, of a dict."""
        if type(target) not in containers.DICTS or len(items) % 2:
            raise pickle.UnpicklingError(f"load: the pickle in the file sets items of a {type(target).__name__}")
        for key in items[::2]:
            if type(key) is not str:
                self.spend(containers.cost_of_hashing(key))
        if type(target) is dict:
            target.update(zip(items[::2], items[1::2], strict=True))
            return
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[key] = value
