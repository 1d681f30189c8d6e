"""Classes that say themselves what an expression means: special methods, descriptors, metaclasses, Enums, wrappers."""

import abc
import contextlib
import dataclasses
import enum
import functools
import operator
import types
import typing

import lazygrad as lg

SCENARIOS = {}


class Box:
    """What the special methods below read."""

    value = 1.0


def made_with(name, method):
    return type("Special", (), {name: method})()


def of_for(thing):
    total = 0.0
    for item in thing:
        total = total + item
    return total


def of_with(thing):
    with thing as value:
        return value


def of_inplace(thing):
    result = thing
    result += 1
    return result


def of_unpacking(thing):
    a, b = thing
    return a + b


def of_match(thing):
    match thing:
        case {"value": value}:
            return value
        case _:
            return 1.0


# Per method: how it returns the box's value, and an expression that calls it.
METHODS = {
    "__call__": (lambda box: lambda self: box.value, lambda t: t()),
    "__len__": (lambda box: lambda self: int(box.value), lambda t: len(t)),
    "__bool__": (lambda box: lambda self: box.value > 1.5, lambda t: 2.0 if t else 1.0),
    "__bool__ by not": (lambda box: lambda self: box.value > 1.5, lambda t: 2.0 if not t else 1.0),
    "__bool__ by and": (lambda box: lambda self: box.value > 1.5, lambda t: ((t and 2.0) and 3.0) or 1.0),
    "__iter__": (lambda box: lambda self: iter([box.value]), lambda t: list(t)[0]),
    "__iter__ by for": (lambda box: lambda self: iter([box.value]), of_for),
    "__iter__ by sum": (lambda box: lambda self: iter([box.value]), lambda t: sum(t)),
    "__iter__ by comprehension": (lambda box: lambda self: iter([box.value]), lambda t: [i for i in t][0]),
    "__iter__ by star": (lambda box: lambda self: iter([box.value]), lambda t: max(*t, 0)),
    "__iter__ by unpacking": (lambda box: lambda self: iter([box.value, 1]), of_unpacking),
    "__getitem__": (lambda box: lambda self, i: box.value, lambda t: t[0]),
    "__getitem__ by slice": (lambda box: lambda self, i: box.value, lambda t: t[1:2]),
    "__contains__": (lambda box: lambda self, i: box.value > 1.5, lambda t: 2.0 if 3 in t else 1.0),
    "__contains__ by not in": (lambda box: lambda self, i: box.value > 1.5, lambda t: 2.0 if 3 not in t else 1.0),
    "__eq__": (lambda box: lambda self, other: box.value > 1.5, lambda t: 2.0 if t == 1 else 1.0),
    "__eq__ in a list": (lambda box: lambda self, other: box.value > 1.5, lambda t: 2.0 if 1 in [t] else 1.0),
    "__ne__": (lambda box: lambda self, other: box.value > 1.5, lambda t: 2.0 if t != 1 else 1.0),
    "__lt__": (lambda box: lambda self, other: box.value > 1.5, lambda t: 2.0 if t < 1 else 1.0),
    "__ge__": (lambda box: lambda self, other: box.value > 1.5, lambda t: 2.0 if t >= 1 else 1.0),
    "__hash__": (lambda box: lambda self: int(box.value), lambda t: hash(t)),
    "__add__": (lambda box: lambda self, other: box.value, lambda t: t + 1),
    "__radd__": (lambda box: lambda self, other: box.value, lambda t: 1 + t),
    "__mul__": (lambda box: lambda self, other: box.value, lambda t: t * 1),
    "__rmul__": (lambda box: lambda self, other: box.value, lambda t: 2.0 * t),
    "__truediv__": (lambda box: lambda self, other: box.value, lambda t: t / 1),
    "__matmul__": (lambda box: lambda self, other: box.value, lambda t: t @ 1),
    "__pow__": (lambda box: lambda self, other: box.value, lambda t: t**1),
    "__iadd__": (lambda box: lambda self, other: box.value, of_inplace),
    "__neg__": (lambda box: lambda self: box.value, lambda t: -t),
    "__pos__": (lambda box: lambda self: box.value, lambda t: +t),
    "__invert__": (lambda box: lambda self: box.value, lambda t: ~t),
    "__abs__": (lambda box: lambda self: box.value, lambda t: abs(t)),
    "__round__": (lambda box: lambda self: box.value, lambda t: round(t)),
    "__float__": (lambda box: lambda self: box.value, lambda t: float(t)),
    "__int__": (lambda box: lambda self: int(box.value), lambda t: int(t)),
    "__index__": (lambda box: lambda self: int(box.value), lambda t: [5, 6, 7][t]),
    "__index__ by range": (lambda box: lambda self: int(box.value), lambda t: len(range(t))),
    "__index__ by tensor": (lambda box: lambda self: int(box.value), lambda t: lg.arange(3)[t]),
    "__complex__": (lambda box: lambda self: complex(box.value), lambda t: complex(t).real),
    "__str__": (lambda box: lambda self: str(box.value), lambda t: float(str(t))),
    "__str__ by f-string": (lambda box: lambda self: str(box.value), lambda t: float(f"{t}")),
    "__str__ by percent": (lambda box: lambda self: str(box.value), lambda t: float("%s" % t)),  # noqa: UP031
    "__repr__": (lambda box: lambda self: str(box.value), lambda t: float(repr(t))),
    "__repr__ by f-string": (lambda box: lambda self: str(box.value), lambda t: float(f"{t!r}")),
    "__format__": (lambda box: lambda self, spec: str(box.value), lambda t: float(format(t, ""))),
    "__format__ by f-string": (lambda box: lambda self, spec: str(box.value), lambda t: float(f"{t:>3}")),
    "__format__ by method": (lambda box: lambda self, spec: str(box.value), lambda t: float("{}".format(t))),  # noqa
    "__getattr__": (lambda box: lambda self, name: box.value, lambda t: t.anything),
    "__getattribute__": (lambda box: lambda self, name: box.value, lambda t: t.anything),
    "__dir__": (lambda box: lambda self: ["a"] * int(box.value), lambda t: len(dir(t))),
    "__reversed__": (lambda box: lambda self: iter([box.value]), lambda t: next(reversed(t))),
    "__next__": (lambda box: lambda self: box.value, lambda t: next(t)),
    "__length_hint__": (lambda box: lambda self: int(box.value), lambda t: operator.length_hint(t)),
    "__divmod__": (lambda box: lambda self, other: (box.value, 0), lambda t: divmod(t, 1)[0]),
    "__trunc__": (lambda box: lambda self: box.value, lambda t: __import__("math").trunc(t)),
    "__torch_function__": (lambda box: lambda self, *args: box.value, lambda t: t.__torch_function__()),
    "keys": (lambda box: lambda self: ["k"] * int(box.value), lambda t: len(t.keys())),
}
for name, (make, expression) in METHODS.items():

    def reads_state(m, name=name.split()[0], make=make, expression=expression):
        box = Box()
        thing = made_with(name, make(box))
        return (lambda x: x * expression(thing)), [lg.ones(2)], lambda: setattr(box, "value", 2.0)

    def is_replaced(m, name=name.split()[0], make=make, expression=expression):
        box, other = Box(), Box()
        other.value = 2.0
        thing = made_with(name, make(box))
        return (lambda x: x * expression(thing)), [lg.ones(2)], lambda: setattr(type(thing), name, make(other))

    SCENARIOS[f"{name} reads state"] = reads_state
    SCENARIOS[f"{name} is replaced"] = is_replaced


def of(state, function, change):
    def scenario(m):
        held = state()
        return (lambda x: x * function(held)), [lg.ones(2)], lambda: change(held)

    return scenario


def new_class(**members):
    return type("New", (), members)


class Reading:
    """A descriptor that computes."""

    def __init__(self):
        self.value = 1.0

    def __get__(self, instance, owner=None):
        return self.value


class ReadingAndSetting(Reading):
    def __set__(self, instance, value):
        self.value = value


class Meta(type):
    factor = 1.0

    def __call__(cls, *args):
        return cls.factor

    def __getattr__(cls, name):
        return cls.factor

    @property
    def computed(cls):
        return cls.factor

    def __len__(cls):
        return int(cls.factor)

    def __iter__(cls):
        return iter([cls.factor])

    def __instancecheck__(cls, value):
        return cls.factor > 1.5

    def __getitem__(cls, key):
        return cls.factor


def with_meta():
    return Meta("WithMeta", (), {})


class Registered(abc.ABC):  # noqa: B024
    pass


def color():
    class Color(enum.Enum):
        RED = 1.0
        GREEN = 2.0

    return Color


class Described:
    def __init__(self, descriptor):
        self.cls = new_class(value=descriptor)
        self.descriptor, self.instance = descriptor, self.cls()


def hide(held):
    held.instance.__dict__["value"] = 6.0


SCENARIOS |= {
    "a descriptor": of(
        lambda: Described(Reading()), lambda h: h.instance.value, lambda h: setattr(h.descriptor, "value", 2.0)
    ),
    "a descriptor by the class": of(
        lambda: Described(Reading()), lambda h: h.cls.value, lambda h: setattr(h.descriptor, "value", 2.0)
    ),
    "a descriptor is hidden": of(lambda: Described(Reading()), lambda h: h.instance.value, hide),
    "a data descriptor": of(
        lambda: Described(ReadingAndSetting()), lambda h: h.instance.value, lambda h: setattr(h.instance, "value", 2.0)
    ),
    "a property reads state": of(
        lambda: new_class(box=Box(), value=property(lambda self: self.box.value))(),
        lambda h: h.value, lambda h: setattr(h.box, "value", 2.0),
    ),
    "a property is replaced": of(
        lambda: new_class(value=property(lambda self: 1.0))(),
        lambda h: h.value, lambda h: setattr(type(h), "value", property(lambda self: 2.0)),
    ),
    "a class method is replaced": of(
        lambda: new_class(value=classmethod(lambda cls: 1.0)),
        lambda h: h.value(), lambda h: setattr(h, "value", classmethod(lambda cls: 2.0)),
    ),
    "a class method reads state": of(
        lambda: new_class(factor=1.0, value=classmethod(lambda cls: cls.factor)),
        lambda h: h.value(), lambda h: setattr(h, "factor", 2.0),
    ),
    "a static method is replaced": of(
        lambda: new_class(value=staticmethod(lambda: 1.0)),
        lambda h: h().value(), lambda h: setattr(h, "value", staticmethod(lambda: 2.0)),
    ),
    "a method is hidden by the instance": of(
        lambda: new_class(value=lambda self: 1.0)(), lambda h: h.value(), lambda h: setattr(h, "value", lambda: 2.0)
    ),
    "__init__ is replaced": of(
        lambda: new_class(__init__=lambda self: setattr(self, "value", 1.0)),
        lambda h: h().value, lambda h: setattr(h, "__init__", lambda self: setattr(self, "value", 2.0)),
    ),
    "__new__ appears": of(
        lambda: new_class(value=1.0),
        lambda h: h().value, lambda h: setattr(h, "__new__", lambda cls: types.SimpleNamespace(value=2.0)),
    ),
    "a slot's descriptor is replaced": of(
        lambda: _slotted(), lambda h: h.value, lambda h: setattr(type(h), "value", 2.0)
    ),
    "super() finds another method": of(
        lambda: _hierarchy(), lambda h: h[1]().value(), lambda h: setattr(h[0], "value", lambda self: 2.0)
    ),
    "isinstance after __class__": of(
        lambda: new_class()(), lambda h: 2.0 if isinstance(h, Box) else 1.0, lambda h: setattr(h, "__class__", Box)
    ),
    "isinstance after register": of(
        lambda: _abstract(), lambda h: 2.0 if isinstance(Box(), h) else 1.0, lambda h: h.register(Box)
    ),
    "issubclass after register": of(
        lambda: _abstract(), lambda h: 2.0 if issubclass(Box, h) else 1.0, lambda h: h.register(Box)
    ),
    "type() after __class__": of(
        lambda: new_class()(), lambda h: 2.0 if type(h) is Box else 1.0, lambda h: setattr(h, "__class__", Box)
    ),
    "__class__ read": of(
        lambda: new_class()(), lambda h: 2.0 if h.__class__ is Box else 1.0, lambda h: setattr(h, "__class__", Box)
    ),
    "__mro__ read": of(
        lambda: type("New", (type("A", (), {}),), {}), lambda h: len(h.__mro__),
        lambda h: setattr(h, "__bases__", (type("B", (Box,), {}),)),
    ),
    "__name__ of a class": of(lambda: new_class(), lambda h: len(h.__name__), lambda h: setattr(h, "__name__", "Long")),
    "__subclasses__": of(lambda: new_class(), lambda h: len(h.__subclasses__()) + 1, lambda h: _subclass(h)),
    "an Enum member's value": of(color, lambda h: h.RED.value, lambda h: setattr(h.RED, "_value_", 5.0)),
    "an Enum member's attribute": of(
        lambda: _with_note(color()), lambda h: h.RED.note, lambda h: setattr(h.RED, "note", 5.0)
    ),
    "an Enum by value": of(color, lambda h: h(1.0).value, lambda h: setattr(h.RED, "_value_", 5.0)),
    "an Enum by name": of(color, lambda h: h["RED"].value, lambda h: setattr(h.RED, "_value_", 5.0)),
    "members of an Enum": of(color, lambda h: sum([c.value for c in h]), lambda h: setattr(h.RED, "_value_", 5.0)),
    "an Enum in a closure": of(
        lambda: color().RED, lambda h: h.value, lambda h: setattr(h, "_value_", 5.0)
    ),
    "cached_property": of(
        lambda: _with_cached(), lambda h: h.value, lambda h: h.__dict__.update(value=5.0)
    ),
    "a dataclass's field": of(
        lambda: _data()(), lambda h: h.value, lambda h: setattr(h, "value", 2.0)
    ),
    "fields of a dataclass": of(
        lambda: _data()(), lambda h: sum(dataclasses.astuple(h)), lambda h: setattr(h, "value", 2.0)
    ),
    "a dataclass's default": of(_data := lambda: dataclasses.dataclass(
        type("Data", (), {"__annotations__": {"value": float}, "value": 1.0})
    ), lambda h: h.value, lambda h: setattr(h, "value", 2.0)),
    "a replaced dataclass": of(
        lambda: _data()(), lambda h: dataclasses.replace(h).value, lambda h: setattr(h, "value", 2.0)
    ),
    "equal dataclasses": of(
        lambda: (_data(),), lambda h: 2.0 if h[0]() == h[0]() else 1.0,
        lambda h: setattr(h[0], "__eq__", lambda a, b: False),
    ),
    "annotations": of(
        lambda: new_class(__annotations__={"a": int}), lambda h: len(typing.get_type_hints(h)),
        lambda h: h.__annotations__.update(b=int),
    ),
    **{
        f"a metaclass's {name}": of(with_meta, read, lambda h: setattr(h, "factor", 2.0))
        for name, read in {
            "__call__": lambda h: h(), "__getattr__": lambda h: h.anything, "property": lambda h: h.computed,
            "__len__": lambda h: len(h), "__iter__": lambda h: list(h)[0], "__getitem__": lambda h: h[0],
            "__instancecheck__": lambda h: 2.0 if isinstance(3, h) else 1.0, "variable": lambda h: h.factor,
        }.items()
    },
    "attrgetter": of(Box, lambda h: operator.attrgetter("value")(h), lambda h: setattr(h, "value", 2.0)),
    "attrgetter outside": of(
        lambda: (Box(), operator.attrgetter("value")), lambda h: h[1](h[0]), lambda h: setattr(h[0], "value", 2.0)
    ),
    "itemgetter": of(lambda: [1.0], lambda h: operator.itemgetter(0)(h), lambda h: h.__setitem__(0, 2.0)),
    "methodcaller": of(
        lambda: {"a": 1.0}, lambda h: operator.methodcaller("get", "a")(h), lambda h: h.update(a=2.0)
    ),
    "map of a lambda": of(Box, lambda h: list(map(lambda i: h.value, [1]))[0], lambda h: setattr(h, "value", 2.0)),
    "map of a method": of(
        lambda: {"a": 1.0}, lambda h: list(map(h.get, ["a"]))[0], lambda h: h.update(a=2.0)
    ),
    "filter of a method": of(
        lambda: {"a": 1.0}, lambda h: len(list(filter(h.get, ["a", "b"]))), lambda h: h.update(b=2.0)
    ),
    "sorted by a method": of(
        lambda: {"a": 1.0, "b": 2.0}, lambda h: 1.0 if sorted("ab", key=h.get)[0] == "a" else 2.0,
        lambda h: h.update(a=3.0),
    ),
    "reduce": of(lambda: [1.0, 2.0], lambda h: functools.reduce(operator.add, h), lambda h: h.append(4.0)),
    "partial's function": of(
        lambda: functools.partial(lambda by: by, 1.0), lambda h: h(),
        lambda h: h.__setstate__((lambda by: 2 * by, (1.0,), {}, {})),
    ),
    "partial's keywords": of(
        lambda: functools.partial(lambda by: by, by=1.0), lambda h: h(), lambda h: h.keywords.update(by=2.0)
    ),
    "partial's list": of(
        lambda: functools.partial(lambda by: by[0], [1.0]), lambda h: h(), lambda h: h.args[0].__setitem__(0, 2.0)
    ),
    "lru_cache cleared": of(
        lambda: _cached(Box()), lambda h: h[0](), lambda h: (setattr(h[1], "value", 2.0), h[0].cache_clear())
    ),
    "lru_cache reads state": of(
        lambda: _cached(Box()), lambda h: h[0].__wrapped__(), lambda h: setattr(h[1], "value", 2.0)
    ),
    "cache_info": of(
        lambda: _cached(Box()), lambda h: h[0].cache_info().hits + 1, lambda h: [h[0]() for _ in range(5)]
    ),
    "singledispatch": of(
        lambda: functools.singledispatch(lambda value: 1.0), lambda h: h(3),
        lambda h: h.register(int, lambda value: 2.0),
    ),
    "wraps": of(
        lambda: _wrapping(Box()), lambda h: h[0](), lambda h: setattr(h[1], "value", 2.0)
    ),
    "a context manager": of(
        lambda: _manager(Box()), lambda h: of_with(h[0]()), lambda h: setattr(h[1], "value", 2.0)
    ),
    "__enter__": of(lambda: _entering(Box()), lambda h: of_with(h[0]), lambda h: setattr(h[1], "value", 2.0)),
    "__enter__ is replaced": of(
        lambda: _entering(Box()), lambda h: of_with(h[0]),
        lambda h: setattr(type(h[0]), "__enter__", lambda self: 2.0),
    ),
    "match": of(lambda: {"value": 1.0}, of_match, lambda h: h.update(value=2.0)),
    "str.format of an attribute": of(Box, lambda h: float("{0.value}".format(h)), lambda h: setattr(h, "value", 2.0)),  # noqa
    "str.format of an item": of(
        lambda: {"a": 1.0}, lambda h: float("{0[a]}".format(h)), lambda h: h.update(a=2.0)  # noqa: UP032
    ),
    "format_map": of(lambda: {"a": 1.0}, lambda h: float("{a}".format_map(h)), lambda h: h.update(a=2.0)),
    "percent of a dict": of(lambda: {"a": 1.0}, lambda h: float("%(a)s" % h), lambda h: h.update(a=2.0)),  # noqa
    "join": of(lambda: ["1", "2"], lambda h: float("".join(h)), lambda h: h.append("3")),
    "eval": of(Box, lambda h: eval("h.value"), lambda h: setattr(h, "value", 2.0)),
    "__dict__": of(lambda: _with_attribute(), lambda h: h.__dict__["value"], lambda h: setattr(h, "value", 2.0)),
    "vars": of(lambda: _with_attribute(), lambda h: vars(h)["value"], lambda h: setattr(h, "value", 2.0)),
    "a weak reference": of(lambda: _weak(Box()), lambda h: h[0]().value, lambda h: setattr(h[1], "value", 2.0)),
    "a bound method's owner": of(
        lambda: (box := Box(), types.MethodType(lambda self: self.value, box)), lambda h: h[1](),
        lambda h: setattr(h[0], "value", 2.0),
    ),
    "a subclass of float": of(
        lambda: type("F", (float,), {"__mul__": lambda s, o: 1.0, "__rmul__": lambda s, o: 1.0})(3.0),
        lambda h: 2.0 * h, lambda h: setattr(type(h), "__rmul__", lambda s, o: 5.0),
    ),
    "a subclass of list": of(
        lambda: type("L", (list,), {"__getitem__": lambda s, i: 1.0})([3.0]),
        lambda h: h[0], lambda h: setattr(type(h), "__getitem__", lambda s, i: 5.0),
    ),
    "a subclass of dict": of(
        lambda: type("D", (dict,), {"__missing__": lambda s, i: 1.0})(),
        lambda h: h["a"], lambda h: setattr(type(h), "__missing__", lambda s, i: 5.0),
    ),
    "a subclass of str": of(
        lambda: type("S", (str,), {"__len__": lambda s: 1})("abc"),
        lambda h: len(h), lambda h: setattr(type(h), "__len__", lambda s: 5),
    ),
    "a subclass of int": of(
        lambda: type("I", (int,), {"__bool__": lambda s: True})(0),
        lambda h: 1.0 if h else 2.0, lambda h: setattr(type(h), "__bool__", lambda s: False),
    ),
    "an attribute of a subclass of tuple": of(
        lambda: _noted(type("T", (tuple,), {})([1.0])), lambda h: h.note, lambda h: setattr(h, "note", 5.0)
    ),
}  # fmt: skip


def _slotted():
    held = type("Slots", (), {"__slots__": ("value",)})()
    held.value = 1.0
    return held


def _hierarchy():
    class Base:
        def value(self):
            return 1.0

    class Derived(Base):
        def value(self):
            return super().value()

    return Base, Derived


def _abstract():
    return abc.ABCMeta("Abstract", (), {})


def _subclass(cls):
    cls.kept = type("Subclass", (cls,), {})


def _with_note(cls):
    cls.RED.note = 1.0
    return cls


def _noted(held):
    held.note = 1.0
    return held


def _with_cached():
    class Cached:
        @functools.cached_property
        def value(self):
            return 1.0

    return Cached()


def _cached(box):
    return functools.lru_cache(lambda: box.value), box


def _wrapping(box):
    def inner():
        return box.value

    @functools.wraps(inner)
    def outer():
        return inner()

    return outer, box


def _manager(box):
    @contextlib.contextmanager
    def manager():
        yield box.value

    return manager, box


def _entering(box):
    members = {"__enter__": lambda self: box.value, "__exit__": lambda self, *args: None}
    return type("Entering", (), members)(), box


def _with_attribute():
    held = Box()
    held.value = 1.0
    return held


def _weak(box):
    import weakref

    return weakref.ref(box), box
