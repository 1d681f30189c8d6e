"""Dataclasses, Enums, ``match`` and imports inside functions are replayed, and mean what they mean to Python."""

import dataclasses
import enum
from dataclasses import dataclass, field

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.compiling.steps import replayed


class Activation(enum.Enum):
    RELU = "relu"
    TANH = "tanh"

    @property
    def function(self):
        return lg.relu if self is Activation.RELU else lg.tanh


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Config:
    width: int = 4
    scale: float = 2.0
    activation: Activation = Activation.RELU
    shifts: list = field(default_factory=lambda: [1.0, 2.0])


@dataclass(frozen=True, slots=True)
class Fixed:
    scale: float = 3.0
    more: tuple = field(default=(1.0,), kw_only=True)


@dataclass
class Later(Config):
    twice: float = field(init=False)

    def __post_init__(self):
        self.twice = 2 * self.scale


@dataclass
class Batch:
    x: lg.Tensor
    y: lg.Tensor
    weight: float = 1.0


CONFIG, FIXED = Config(), Fixed()
FACTORS = {Activation.RELU: 2.0, Activation.TANH: 3.0}


def fields(x):
    return x * CONFIG.scale * FIXED.scale + sum(CONFIG.shifts) + FIXED.more[0]


def made(x):
    return x * Config(scale=5.0).scale + Config().shifts[1] + Fixed(4.0, more=(2.0,)).scale + Later(scale=2.0).twice


def replaced(x):
    return x * dataclasses.replace(CONFIG, scale=7.0).scale * len(dataclasses.fields(CONFIG))


def members(x):
    if CONFIG.activation is Activation.RELU and CONFIG.activation != Activation.TANH:
        x = x * FACTORS[CONFIG.activation]
    return CONFIG.activation.function(x) * len(CONFIG.activation.value) + len(CONFIG.activation.name)


def lookups(x):
    if Activation("relu") is Activation["RELU"] and Activation.TANH in Activation:
        x = x * (2.0 if isinstance(Activation.TANH, Activation) else 1.0)
    return x * len([a for a in Activation]) + len(Activation) + (2.0 if Level.LOW == 1 else 1.0)


def matched(x):
    match CONFIG:
        case Config(width=4, activation=Activation.RELU | Activation.TANH as activation):
            x = activation.function(x)
    match x.shape:
        case (rows, *rest) if len(rest) == 1:
            return x * rows
        case _:
            return x


def imported(x):
    import lazygrad.nn.functional as F
    from lazygrad.nn.functional import gelu

    return gelu(F.relu(x))


def summed(n):
    return 1.0 if n < 2 else n + summed(n - 1)


def recursive(x):
    return x * summed(4)


def sparse_or_not(x):
    return lg.add(lg.mul(x, 2.0), lg.sum(x) + lg.sqrt(lg.abs(x)))


def with_options(**options):
    options.setdefault("scale", 2.0)
    options["scale"] += 1
    return options["scale"]


def keywords(x):
    return x * with_options() * with_options(scale=4.0)


FUNCTIONS = [fields, made, replaced, members, lookups, matched, imported, recursive, sparse_or_not, keywords]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_is_replayed(function):
    compiled = lg.compile(function, fullgraph=True)
    for i in range(5):
        x = lg.full((2, 3), i - 1.5)
        assert compiled(x).tolist() == function(x).tolist()
    assert replayed(compiled)


def test_a_model_with_a_configuration():
    class Model(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.config = config
            self.layers = nn.ModuleDict({"a": nn.Linear(4, config.width), "b": nn.Linear(config.width, 4)})

        def forward(self, x):
            match self.config.activation:
                case Activation.RELU:
                    hidden = lg.relu(self.layers["a"](x))
                case Activation.TANH:
                    hidden = lg.tanh(self.layers["a"](x))
            return (self.layers["b"](hidden) if "b" in self.layers else hidden) * self.config.scale

    model = Model(Config())
    optimizer = lg.optim.SGD(model.parameters(), lr=0.1)

    def step(batch):
        optimizer.zero_grad()
        loss = ((model(batch.x) - batch.y) ** 2).mean() * batch.weight
        loss.backward()
        optimizer.step()
        return Batch(loss.detach(), batch.y, weight=3.0)

    compiled = lg.compile(step, fullgraph=True)
    losses = []
    for _ in range(6):
        result = compiled(Batch(lg.ones(2, 4), lg.zeros(2, 4)))
        assert type(result) is Batch and result.weight == 3.0 and [*vars(result)] == ["x", "y", "weight"]
        losses.append(result.x.item())
    assert replayed(compiled) and losses == sorted(losses, reverse=True) and len(set(losses)) == 6
    model.config = Config(activation=Activation.TANH)
    compiled(Batch(lg.ones(2, 4), lg.zeros(2, 4)))
    assert "changed" in compiled.explain()


def test_a_dataclass_that_is_returned_is_new_each_time():
    compiled = lg.compile(lambda x: Batch(x * 2, x), fullgraph=True)
    found = [compiled(lg.full((2,), float(i))) for i in range(6)]
    assert replayed(compiled)
    assert [batch.x.tolist() for batch in found] == [[2.0 * i] * 2 for i in range(6)]


def test_a_dataclass_that_lives_on_is_not_returned_by_a_replay():
    held = Batch(lg.ones(2), lg.ones(2))

    def function(x):
        x + 1
        return held

    compiled = lg.compile(function)
    with pytest.warns(UserWarning, match="returns a Batch that lives on"):
        assert all(compiled(lg.ones(2)) is held for _ in range(6))


def test_a_batch_is_not_changed_by_a_replay():
    def function(batch):
        batch.weight = batch.weight + 1
        return batch.x * batch.weight

    compiled, batch = lg.compile(function), Batch(lg.ones(1), lg.ones(1))
    assert [compiled(batch).item() for _ in range(6)] == [2, 3, 4, 5, 6, 7]


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"({self.x}, {self.y})"


def described(subject):
    found = rest = "unbound"
    match subject:
        case None | True | False:
            return "singleton", subject
        case 1 | 2.5 | "one" as found:
            return "value", found
        case Level.HIGH:
            return ("member",)
        case [] | ():
            return ("empty",)
        case [Point(x=0) as found, *rest] if rest:
            return "points", found.y, rest
        case [[found, *rest], {"a": [*_, last]}, *_]:
            return "nested", found, rest, last
        case [found, 7]:
            return "pair", found
        case {"kind": "list", "items": [found, *rest]}:
            return "list", found, rest
        case {"kind": found, **rest}:
            return "kind", found, rest
        case {}:
            return "mapping", found, rest
        case Point(0, y) | Point(y, 0):
            return "axis", y
        case Point(x, y=found):
            return "point", x, found
        case str(found) | bytes(found):
            return "text", found
        case int() | float():
            return "number", found, rest
        case found if isinstance(found, tuple):
            return "tuple", found
    return "nothing", found, rest


SUBJECTS = [
    None, True, False, 1, 1.0, 2.5, 3, "one", "two", b"one", Level.HIGH, Level.LOW, [], (), [1], [1, 2], [1, 7], (1, 7),
    [[1], {"a": [1, 2]}, 3], [[1, 5, 6], {"a": [2]}], [[], {"a": [1]}], [[1], {"b": 1}],
    {"kind": "list", "items": [1, 2]},
    {"kind": "list", "items": []}, {"kind": "list"}, {"a": 1}, {}, (1, 2, 3), range(2), frozenset([1]), 1j,
]  # fmt: skip
POINTS = [[Point(0, 1), Point(2, 0)], [Point(0, 1)], Point(0, 3), Point(3, 0), Point(3, 4)]


@pytest.mark.parametrize("subject", [*SUBJECTS, *POINTS], ids=repr)
def test_patterns_mean_what_they_mean_to_python(subject):
    made = []

    def function(x):
        found = described(subject)
        made.append(repr(found))
        return x * len(found)

    expected = function(lg.ones(1)).item()
    compiled = lg.compile(function)
    with pytest.warns(UserWarning):
        assert [compiled(lg.ones(1)).item() for _ in range(5)] == [expected] * 5
    assert made.count(made[0]) == len(made)


def test_a_pattern_that_python_refuses():
    class Odd:
        __match_args__ = ("x",)
        x = 1.0

    def two(subject):
        match subject:
            case Odd(a, b):
                return a + b

    def twice(subject):
        match subject:
            case Odd(a, x=b):
                return a + b

    for function in (two, twice):
        with pytest.raises(TypeError) as ours:
            lg.compile(lambda x: x * function(Odd()))(lg.ones(1))  # noqa: B023
        with pytest.raises(TypeError) as pythons:
            function(Odd())
        assert str(ours.value).partition("(")[0] == str(pythons.value).partition("(")[0]


class Holding(nn.Module):
    def __init__(self):
        super().__init__()
        self.factors, self.config, self.nested, self.names = [1.0], Config(scale=1.0), {"a": [1.0]}, {"a"}

    def forward(self, x):
        return (x + 1) * self.factors[0] * self.config.scale * self.nested["a"][0] * len(self.names)


@pytest.mark.parametrize(
    "change",
    [lambda m: m.factors.__setitem__(0, 2.0), lambda m: setattr(m.config, "scale", 2.0), lambda m: m.names.add("b"),
     lambda m: m.nested["a"].__setitem__(0, 2.0), lambda m: setattr(m, "config", Config(scale=2.0))],
    ids=["list", "dataclass", "set", "nested", "attribute"],
)  # fmt: skip
def test_state_is_what_attributes_hold(change):
    model = Holding()
    compiled = lg.compile(lambda x: model(x), fullgraph=True, state=model)
    for i in range(5):
        assert compiled(lg.full((1,), i + 1.0)).item() == i + 2
    assert replayed(compiled)
    change(model)
    assert compiled(lg.ones(1)).item() == 4
