"""Dataclasses that configure programs or are their batches, and Enums that choose between branches."""

import collections
import dataclasses
import enum
import typing
from dataclasses import dataclass, field

import lazygrad as lg

SCENARIOS = {}


class Box:
    value = 1.0


def box():
    return Box()


def add(name, state, read, change):
    """Multiply by what ``read`` finds in the state, which ``change`` changes."""

    def scenario(m):
        held = state()
        return (lambda x: x * read(held)), [lg.ones(2)], lambda: change(held, m)

    SCENARIOS[name] = scenario


def plain():
    @dataclass
    class Config:
        width: int = 4
        scale: float = 1.0

    return Config


def frozen():
    @dataclass(frozen=True)
    class Config:
        scale: float = 1.0

    return Config


def slotted():
    @dataclass(slots=True)
    class Config:
        scale: float = 1.0

    return Config


def made_later():
    @dataclass
    class Config:
        scale: float = 1.0
        twice: float = field(init=False, default=3.0)

        def __post_init__(self):
            self.twice = 2 * self.scale

    return Config


def by_name():
    @dataclass(kw_only=True)
    class Config:
        scale: float = 1.0

    return Config


def by_factory():
    held = Box()

    @dataclass
    class Config:
        scales: list = field(default_factory=lambda: [held.value])

    return Config, held


def inherited():
    @dataclass
    class Base:
        scale: float = 1.0

    @dataclass
    class Config(Base):
        width: int = 4

    return Base, Config


def other_init(self, scale=5.0):
    self.scale = scale


class Fifth:
    def __get__(self, instance, owner=None):
        return 5.0

    def __set__(self, instance, value):
        pass


def set_by(name, value):
    return lambda held, m: setattr(held, name, value)


def set_init(name, value):
    return lambda held, m: setattr(held.__init__, name, value)


add("a field", lambda: plain()(), lambda h: h.scale, set_by("scale", 5.0))
add("a frozen field", lambda: frozen()(), lambda h: h.scale, lambda h, m: object.__setattr__(h, "scale", 5.0))
add("a field in a slot", lambda: slotted()(), lambda h: h.scale, set_by("scale", 5.0))
add("a field that is not set", lambda: made_later(), lambda h: object.__new__(h).twice, set_by("twice", 5.0))
add("a deleted field", lambda: plain()(scale=2.0), lambda h: h.scale, lambda h, m: delattr(h, "scale"))
add("a default", plain, lambda h: h().scale, set_init("__defaults__", (4, 5.0)))
add("a default by name", by_name, lambda h: h().scale, set_init("__kwdefaults__", {"scale": 5.0}))
add("a frozen default", frozen, lambda h: h().scale, set_init("__defaults__", (5.0,)))
add("a slot's default", slotted, lambda h: h().scale, set_init("__defaults__", (5.0,)))
add("an inherited default", inherited, lambda h: h[1]().scale, lambda h, m: set_init("__defaults__", (5.0, 4))(h[1], m))
add("a factory reads state", by_factory, lambda h: h[0]().scales[0], lambda h, m: setattr(h[1], "value", 5.0))
add("a factory's items", by_factory, lambda h: sum([*h[0]().scales, 1.0]), lambda h, m: setattr(h[1], "value", 5.0))
add("__init__ of a dataclass is replaced", plain, lambda h: h().scale, set_by("__init__", other_init))
add("__init__ of a dataclass has other code", plain, lambda h: h(2.0).scale,
    lambda h, m: (set_init("__defaults__", (5.0,))(h, m), set_init("__code__", other_init.__code__)(h, m)))  # fmt: skip
add("a dataclass with an __init__ of its own",
    lambda: (held := Box(), dataclass(type("C", (), {"__init__": lambda self: setattr(self, "scale", held.value)}))),
    lambda h: h[1]().scale, lambda h, m: setattr(h[0], "value", 5.0))  # fmt: skip
add("__post_init__ is replaced", made_later, lambda h: h().twice,
    set_by("__post_init__", lambda self: setattr(self, "twice", 5.0)))  # fmt: skip
add("__post_init__ of an instance's class", made_later, lambda h: h(3.0).twice,
    lambda h, m: setattr(h.__post_init__, "__code__", (lambda self: setattr(self, "twice", 5.0)).__code__))  # fmt: skip
add("__setattr__ of a dataclass appears", plain, lambda h: h().scale,
    set_by("__setattr__", lambda self, name, value: object.__setattr__(self, name, 5.0)))  # fmt: skip
add("__new__ of a dataclass appears", plain, lambda h: h().scale, set_by("__new__", lambda cls: Box()))
add("a field becomes a property", plain, lambda h: h().scale, set_by("scale", Fifth()))
add("a field of an instance becomes a property", lambda: plain()(), lambda h: h.scale,
    lambda h, m: setattr(type(h), "scale", property(lambda self: 5.0)))  # fmt: skip
add("__getattribute__ of a dataclass appears", lambda: plain()(), lambda h: h.scale,
    lambda h, m: setattr(type(h), "__getattribute__", lambda self, name: 5.0))  # fmt: skip
add("a replaced field", lambda: plain()(), lambda h: dataclasses.replace(h, width=1).scale, set_by("scale", 5.0))
add("replace() runs __post_init__", lambda: made_later()(), lambda h: dataclasses.replace(h, scale=3.0).twice,
    lambda h, m: setattr(type(h), "__post_init__", lambda self: setattr(self, "twice", 5.0)))  # fmt: skip
add("dataclasses.replace is replaced", lambda: plain()(), lambda h: dataclasses.replace(h).scale,
    lambda h, m: m.setattr(dataclasses, "replace", lambda *args: plain()(scale=5.0)))  # fmt: skip
add("the fields of a dataclass", plain, lambda h: len(dataclasses.fields(h)),
    lambda h, m: h.__dataclass_fields__.update(more=h.__dataclass_fields__["width"]))  # fmt: skip
add("a field's name", plain, lambda h: len(dataclasses.fields(h)[0].name),
    lambda h, m: setattr(h.__dataclass_fields__["width"], "name", "w"))  # fmt: skip
add("is_dataclass", lambda: (Box(),), lambda h: 2.0 if dataclasses.is_dataclass(h[0]) else 1.0,
    lambda h, m: m.setattr(Box, "__dataclass_fields__", {}, raising=False))  # fmt: skip
add("asdict", lambda: plain()(), lambda h: dataclasses.asdict(h)["scale"], set_by("scale", 5.0))
add("equal fields", lambda: (plain()(), 1), lambda h: 2.0 if h[0] == dataclasses.replace(h[0], scale=1.0) else 1.0,
    lambda h, m: setattr(h[0], "scale", 5.0))  # fmt: skip
add("a dataclass in a dataclass", lambda: plain()(scale=plain()()), lambda h: h.scale.scale,
    lambda h, m: setattr(h.scale, "scale", 5.0))  # fmt: skip
add("a method of a dataclass", lambda: type("C", (plain(),), {"twice": lambda self: 2 * self.scale})(),
    lambda h: h.twice(), set_by("scale", 5.0))  # fmt: skip


@dataclass
class Batch:
    x: lg.Tensor
    scale: float = 2.0

    @property
    def scaled(self):
        return self.x * self.scale * Box.value


class Scaled(Batch):
    scale = property(lambda self: 9.0, lambda self, value: None)


def of_argument(name, function, change):
    def scenario(m):
        args = [Batch(lg.ones(2))]
        return function, args, lambda: change(args, m)

    SCENARIOS[f"a batch: {name}"] = scenario


of_argument("its number", lambda b: b.x * b.scale, lambda args, m: setattr(args[0], "scale", 5.0))
of_argument("its tensor", lambda b: b.x * b.scale, lambda args, m: setattr(args[0], "x", lg.ones(2) * 5))
of_argument("its tensor's shape", lambda b: b.x * b.scale, lambda args, m: setattr(args[0], "x", lg.ones(3)))
of_argument("another", lambda b: b.x * b.scale, lambda args, m: args.__setitem__(0, Batch(lg.ones(2) * 5, 3.0)))
of_argument("a property", lambda b: b.scaled, lambda args, m: m.setattr(Box, "value", 5.0))
of_argument("its property is replaced", lambda b: b.scaled,
            lambda args, m: m.setattr(Batch, "scaled", property(lambda self: self.x * 9)))  # fmt: skip
of_argument("what it lacks", lambda b: b.x * getattr(b, "more", 1.0), lambda args, m: setattr(args[0], "more", 5.0))
of_argument("what its class gets", lambda b: b.x * getattr(b, "more", 1.0),
            lambda args, m: m.setattr(Batch, "more", 5.0, raising=False))  # fmt: skip
of_argument("its class", lambda b: b.x * b.scale, lambda args, m: setattr(args[0], "__class__", Scaled))
of_argument("isinstance", lambda b: b.x * (2.0 if isinstance(b, Batch) else 1.0),
            lambda args, m: setattr(args[0], "__class__", type("Other", (), {})))  # fmt: skip
of_argument("its order", lambda b: b.x * sum([i * len(n) for i, n in enumerate(vars(b))], 1),
            lambda args, m: setattr(args[0], "x", vars(args[0]).pop("x")))  # fmt: skip


@dataclass
class Options:
    scale: float = 1.0
    held: object = None


class Pair(typing.NamedTuple):
    scale: float = 1.0
    held: object = None


class Attributed(Pair):
    """Has a dictionary of attributes beside its items."""


def scale_of(held):
    return held.scale


def more_of(held):
    return getattr(held, "more", 2.0)


def has_more(held):
    return 3.0 if hasattr(held, "more") else 2.0


def try_more(held):
    try:
        return held.more
    except AttributeError:
        return 2.0


def replaced(held):
    return dataclasses.replace(held, scale=held.scale + 1).scale


def matched(held):
    match held:
        case Options(scale=1.0):
            return 2.0
    return 3.0


def matched_by_more(held):
    match held:
        case object(more=more):
            return more
    return 2.0


def set_more(held):
    object.__setattr__(held, "more", 5.0)


def set_scale(held):
    object.__setattr__(held, "scale", 5.0)


def exchange_members(held):
    held.__dict__ = {"scale": 5.0, "more": 5.0}


# What the key of a call says of an argument: which one it is, or all that it holds.
RECORDS = {
    "options": Options, "options with a list of tensors": lambda: Options(held=[lg.ones(2)]),
    "options with a batch": lambda: Options(held=Batch(lg.ones(2))),
    "options with tensors": lambda: Options(held=lg.ones(2)),
    "options in options": lambda: Options(held=Options()), "frozen options": lambda: frozen()(),
    "options in slots": lambda: slotted()(), "inherited options": lambda: inherited()[1](),
    "a named tuple with attributes": Attributed,
    "a named tuple with attributes and tensors": lambda: Attributed(held=lg.ones(2)),
}  # fmt: skip
ROUTES = {
    "as an argument": lambda read, held: ((lambda x, o: x * read(o)), [lg.ones(2), held]),
    "in a list": lambda read, held: ((lambda x, o: x * read(o[0])), [lg.ones(2), [held]]),
    "in a dictionary": lambda read, held: ((lambda x, o: x * read(o["k"])), [lg.ones(2), {"k": held}]),
    "in a named tuple": lambda read, held: ((lambda x, o: x * read(o.held)), [lg.ones(2), Pair(1.0, held)]),
    "in a batch": lambda read, held: ((lambda b: b.x * read(b.scale)), [Batch(lg.ones(2), held)]),
    "from outside": lambda read, held: ((lambda x: x * read(held)), [lg.ones(2)]),
}  # fmt: skip
USES = {
    "a field": (scale_of, set_scale), "what it lacks": (more_of, set_more), "hasattr": (has_more, set_more),
    "try": (try_more, set_more), "replace": (replaced, set_scale), "a pattern": (matched, set_scale),
    "a pattern of what it lacks": (matched_by_more, set_more), "all of it": (scale_of, exchange_members),
    "what all of it lacks": (more_of, exchange_members), "vars": (lambda h: len(vars(h)), set_more),
    "asdict": (lambda h: dataclasses.asdict(h)["scale"], set_scale),
    "fields": (lambda h: sum([getattr(h, f.name) for f in dataclasses.fields(h) if f.name == "scale"]), set_scale),
}  # fmt: skip


def of_record(make, route, read, change):
    def scenario(m):
        held = make()
        return *route(read, held), lambda: change(held)

    return scenario


for record_name, make in RECORDS.items():
    for route_name, route in ROUTES.items():
        for use, (read, change) in USES.items():
            is_tuple, has_slots = "tuple" in record_name, "slots" in record_name
            if "frozen" in record_name and change is exchange_members:
                continue
            reads_fields = change is set_scale or use in ("all of it", "asdict", "fields")
            if (is_tuple and reads_fields) or (has_slots and change is not set_scale):
                continue
            if use == "a pattern" and not issubclass(type(make()), Options):
                continue
            SCENARIOS[f"{record_name} {route_name}: {use}"] = of_record(make, route, read, change)


def other_with_more(m):
    """An equal tuple with another attribute takes the place of one that lives on."""
    first, other = Attributed(held=lg.ones(2)), Attributed(held=lg.ones(2))
    other.more = 5.0
    args = [lg.ones(2), first]
    return (lambda x, o: x * more_of(o)), args, lambda: args.__setitem__(1, other)


SCENARIOS["another named tuple with other attributes"] = other_with_more


def returning(x):
    return [Batch(x * Box.value).scale, Batch(x * 2).x * Box.value]


SCENARIOS["a batch that is made"] = lambda m: (returning, [lg.ones(2)], lambda: m.setattr(Box, "value", 5.0))

# Enums.


def activations():
    class Activation(enum.Enum):
        RELU = "relu"
        TANH = "hyperbolic"

        def factor(self):
            return 1.0 if self is Activation.RELU else 3.0

        @property
        def length(self):
            return len(self.value)

    return Activation


def numbers():
    class Numbers(enum.IntEnum):
        ONE = 1
        TWO = 2

    return Numbers


def texts():
    class Texts(enum.StrEnum):
        ONE = "one"
        TWO = "two"

    return Texts


def elsewhere(name):
    """A name that a small dictionary would look for in another place."""
    return next(other for other in map(str, range(99)) if (hash(other) - hash(name)) % 8)


def rebind(name, value):
    return lambda held, m: type.__setattr__(held, name, value(held))


def patch(owner, name, value):
    return lambda held, m: m.setattr(owner, name, value)


# What is asked whether it contains something.
add("a name in a ModuleDict", lambda: lg.nn.ModuleDict({"a": lg.nn.Tanh()}), lambda h: 2.0 if "b" in h else 1.0,
    lambda h, m: h.update({"b": lg.nn.Tanh()}))  # fmt: skip
add("a name not in a ParameterDict", lambda: lg.nn.ParameterDict({"a": lg.ones(2)}),
    lambda h: 2.0 if "b" not in h else 1.0, lambda h, m: h.update({"b": lg.ones(2)}))  # fmt: skip
add("a key in a ChainMap", lambda: collections.ChainMap({"a": 1}), lambda h: 2.0 if "b" in h else 1.0,
    lambda h, m: h.update(b=1))  # fmt: skip
add("an item in a UserList", lambda: collections.UserList([1]), lambda h: 2.0 if 2 in h else 1.0,
    lambda h, m: h.append(2))  # fmt: skip
add("an item in a deque", lambda: collections.deque([1]), lambda h: 2.0 if 2 in h else 1.0, lambda h, m: h.append(2))
add("a key in a view", lambda: (d := {"a": 1}, d.keys()), lambda h: 2.0 if "b" in h[1] else 1.0,
    lambda h, m: h[0].update(b=1))  # fmt: skip
add("a key in a chain of comparisons", lambda: {"a": 1}, lambda h: 2.0 if "a" == "a" in h else 1.0,
    lambda h, m: h.clear())  # fmt: skip
add("which member", lambda: [activations()], lambda h: 1.0 if h[0].RELU is h[-1].RELU else 2.0,
    lambda h, m: h.append(activations()))  # fmt: skip
add("a member's value", lambda: activations().RELU, lambda h: len(h.value), set_by("_value_", "abc"))
add("a member's name", lambda: activations().RELU, lambda h: len(h.name), set_by("_name_", "abc"))
add("a member's name in a dictionary", lambda: (a := activations(), {a.RELU: 2.0}), lambda h: h[1].get(h[0].RELU, 1.0),
    lambda h, m: setattr(h[0].RELU, "_name_", elsewhere("RELU")))  # fmt: skip
add("a member's entry", lambda: (a := activations(), {a.RELU: 2.0}), lambda h: h[1][h[0].RELU],
    lambda h, m: h[1].update({h[0].RELU: 5.0}))  # fmt: skip
add("a member is another", activations, lambda h: len(h.RELU.value), rebind("RELU", lambda h: h.TANH))
add("a member by its class", activations, lambda h: h.TANH.factor(), rebind("RELU", lambda h: h.TANH))
add("a member by name", activations, lambda h: len(h["RELU"].value),
    lambda h, m: h._member_map_.update(RELU=h.TANH))  # fmt: skip
add("a member by value", activations, lambda h: len(h("relu").name) if h("relu") is h.RELU else 9.0,
    lambda h, m: h._value2member_map_.update(relu=h.TANH))  # fmt: skip
add("a value that is missing", activations, lambda h: len(h("other").value) if _has(h, "other") else 2.0,
    lambda h, m: h._value2member_map_.update(other=h.TANH))  # fmt: skip
add("how many members", activations, lambda h: len(h), lambda h, m: h._member_names_.append("RELU"))
add("the order of members", activations, lambda h: sum([i * len(a.value) for i, a in enumerate(h)]),
    lambda h, m: h._member_names_.reverse())  # fmt: skip
add("whether it is a member", activations, lambda h: 2.0 if h.RELU in h else 1.0,
    lambda h, m: h._member_map_.pop("RELU"))  # fmt: skip
add("a member in a tuple", lambda: (a := activations(), [a.RELU]), lambda h: 2.0 if h[0].RELU in h[1] else 1.0,
    lambda h, m: h[1].clear())  # fmt: skip
add("a method of an Enum", activations, lambda h: h.RELU.factor(), set_by("factor", lambda self: 5.0))
add("a property of an Enum", activations, lambda h: h.RELU.length, set_by("length", property(lambda self: 5.0)))
add("an attribute of a member appears", activations, lambda h: getattr(h.RELU, "note", 1.0),
    lambda h, m: setattr(h.RELU, "note", 5.0))  # fmt: skip
add("an attribute of an Enum appears", activations, lambda h: getattr(h.RELU, "note", 1.0), set_by("note", 5.0))
add("an attribute by the Enum appears", activations, lambda h: getattr(h, "note", 1.0), set_by("note", 5.0))
add("__eq__ of an Enum appears", activations, lambda h: 2.0 if h.RELU == h.TANH else 1.0,
    set_by("__eq__", lambda self, other: True))  # fmt: skip
add("__bool__ of an Enum appears", activations, lambda h: 2.0 if h.RELU else 1.0,
    set_by("__bool__", lambda self: False))  # fmt: skip
add("__hash__ of an Enum appears", lambda: (a := activations(), {a.RELU: 2.0}), lambda h: h[1].get(h[0].RELU, 1.0),
    lambda h, m: setattr(h[0], "__hash__", lambda self: hash(self._name_) + 1))  # fmt: skip
add("__class__ of a member", activations, lambda h: 2.0 if isinstance(h.RELU, h) else 1.0,
    lambda h, m: setattr(h.RELU, "__class__", activations()))  # fmt: skip
add("a number's name", numbers, lambda h: 2.0 if h.ONE == 1 else 1.0, rebind("ONE", lambda h: h.TWO))
add("a number's order", numbers, lambda h: 2.0 if h.ONE < 2 else 1.0, rebind("ONE", lambda h: h.TWO))
add("a number is a factor", numbers, lambda h: h.ONE, rebind("ONE", lambda h: h.TWO))
add("a number's __eq__ appears", numbers, lambda h: 2.0 if h.ONE == 1 else 1.0,
    set_by("__eq__", lambda self, other: False))  # fmt: skip
add("a text", texts, lambda h: 2.0 if h.ONE == "one" else 1.0, rebind("ONE", lambda h: h.TWO))
add("EnumType.__getitem__", activations, lambda h: len(h["RELU"].value),
    patch(enum.EnumType, "__getitem__", lambda cls, name: cls.TANH))  # fmt: skip
add("EnumType.__call__", activations, lambda h: len(h("relu").value),
    patch(enum.EnumType, "__call__", lambda cls, name: cls.TANH))  # fmt: skip
add("EnumType.__len__", activations, lambda h: len(h), patch(enum.EnumType, "__len__", lambda cls: 5))
add("EnumType.__iter__", activations, lambda h: len([a for a in h]),
    patch(enum.EnumType, "__iter__", lambda cls: iter([cls.RELU])))  # fmt: skip
add("Enum.__new__", activations, lambda h: len(h("relu").value),
    lambda h, m: type.__setattr__(h, "__new__", lambda cls, value: cls.TANH))  # fmt: skip
add("Enum.value", activations, lambda h: len(h.RELU.value),
    lambda h, m: m.setattr(vars(enum.Enum)["value"], "fget", lambda self: "abc"))  # fmt: skip


def _has(cls, value):
    try:
        cls(value)
    except ValueError:
        return False
    return True
