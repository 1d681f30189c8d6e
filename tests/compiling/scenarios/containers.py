"""Containers whose items, order or length change; and plain values that are replaced."""

import array
import collections
import decimal
import fractions
import itertools
import json
import random
import types

import numpy as np

import lazygrad as lg
from tests.compiling.scenarios import ROUTES, Holder

SCENARIOS = {}


def numbers(start=1.0):
    return {1: start, 2: 2.0, 3: 3.0}


def turn(items):
    """Reverse the order of a dictionary."""
    pairs = list(items.items())
    items.clear()
    items.update(reversed(pairs))


def of_loop(items):
    total = 0
    for key in items:
        total = total * 10 + key
    return total


def of_enumerate(items):
    return sum([i * key for i, key in enumerate(items)])


def of_unpacked(items):
    first, *_ = items
    return first


ORDER = {
    "list": lambda d: list(d)[0],
    "next": lambda d: next(iter(d)),
    "values": lambda d: list(d.values())[0],
    "items": lambda d: list(d.items())[0][0],
    "keys": lambda d: tuple(d.keys())[0],
    "loop": of_loop,
    "enumerate": of_enumerate,
    "unpacked": of_unpacked,
    "starred": lambda d: [*d][0],
    "copied": lambda d: list({**d})[0],
    "dict()": lambda d: list(dict(d))[0],
    "copy": lambda d: list(d.copy())[0],
    "comprehension": lambda d: [key for key in d][0],
    "dict comprehension": lambda d: list({key: 1 for key in d})[0],
    "generator": lambda d: next(key for key in d),
    "sorted": lambda d: sorted(d, key=lambda key: 0)[0],
    "reversed": lambda d: next(reversed(d)),
    "str": lambda d: int(str(d)[1]),
    "repr": lambda d: int(repr(d)[1]),
    "format": lambda d: int(f"{d}"[1]),
    "percent": lambda d: int(("%s" % (d,))[1]),
    "zip": lambda d: list(zip(d, "abc"))[0][0],  # noqa: B905
    "map": lambda d: list(map(abs, d))[0],
    "max": lambda d: max(d, key=lambda key: 0),
    "union": lambda d: list(d | {9: 9})[0],
    "json": lambda d: int(json.dumps(d)[2]),
    "ordered": lambda d: next(iter(collections.OrderedDict(d))),
    "chain": lambda d: list(itertools.chain(d))[0],
    "tensor": lambda d: lg.tensor(list(d.values()))[0],
}
for route in ("closure", "global", "attribute"):
    for reader, read in ORDER.items():

        def order(m, read=read, route=route):
            state = numbers()
            return ROUTES[route](read, state, m), [lg.ones(2)], lambda: turn(state)

        SCENARIOS[f"order of a dict by {reader}, {route}"] = order

MAPPINGS = {
    "OrderedDict": lambda: collections.OrderedDict(numbers()),
    "defaultdict": lambda: collections.defaultdict(int, numbers()),
    "Counter": lambda: collections.Counter(numbers()),
    "UserDict": lambda: collections.UserDict(numbers()),
    "subclass": lambda: type("Mapping", (dict,), {})(numbers()),
}
for kind, make in MAPPINGS.items():
    for reader in ("list", "loop", "items"):

        def order_of_kind(m, make=make, read=ORDER[reader]):
            state = make()
            return ROUTES["closure"](read, state, m), [lg.ones(2)], lambda: turn(state)

        SCENARIOS[f"order of a {kind} by {reader}"] = order_of_kind


def move_to_end(m):
    state = collections.OrderedDict(numbers())
    return (lambda x: x * next(iter(state))), [lg.ones(2)], lambda: state.move_to_end(1)


def order_of_keywords(m):
    def function(x, **options):
        return x * list(options.values())[0]

    options = {"a": 1.0, "b": 2.0}
    return (lambda x: function(x, **options)), [lg.ones(2)], lambda: turn(options)


def order_of_an_argument(m):
    options = {"a": 1.0, "b": 2.0}
    return (lambda x, o: x * list(o.values())[0]), [lg.ones(2), options], lambda: turn(options)


def order_of_attributes(m):
    settings = types.SimpleNamespace(a=1.0, b=2.0)
    return (lambda x: x * list(vars(settings).values())[0]), [lg.ones(2)], lambda: turn(vars(settings))


def order_of_a_proxy(m):
    state = numbers()
    proxy = types.MappingProxyType(state)
    return (lambda x: x * list(proxy)[0]), [lg.ones(2)], lambda: turn(state)


def chain_map(m):
    state = numbers()
    chain = collections.ChainMap({}, state)
    return (lambda x: x * chain[1]), [lg.ones(2)], lambda: state.update({1: 7.0})


for function in (
    move_to_end, order_of_keywords, order_of_an_argument, order_of_attributes, order_of_a_proxy, chain_map,
):  # fmt: skip
    SCENARIOS[function.__name__] = function


# What changes in place, however it is reached.


def changed_array(state):
    state[0] = 7


IN_PLACE = {
    "list item": (lambda: [1.0, 2.0], lambda s: s[0], changed_array),
    "list length": (lambda: [1.0, 2.0], lambda s: len(s), lambda s: s.append(3.0)),
    "list order": (lambda: [1.0, 2.0], lambda s: s[0], lambda s: s.reverse()),
    "list slice": (lambda: [1.0, 2.0], lambda s: s[0:1][0], changed_array),
    "list sum": (lambda: [1.0, 2.0], lambda s: sum(s), changed_array),
    "list in": (lambda: [1.0, 2.0], lambda s: 2.0 if 7 in s else 1.0, changed_array),
    "list truth": (lambda: [], lambda s: 2.0 if s else 1.0, lambda s: s.append(1)),
    "list count": (lambda: [1.0], lambda s: s.count(1.0), lambda s: s.append(1.0)),
    "list equal": (lambda: [1.0], lambda s: 2.0 if s == [1.0] else 1.0, changed_array),
    "list nested": (lambda: [[1.0]], lambda s: s[0][0], lambda s: changed_array(s[0])),
    "list unpacked": (lambda: [1.0, 2.0], of_unpacked, changed_array),
    "list as tensor": (lambda: [1.0, 2.0], lambda s: lg.tensor(s), changed_array),
    "list multiplied": (lambda: [1.0], lambda s: len(s * 3), lambda s: s.append(1.0)),
    "list joined": (lambda: [1.0], lambda s: len(s + [1.0]), lambda s: s.append(1.0)),
    "dict item": (numbers, lambda s: s[1], lambda s: s.update({1: 7.0})),
    "dict get": (numbers, lambda s: s.get(9, 1.0), lambda s: s.update({9: 7.0})),
    "dict length": (numbers, lambda s: len(s), lambda s: s.update({9: 7.0})),
    "dict in": (numbers, lambda s: 2.0 if 9 in s else 1.0, lambda s: s.update({9: 7.0})),
    "dict sum": (numbers, lambda s: sum(s.values()), lambda s: s.update({1: 7.0})),
    "dict pop": (numbers, lambda s: dict(s).pop(1), lambda s: s.update({1: 7.0})),
    "dict removed": (numbers, lambda s: s.get(1, 5.0), lambda s: s.pop(1)),
    "set in": (lambda: {1, 2}, lambda s: 2.0 if 7 in s else 1.0, lambda s: s.add(7)),
    "set length": (lambda: {1, 2}, lambda s: len(s), lambda s: s.add(7)),
    "set same length": (lambda: {1, 2}, lambda s: 2.0 if 1 in s else 1.0, lambda s: (s.discard(1), s.add(5))),
    "set sorted": (lambda: {1, 2}, lambda s: sorted(s)[0], lambda s: s.add(-7)),
    "deque": (lambda: collections.deque([1.0, 2.0]), lambda s: s[0], changed_array),
    "deque rotated": (lambda: collections.deque([1.0, 2.0]), lambda s: s[0], lambda s: s.rotate(1)),
    "bytearray": (lambda: bytearray(b"ab"), lambda s: s[0], changed_array),
    "array": (lambda: array.array("d", [1.0, 2.0]), lambda s: s[0], changed_array),
    "memoryview": (lambda: memoryview(bytearray(b"ab")), lambda s: s[0], changed_array),
    "ndarray item": (lambda: np.ones(2), lambda s: float(s[0]), changed_array),
    "ndarray sum": (lambda: np.ones(2), lambda s: float(s.sum()), changed_array),
    "ndarray as tensor": (lambda: np.ones(2, np.float32), lambda s: lg.tensor(s), changed_array),
    "ndarray from_numpy": (lambda: np.ones(2, np.float32), lambda s: lg.from_numpy(s), changed_array),
    "ndarray shape": (lambda: np.ones((2, 3)), lambda s: s.shape[0], lambda s: s.resize((3, 2), refcheck=False)),
}
for kind, (make, read, change) in IN_PLACE.items():
    for route in ("closure", "global", "default", "element"):

        def in_place(m, make=make, read=read, change=change, route=route):
            state = make()
            return ROUTES[route](read, state, m), [lg.ones(2)], lambda: change(state)

        SCENARIOS[f"{kind}, {route}"] = in_place

# What is replaced by another value.

VALUES = {
    "int": (1, 2),
    "int and float": (2, 2.0),
    "zero and minus zero": (0.0, -0.0),
    "bool and int": (True, 1),
    "float": (1.0, 1.5),
    "complex": (1 + 2j, 1 + 3j),
    "numpy": (np.float32(1), np.float32(2)),
    "numpy dtype": (np.float32(1), np.float64(1)),
    "fraction": (fractions.Fraction(1, 2), fractions.Fraction(1, 3)),
    "decimal": (decimal.Decimal("0.5"), decimal.Decimal("0.25")),
}


def of_value(value):
    return complex(value) if isinstance(value, complex) else value if isinstance(value, np.generic) else value + 0


def as_factor(value):
    if isinstance(value, np.generic):
        return value * value.itemsize
    return float(value) if isinstance(value, (fractions.Fraction, decimal.Decimal)) else value


def and_inverse(product):
    """What tells apart zeros of either sign, and of a truth value numbers of any type."""
    return [product, 1 / product]


def truths():
    return lg.ones(2, dtype=lg.bool)


for kind, (before, after) in VALUES.items():

    def replaced_global(m, before=before, after=after):
        m.setitem(globals(), "VALUE", before)
        return (lambda x: and_inverse(x * as_factor(VALUE))), [truths()], lambda: m.setitem(globals(), "VALUE", after)

    def replaced_closure(m, before=before, after=after):
        value = before

        def change():
            nonlocal value
            value = after

        return (lambda x: and_inverse(x * as_factor(value))), [truths()], change

    def replaced_item(m, before=before, after=after):
        held = {"value": before}
        return (lambda x: and_inverse(x * as_factor(held["value"]))), [truths()], lambda: held.update(value=after)

    def replaced_attribute(m, before=before, after=after):
        held = types.SimpleNamespace(value=before)
        return (lambda x: and_inverse(x * as_factor(held.value))), [truths()], lambda: setattr(held, "value", after)

    def replaced_argument(m, before=before, after=after):
        args = [truths(), before]
        return (lambda x, value: and_inverse(x * as_factor(value))), args, lambda: args.__setitem__(1, after)

    def replaced_default(m, before=before, after=after):
        def function(x, *, value=before):
            return and_inverse(x * as_factor(value))

        return function, [truths()], lambda: function.__kwdefaults__.update(value=after)

    for made in (
        replaced_global, replaced_closure, replaced_item, replaced_attribute, replaced_argument, replaced_default,
    ):  # fmt: skip
        SCENARIOS[f"{made.__name__.replace('_', ' ')}: {kind}"] = made
VALUE = None

# What moves on with every call: the uncompiled calls need a state of their own.

MOVING = {
    "iterator": (lambda: iter(range(100)), lambda s: next(s), lambda s: next(s)),
    "count": (lambda: itertools.count(1), lambda s: next(s), lambda s: next(s)),
    "generator": (lambda: (n for n in range(100)), lambda s: next(s), lambda s: next(s)),
    "cycle": (lambda: itertools.cycle([1, 2, 3]), lambda s: next(s), lambda s: next(s)),
    "zip": (lambda: zip(range(99), range(99), strict=True), lambda s: next(s)[0], lambda s: next(s)),
    "popped": (lambda: list(range(99)), lambda s: s.pop(), lambda s: s.append(7)),
    "appended": (lambda: [], lambda s: s.append(1) or len(s), lambda s: s.append(7)),
    "counted": (lambda: {"n": 0}, lambda s: counted(s), lambda s: s.update(n=50)),
    "setdefault": (dict, lambda s: s.setdefault(len(s), 5) + len(s), lambda s: s.update(a=1)),
    "defaultdict": (lambda: collections.defaultdict(float), lambda s: s[len(s)] + len(s), lambda s: s[-1]),
    "random": (lambda: random.Random(3), lambda s: s.random(), lambda s: s.seed(5)),
    "numpy random": (lambda: np.random.default_rng(3), lambda s: s.random(), lambda s: s.random()),
    "lg random": (lambda: lg.Generator().manual_seed(3), lambda s: lg.rand(2, generator=s), lambda s: s.manual_seed(9)),
    "deque popped": (lambda: collections.deque(range(99)), lambda s: s.popleft(), lambda s: s.appendleft(7)),
    "set added": (set, lambda s: s.add(len(s)) or len(s), lambda s: s.clear()),
    "attribute": (Holder, lambda s: counted(s.__dict__), lambda s: s.__dict__.update(n=50)),
    "setattr": (Holder, lambda s: setattr(s, "n", getattr(s, "n", 0) + 1) or s.n, lambda s: setattr(s, "n", 50)),
    "extended": (lambda: [1], lambda s: extended(s), lambda s: s.append(1)),
    "sorted in place": (
        lambda: [3, 1],
        lambda s: s.sort(reverse=len(s) % 2 == 0) or s.insert(1, 5) or s[0],
        lambda s: s.append(9),
    ),
    "deleted": (lambda: list(range(99)), lambda s: deleted(s), lambda s: s.insert(0, 1)),
}


def counted(state):
    state["n"] = state.get("n", 0) + 1
    return state["n"]


def extended(state):
    state += [1]
    return len(state)


def deleted(state):
    del state[0]
    return state[0]


STATEFUL = {}
for kind, (make, read, change) in MOVING.items():
    for route in ("closure", "global", "element", "method"):

        def moving(m, make=make, read=read, change=change, route=route):
            state = make()
            return ROUTES[route](read, state, m), [lg.ones(2)], lambda: change(state)

        STATEFUL[f"{kind}, {route}"] = moving


# Containers among the arguments, of which the call's key says which they are, or what they hold.
class Key:
    """Equal to nothing else."""


KEY = Key()


def replace_item(items, value):
    items.clear()
    items.update(value)


ARGUMENTS = {
    "set": (lambda: {1.0}, lambda s: replace_item(s, {5.0}), lambda s: s.add(7.0)),
    "dict": (lambda: {"a": 1.0}, lambda d: d.update(a=5.0), lambda d: d.update(b=7.0)),
    "OrderedDict": (
        lambda: collections.OrderedDict(a=1.0), lambda d: d.update(a=5.0), lambda d: d.update(b=7.0)
    ),
    "defaultdict": (
        lambda: collections.defaultdict(float, a=1.0), lambda d: d.update(a=5.0), lambda d: d.update(b=7.0)
    ),
    "dictionary with an object as key": (
        lambda: {KEY: 1.0, "a": 1.0}, lambda d: d.update(a=5.0), lambda d: d.update(b=7.0)
    ),
    "list": (lambda: [1.0], lambda v: v.__setitem__(0, 5.0), lambda v: v.append(7.0)),
}  # fmt: skip
OF_ARGUMENTS = {
    "len": (lambda h: len(h), False),
    "whether there are two": (lambda h: 2.0 if len(h) == 2 else 1.0, False),
    "a loop": (lambda h: sum([1.0 for _ in h]), False),
    "in": (lambda h: 2.0 if ("b" in h or 7.0 in h) else 1.0, False),
    "values": (lambda h: sum(h.values() if isinstance(h, dict) else h, 1.0), True),
    "get": (lambda h: h.get("b", 1.0), False),
    "an item": (lambda h: h["a"], True),
}
for kind, (make, changed, added) in ARGUMENTS.items():
    for use, (read, reads_values) in OF_ARGUMENTS.items():
        if use in ("get", "an item") and kind in ("set", "list"):
            continue

        def given(m, make=make, read=read, change=changed if reads_values else added):
            held = make()
            return (lambda x, held: x * read(held)), [lg.ones(2), held], lambda: change(held)

        def given_in_a_list(m, make=make, read=read, change=changed if reads_values else added):
            held = make()
            return (lambda x, held: x * read(held[0])), [lg.ones(2), [held]], lambda: change(held)

        SCENARIOS[f"a {kind} as an argument, {use}"] = given
        SCENARIOS[f"a {kind} in a list as an argument, {use}"] = given_in_a_list
