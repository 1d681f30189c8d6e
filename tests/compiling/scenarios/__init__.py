"""Python state that changes between two calls of a compiled function, by kind.

A scenario is a function of pytest's ``monkeypatch`` that returns a function to compile, a list of its arguments, and a
function that changes what it depends on. It may change the list.
"""

from collections.abc import Callable
from typing import Any

Scenario = Callable[[Any], tuple[Callable[..., Any], list[Any], Callable[[], Any]]]

STATE: Any = None


class Holder:
    """An object with attributes."""


def by_global(read, state, m):
    m.setitem(globals(), "STATE", state)
    return lambda x: x * read(STATE)


def by_closure(read, state, m):
    return lambda x: x * read(state)


def by_attribute(read, state, m):
    holder = Holder()
    holder.state = state
    return lambda x: x * read(holder.state)


def by_default(read, state, m):
    def function(x, state=state):
        return x * read(state)

    return function


def by_element(read, state, m):
    held = [None, {"state": (state,)}]
    return lambda x: x * read(held[1]["state"][0])


def by_method(read, state, m):
    class Scaler:
        def __init__(self):
            self.state = state

        def scale(self, x):
            return x * read(self.state)

    return Scaler().scale


ROUTES = {
    "global": by_global, "closure": by_closure, "attribute": by_attribute, "default": by_default,
    "element": by_element, "method": by_method,
}  # fmt: skip
