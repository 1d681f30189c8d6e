"""Statements that read state: ``match``, and imports inside functions."""

import builtins
import collections.abc
import enum
import sys
import types

import lazygrad as lg
from tests.compiling.scenarios.records import SCENARIOS as _RECORDS
from tests.compiling.scenarios.records import Box, activations, add, plain

_BEFORE = frozenset(_RECORDS)

FACTOR = 1.0


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


class Kind(enum.Enum):
    A = "a"
    B = "b"


def of_value(h):
    match h.value:
        case 1.0:
            return 1.0
        case 2 | 5.0:
            return 2.0
        case _:
            return 3.0


def of_constant(h):
    match 1.0:
        case h.value:
            return 1.0
        case _:
            return 2.0


def of_none(h):
    match h[0]:
        case None:
            return 1.0
        case True:
            return 2.0
    return 3.0


def of_member(h):
    match h[0]:
        case Kind.A:
            return 1.0
        case Kind.B:
            return 2.0


def of_sequence(h):
    match h:
        case [first, second]:
            return first + second
        case [first, *rest]:
            return first + 10 * len(rest)
        case []:
            return 7.0


def of_nested(h):
    match h:
        case [{"scale": [_, scale]}, *_]:
            return scale
        case [_, 5.0 | 6.0 as found]:
            return found
    return 9.0


def of_mapping(h):
    match h:
        case {"scale": scale, "shift": shift}:
            return scale + shift
        case {"scale": scale, **rest}:
            return scale + 10 * len(rest)
        case _:
            return 3.0


def of_class(h):
    match h[0]:
        case Point(x=0.0, y=y):
            return y + 0.5
        case Point(x, y):
            return x + y
        case float() | int():
            return 7.0
        case str(text):
            return len(text)
    return 9.0


def of_guard(h):
    match h[0]:
        case scale if scale > h[1].value:
            return 1.0
        case scale:
            return 2.0 * scale


def of_names(h):
    found = 4.0
    match h:
        case [found, 9.0]:
            return found
        case _:
            return found * h[0]


def third(self, i):
    return [1.0, 2.0][i]


def of_dataclass(h):
    match h:
        case Box():
            return 3.0
        case object(width=4, scale=scale):
            return scale


add("match: a number", Box, of_value, lambda h, m: setattr(h, "value", 5.0))
add("match: what nothing fits", Box, of_value, lambda h, m: setattr(h, "value", 50.0))
add("match: a constant", Box, of_constant, lambda h, m: setattr(h, "value", 5.0))
add("match: None", lambda: [None], of_none, lambda h, m: h.__setitem__(0, True))
add("match: 1 is not True", lambda: [True], of_none, lambda h, m: h.__setitem__(0, 1))
add("match: a member", lambda: [Kind.A], of_member, lambda h, m: h.__setitem__(0, Kind.B))
add("match: an item", lambda: [1.0, 2.0], of_sequence, lambda h, m: h.__setitem__(1, 5.0))
add("match: one more item", lambda: [1.0, 2.0], of_sequence, lambda h, m: h.append(3.0))
add("match: no item", lambda: [1.0, 2.0], of_sequence, lambda h, m: h.clear())
add("match: the rest", lambda: [1.0, 2.0, 3.0], of_sequence, lambda h, m: h.append(3.0))
add("match: inside", lambda: [{"scale": [0, 2.0]}], of_nested, lambda h, m: h[0]["scale"].__setitem__(1, 5.0))
add("match: inside no more", lambda: [{"scale": [0, 2.0]}], of_nested, lambda h, m: h[0].clear())
add("match: as", lambda: [0, 5.0], of_nested, lambda h, m: h.__setitem__(1, 6.0))
add("match: an entry", lambda: {"scale": 1.0}, of_mapping, lambda h, m: h.update(scale=5.0))
add("match: one more entry", lambda: {"scale": 1.0}, of_mapping, lambda h, m: h.update(shift=5.0))
add("match: the other entries", lambda: {"scale": 1.0, "a": 1}, of_mapping, lambda h, m: h.update(b=5.0))
add("match: no entry", lambda: {"scale": 1.0}, of_mapping, lambda h, m: h.clear())
add("match: an attribute", lambda: [Point(1.0, 2.0)], of_class, lambda h, m: setattr(h[0], "y", 5.0))
add("match: another case", lambda: [Point(1.0, 2.0)], of_class, lambda h, m: setattr(h[0], "x", 0.0))
add("match: no attribute", lambda: [Point(1.0, 2.0)], of_class, lambda h, m: delattr(h[0], "y"))
add("match: another class", lambda: [Point(1.0, 2.0)], of_class, lambda h, m: setattr(h[0], "__class__", Box))
add("match: the class is replaced", lambda: [Point(1.0, 2.0)], of_class,
    lambda h, m: m.setitem(globals(), "Point", Box))  # fmt: skip
add("match: __match_args__", lambda: [Point(1.0, 2.0)], of_class,
    lambda h, m: m.setattr(Point, "__match_args__", ("x", "x")))  # fmt: skip
add("match: a subclass hides an attribute", lambda: [Point(1.0, 2.0)], of_class,
    lambda h, m: m.setattr(Point, "y", property(lambda self: 7.0), raising=False))  # fmt: skip
add("match: of a number", lambda: [1.0], of_class, lambda h, m: h.__setitem__(0, "text"))
add("match: of a text", lambda: ["text"], of_class, lambda h, m: h.__setitem__(0, "longer"))
add("match: a condition", lambda: [2.0, Box()], of_guard, lambda h, m: setattr(h[1], "value", 5.0))
add("match: a name", lambda: [2.0, 9.0], of_names, lambda h, m: h.__setitem__(1, 5.0))
add("match: a name that is not bound", lambda: [2.0, 8.0], of_names, lambda h, m: h.__setitem__(0, 5.0))
add("match: a dataclass", lambda: plain()(), of_dataclass, lambda h, m: setattr(h, "scale", 5.0))
add("match: a registered sequence", lambda: [type("S", (), {"__len__": lambda s: 2, "__getitem__": third})],
    lambda h: of_sequence(h[0]()) or 1.0, lambda h, m: collections.abc.Sequence.register(h[0]))  # fmt: skip
add("match: an Enum's value", lambda: activations().RELU, lambda h: of_text(h.value),
    lambda h, m: setattr(h, "_value_", "abc"))  # fmt: skip


def of_text(text):
    match text:
        case "relu" | "gelu":
            return 1.0
        case str():
            return 2.0


# Imports.


def made(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    return module


def package(m):
    inner = made("staleness_package.inner", value=1.0)
    outer = made("staleness_package", inner=inner, value=1.0, __path__=[])
    m.setitem(sys.modules, "staleness_package", outer)
    m.setitem(sys.modules, "staleness_package.inner", inner)
    return outer


def importing(name, read, change):
    def scenario(m):
        package(m)
        return (lambda x: x * read()), [lg.ones(2)], lambda: change(m)

    _RECORDS[f"import: {name}"] = scenario


def dotted():
    import staleness_package.inner

    return staleness_package.inner.value


def renamed():
    import staleness_package.inner as inner

    return inner.value


def taken():
    from staleness_package import inner

    return inner.value


def taken_value():
    from staleness_package.inner import value as found

    return found


def two():
    import staleness_package as a  # noqa: E401
    import staleness_package.inner as b

    return a.value + b.value


def relative():
    from .statements import FACTOR as found

    return found


def relative_package():
    from . import statements

    return statements.FACTOR


def conditional():
    try:
        import staleness_absent

        return staleness_absent.value
    except ImportError:
        return 1.0


def in_package(name):
    return sys.modules["staleness_package" + name]


for read in (dotted, renamed, taken, taken_value, two):
    importing(f"{read.__name__}: a variable", read, lambda m: m.setattr(in_package(".inner"), "value", 5.0))
    importing(f"{read.__name__}: the package", read,
              lambda m: setattr(package(m).inner, "value", 5.0))  # fmt: skip
for read in (dotted, renamed, taken, two):
    importing(f"{read.__name__}: what the package calls so", read,
              lambda m: m.setattr(in_package(""), "inner", made("other", value=5.0)))  # fmt: skip
for read in (taken_value,):
    importing(f"{read.__name__}: the module", read,
              lambda m: m.setitem(sys.modules, "staleness_package.inner", made("other", value=5.0)))  # fmt: skip
for read in (dotted, renamed, taken):
    importing(f"{read.__name__}: is forbidden", read, lambda m: m.setitem(sys.modules, "staleness_package", None))
for read in (dotted, renamed, taken, taken_value):
    importing(f"{read.__name__}: __import__", read, lambda m: m.setattr(
        builtins, "__import__", lambda *args: made("fake", inner=made("inner", value=5.0), value=5.0)
    ))  # fmt: skip
importing("relative", relative, lambda m: m.setitem(globals(), "FACTOR", 5.0))
importing("relative: the module", relative, lambda m: m.setitem(sys.modules, __name__, made("other", FACTOR=5.0)))
importing("relative: __package__", relative_package, lambda m: (
    m.setitem(globals(), "__package__", "staleness_package"),
    m.setitem(globals(), "__spec__", None),
    m.setattr(in_package(""), "statements", made("other", FACTOR=5.0), raising=False),
))  # fmt: skip
importing("a module that appears", conditional,
          lambda m: m.setitem(sys.modules, "staleness_absent", made("staleness_absent", value=5.0)))  # fmt: skip

SCENARIOS = {name: _RECORDS.pop(name) for name in [*_RECORDS] if name not in _BEFORE}
