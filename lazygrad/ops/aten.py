"""``torch.ops.aten``: PyTorch's own names of its operators, by which libraries register what their classes do.

None of them is there; each is a name that can be a key, and that says so when it is called.
"""

from __future__ import annotations

from typing import Any

from lazygrad.left_out import stand_in

_INSTEAD = "operators have no names of their own here; call the public function"


class Operator:
    """The name of an operator; its attributes are its overloads, ``aten.add.Tensor``."""

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name

    def __getattr__(self, overload: str) -> Any:
        if overload.startswith("__"):
            raise AttributeError(f"{self!r} has no attribute {overload!r}")
        found = stand_in(f"ops.{self.__name__}.{overload}", _INSTEAD)
        return vars(self).setdefault(overload, found)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises NotImplementedError."""
        return stand_in(f"ops.{self.__name__}", _INSTEAD)()

    def __repr__(self) -> str:
        return f"<the name of the operator {self.__name__}>"


def __getattr__(name: str) -> Operator:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: Operator = globals().setdefault(name, Operator(f"aten.{name}"))
    return found
