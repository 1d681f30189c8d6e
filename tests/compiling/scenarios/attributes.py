"""Attributes that appear, vanish or hide others."""

import types

import lazygrad as lg
from lazygrad import nn
from tests.compiling.scenarios import Holder

SCENARIOS = {}


class Plain:
    scale = 1.0


class Slotted:
    __slots__ = ("scale", "value")


class Child(Plain):
    pass


class Net(nn.Module):
    scale = 1.0

    def forward(self, x):
        return x


def fresh_class():
    return type("Fresh", (), {})


def a_function():
    return 1


OBJECTS = {
    "namespace": types.SimpleNamespace,
    "instance": Holder,
    "slots": Slotted,
    "class": fresh_class,
    "module object": lambda: types.ModuleType("made"),
    "network": Net,
    "linear": lambda: nn.Linear(2, 2),
    "function": lambda: types.FunctionType(a_function.__code__, {}),
    "tensor": lambda: lg.ones(2),
    "parameter": lambda: nn.Parameter(lg.ones(2)),
    "optimizer": lambda: lg.optim.SGD([nn.Parameter(lg.ones(2))], lr=0.1),
}


def with_hasattr(x, held):
    return x * 2 if hasattr(held, "value") else x * 1


def with_default(x, held):
    return x * getattr(held, "value", 1.0)


def with_except(x, held):
    try:
        return x * held.value
    except AttributeError:
        return x * 1


def with_dir(x, held):
    return x * 2 if "value" in dir(held) else x * 1


def with_vars(x, held):
    return x * 2 if "value" in getattr(held, "__dict__", ()) else x * 1


READS = {
    "hasattr": with_hasattr, "getattr": with_default, "except": with_except, "dir": with_dir, "vars": with_vars,
}  # fmt: skip
for kind, make in OBJECTS.items():
    for reader, read in READS.items():
        if not (kind == "slots" and reader in ("dir", "vars")):

            def appears(m, make=make, read=read):
                held = make()
                return (lambda x: read(x, held)), [lg.ones(2)], lambda: setattr(held, "value", 3.0)

            def vanishes(m, make=make, read=read):
                held = make()
                held.value = 3.0
                return (lambda x: read(x, held)), [lg.ones(2)], lambda: delattr(held, "value")

            SCENARIOS[f"an attribute of a {kind} appears, {reader}"] = appears
            SCENARIOS[f"an attribute of a {kind} vanishes, {reader}"] = vanishes

for kind, make in OBJECTS.items():

    def changes(m, make=make):
        held = make()
        held.value = 3.0
        return (lambda x: x * held.value), [lg.ones(2)], lambda: setattr(held, "value", 4.0)

    def changes_in_an_argument(m, make=make):
        held = make()
        held.value = 3.0
        return (lambda x, held: x * held.value), [lg.ones(2), held], lambda: setattr(held, "value", 4.0)

    def appears_in_an_argument(m, make=make):
        held = make()
        return with_default, [lg.ones(2), held], lambda: setattr(held, "value", 4.0)

    SCENARIOS[f"an attribute of a {kind} changes"] = changes
    SCENARIOS[f"an attribute of a {kind} among the arguments changes"] = changes_in_an_argument
    SCENARIOS[f"an attribute of a {kind} among the arguments appears"] = appears_in_an_argument


def hidden(make, change):
    def scenario(m):
        held = make()
        return (lambda x: x * held.scale), [lg.ones(2)], lambda: change(held, m)

    return scenario


def of_new(base=Plain):
    return type("Derived", (base,), {})()


SCENARIOS |= {
    "an instance hides a class variable": hidden(Plain, lambda o, m: setattr(o, "scale", 2.0)),
    "a subclass hides a class variable": hidden(of_new, lambda o, m: setattr(type(o), "scale", 2.0)),
    "a network hides a class variable": hidden(Net, lambda o, m: setattr(o, "scale", 2.0)),
    "a class of networks hides a variable": hidden(lambda: of_new(Net), lambda o, m: setattr(type(o), "scale", 2.0)),
    "a class variable changes": hidden(Plain, lambda o, m: m.setattr(Plain, "scale", 2.0)),
    "a variable of the base changes": hidden(Child, lambda o, m: m.setattr(Plain, "scale", 2.0)),
    "__class__ is assigned": hidden(
        lambda: of_new(), lambda o, m: setattr(o, "__class__", type("Other", (Plain,), {"scale": 5.0}))
    ),
    "__bases__ is assigned": hidden(
        lambda: of_new(), lambda o, m: setattr(type(o), "__bases__", (type("Other", (), {"scale": 5.0}),))
    ),
    "__dict__ is assigned": hidden(Plain, lambda o, m: setattr(o, "__dict__", {"scale": 6.0})),
    "a property hides an attribute": hidden(
        lambda: _with_attribute(of_new()), lambda o, m: setattr(type(o), "scale", property(lambda self: 9.0))
    ),
    "__getattribute__ appears": hidden(
        lambda: of_new(), lambda o, m: setattr(type(o), "__getattribute__", lambda self, name: 8.0)
    ),
    "__getattr__ appears": hidden(
        lambda: _with_attribute(of_new(Holder)), lambda o, m: (_give(type(o)), delattr(o, "scale"))
    ),
}


def _with_attribute(held):
    held.scale = 4.0
    return held


def _give(cls):
    cls.__getattr__ = lambda self, name: 11.0


def with_global_that_appears(x):
    try:
        return x * APPEARING
    except NameError:
        return x * 1


def with_globals_lookup(x):
    return x * globals().get("APPEARING", 1.0)


def with_builtin(x):
    return x * abs(-2)


def with_key(x):
    try:
        return x * TABLE["value"]
    except KeyError:
        return x


def with_index(x):
    try:
        return x * LIST[1]
    except IndexError:
        return x


TABLE, LIST = {}, [1.0]


def of_global(function, name, value):
    return lambda m: (function, [lg.ones(2)], lambda: m.setitem(globals(), name, value))


SCENARIOS |= {
    "a global appears": of_global(with_global_that_appears, "APPEARING", 5.0),
    "a global appears in globals()": of_global(with_globals_lookup, "APPEARING", 5.0),
    "a global hides a builtin": of_global(with_builtin, "abs", lambda n: 7.0),
    "a builtin is replaced": lambda m: (
        with_builtin, [lg.ones(2)], lambda: m.setattr("builtins.abs", lambda n: 7.0)
    ),
    "a key appears": lambda m: (with_key, [lg.ones(2)], lambda: m.setitem(TABLE, "value", 5.0)),
    "an index appears": lambda m: (LIST.__setitem__(slice(1, None), []), with_index, [lg.ones(2)],
                                   lambda: LIST.append(5.0))[1:],
}  # fmt: skip


def function_code(m):
    def inner(x):
        return x * 2

    def other(x):
        return x * 3

    return (lambda x: inner(x)), [lg.ones(2)], lambda: setattr(inner, "__code__", other.__code__)


def function_defaults(m):
    def inner(x, by=2.0):
        return x * by

    return (lambda x: inner(x)), [lg.ones(2)], lambda: setattr(inner, "__defaults__", (3.0,))


def mutable_default(m):
    def inner(x, by=[2.0]):  # noqa: B006
        return x * by[0]

    return (lambda x: inner(x)), [lg.ones(2)], lambda: inner.__defaults__[0].__setitem__(0, 5.0)


def own_code(m):
    def inner(x):
        return x * 2

    def other(x):
        return x * 3

    return inner, [lg.ones(2)], lambda: setattr(inner, "__code__", other.__code__)


def own_name(m):
    def inner(x):
        return x * len(inner.__name__)

    return inner, [lg.ones(2)], lambda: setattr(inner, "__name__", "longer name")


def own_docstring(m):
    def inner(x):
        """Text."""
        return x * len(inner.__doc__)

    return inner, [lg.ones(2)], lambda: setattr(inner, "__doc__", "longer text")


def wrapped(m):
    def inner(x):
        return x * inner.__wrapped__

    inner.__wrapped__ = 2.0
    return inner, [lg.ones(2)], lambda: setattr(inner, "__wrapped__", 3.0)


def empty_cell(m):
    def function(x):
        try:
            return x * late
        except NameError:
            return x

    def change():
        nonlocal late
        late = 5.0

    late = 1.0
    del late
    return function, [lg.ones(2)], change


for function in (
    function_code, function_defaults, mutable_default, own_code, own_name, own_docstring, wrapped, empty_cell,
):  # fmt: skip
    SCENARIOS[function.__name__] = function
