"""Programs that are replayed: being never stale is not bought by never replaying."""

import functools
import math
import operator
import types
from collections import OrderedDict, namedtuple

import pytest

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import nn
from tests.compiling.steps import Training, agree, replayed

SCALE = 2.0
TABLE = {"a": 1.0, "b": [2.0, 3.0]}
WEIGHTS = [lg.ones(2), lg.full((2,), 2.0)]
Pair = namedtuple("Pair", "first second")


class Holder:
    factor = 2.0

    def __init__(self, value):
        self.value = value

    @property
    def doubled(self):
        return 2 * self.value

    def scaled(self, x):
        return x * self.doubled * self.factor

    @staticmethod
    def shifted(x):
        return x + 1

    @classmethod
    def made(cls, value):
        return cls(value)


HOLDER = Holder(3.0)


def helper(x, by=2.0, *, shift=0.0):
    return x * by + shift


def with_loop(x):
    total = x
    for weight in WEIGHTS:
        total = total + weight
    for i in range(3):
        total = total * (i + 1)
    return total


def with_lists(x):
    parts = []
    for i, weight in enumerate(WEIGHTS):
        parts.append(x * weight + i)
    first, *rest = parts
    return first + sum(rest) + lg.stack([part for part in parts]).sum(0)


def with_dicts(x):
    made = {"x": x, "y": x + 1}
    made["z"] = made["x"] * made["y"]
    total = made["z"]
    for name, value in made.items():
        total = total + value * len(name)
    for value in TABLE["b"]:
        total = total * value
    return total * TABLE.get("a", 0.0) * TABLE.get("missing", 1.0)


def with_control_flow(x):
    i = 0
    while i < 3:
        x = x + i if i % 2 else x - i
        i += 1
        if i == 2:
            continue
    try:
        x = x * HOLDER.missing
    except AttributeError:
        x = x * 2
    finally:
        x = x + 1
    return x if isinstance(x, lg.Tensor) and x.shape[0] == 2 and not x.requires_grad else None


def with_inner_functions(x):
    scale = SCALE

    def inner(y, by=scale):
        return y * by + scale

    return functools.reduce(operator.add, [inner(x), (lambda y: y * scale)(x)])


def with_generator(x):
    def pieces():
        for weight in WEIGHTS:
            yield x * weight

    return sum(pieces()) + sum(x * weight for weight in WEIGHTS)


def with_pure_functions(x):
    numbers = sorted([3, 1, 2], key=lambda n: -n)
    return x * math.sqrt(numbers[0]) * max(1, 2) * len("abc".split("b")) * int("3") * math.pi + abs(-1) + round(2.6)


def with_objects(x):
    made = Holder(1.5)
    made.value = made.value + 1
    return HOLDER.scaled(x) + Holder.shifted(x) + made.scaled(x) + Holder.made(2.0).scaled(x)


def with_modes(x):
    with lg.no_grad():
        y = x * 2
    with lg.enable_grad():
        return (y + x).detach()


def with_keywords(x):
    options = {"by": 3.0, "shift": 1.0}
    return helper(x, **options) + helper(*[x, 2.0]) + helper(x, shift=SCALE)


def with_indices(x):
    y = lg.stack([x, x * 2])
    y[0] = y[1] + 1
    return y[:, 0] + y[..., -1] + y[lg.tensor([0, 1])][0] + y[None, 0, :][0]


def with_results(x):
    values, indices = lg.stack([x, x + 1]).max(dim=0)
    pair = lg.stack([x, x]).max(dim=0)
    return values + indices + pair.values


def with_names(x):
    config = types.SimpleNamespace
    return x * 3.0 if config is not None else x


def with_format(x):
    return {f"value {1 + 1}": x * 2, "b": (x, [x + 1])}["value 2"]


FUNCTIONS = [
    with_loop, with_lists, with_dicts, with_control_flow, with_inner_functions, with_generator, with_pure_functions,
    with_objects, with_modes, with_keywords, with_indices, with_results, with_names, with_format,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_functions(function):
    compiled = lg.compile(function, fullgraph=True)
    for i in range(6):
        x = lg.tensor([1.0 + i, 2.0])
        assert compiled(x).tolist() == pytest.approx(function(x).tolist())
    assert replayed(compiled), compiled.explain()


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(size), nn.Linear(size, size)
        self.drop, self.shortcut = nn.Dropout(0.1), None
        self.heads = 2

    def forward(self, x):
        out = self.drop(F.gelu(self.linear(self.norm(x))))
        if self.shortcut is not None:
            x = self.shortcut(x)
        batch, size = x.shape
        out = out.view(batch, self.heads, size // self.heads).transpose(1, 2).reshape(batch, size)
        return x + out


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(4) for _ in range(2)])
        self.named = nn.ModuleDict(OrderedDict(a=nn.Linear(4, 4), b=nn.ReLU()))
        self.head = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.scale = nn.Parameter(lg.ones(4))
        self.register_buffer("steps", lg.zeros(()))

    def forward(self, x, mask=None):
        if self.training:
            self.steps.add_(1)
        for i, block in enumerate(self.blocks):
            x = block(x) * (i + 1)
        for layer in self.named.values():
            x = layer(x)
        x = x * self.scale
        if mask is not None:
            x = x.masked_fill(mask, 0.0)
        return self.head(x)


class Derived(Deep):
    def forward(self, x, mask=None):
        return super().forward(x, mask) * 2


def convolutional():
    return nn.Sequential(
        nn.Unflatten(1, (1, 4, 4)), nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(8, 1),
    )  # fmt: skip


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(5, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.out(self.table((x[:, 0] > 0).long()))


MODELS = {
    "deep": (Deep, 4), "derived": (Derived, 4), "convolutional": (convolutional, 16), "embedding": (Words, 4),
}  # fmt: skip
OPTIMIZERS = {
    "adamw": lambda p: lg.optim.AdamW(p, lr=0.01),
    "groups": lambda p: (p := list(p)) and lg.optim.SGD([{"params": p[:1], "lr": 0.2}, {"params": p[1:]}], lr=0.1),
}


@pytest.mark.parametrize("explicit", [False, True], ids=["found", "state"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", MODELS)
def test_training_steps(name, optimizer, explicit):
    make, size = MODELS[name]
    histories = []
    for compiles in (False, True):
        lg.manual_seed(0)
        model = make()
        trained, criterion = OPTIMIZERS[optimizer](model.parameters()), nn.MSELoss()

        def step(x, y, model=model, trained=trained, criterion=criterion):
            trained.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            trained.step()
            return loss.detach()

        state = (model, trained) if explicit else None
        run = lg.compile(step, fullgraph=True, state=state) if compiles else step
        lg.manual_seed(3)
        batches = [(lg.randn(8, size), lg.randn(8, 1)) for _ in range(3)]
        histories.append([run(*batches[i % 3]).item() for i in range(9)])
        if compiles:
            assert replayed(run), run.explain()
    assert histories[1] == pytest.approx(histories[0], rel=1e-3)


def test_hooks_are_replayed():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model[0].register_forward_hook(lambda module, args, output: output * 2)
    model.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    compiled = lg.compile(lg.no_grad()(lambda x: model(x)), fullgraph=True)
    for i in range(6):
        x = lg.full((1, 2), float(i))
        with lg.no_grad():
            assert compiled(x).tolist() == model(x).tolist()
    assert replayed(compiled)


def test_state_is_a_contract():
    plain, compiled = Training("dropout", "adam"), Training("dropout", "adam")
    step = lg.compile(compiled.step_function(), fullgraph=True, state=(compiled.model, compiled.optimizer))
    for training, run in ((plain, plain.step_function()), (compiled, step)):
        lg.manual_seed(1)
        for i in range(16):
            if i == 6:
                training.optimizer.param_groups[0]["lr"] = 0.5
            if i == 10:
                training.model.eval()
            if i == 12:
                training.model[1].p = 0.3
                training.model.train()
            run(*training.batch(i))
    assert replayed(step)
    assert agree(compiled.everything(), plain.everything())


def test_state_names_modules_and_optimizers():
    with pytest.raises(TypeError, match="state holds a int"):
        lg.compile(lambda x: x, state=3)(lg.ones(1))


def test_a_tensor_that_the_state_does_not_name():
    held = lg.ones(2)
    compiled = lg.compile(lambda x: x * held, state=nn.Linear(1, 1))
    with pytest.warns(UserWarning, match=r"made at test_replaying\.py:\d+, that is kept where it cannot be found"):
        for i in range(8):
            held.fill_(float(i))
            assert compiled(lg.ones(2)).tolist() == [i, i]


def test_explain_names_the_line():
    import os

    def step(x):
        return x * float(os.environ.get("LAZYGRAD_TEST_NOTHING", "2"))

    compiled = lg.compile(step)
    compiled(lg.ones(1))
    assert "test_replaying.py:" in compiled.explain() and "calls Mapping.get" in compiled.explain()


@pytest.mark.parametrize("mode", [lg.inference_mode, lg.no_grad])
def test_what_autograd_knows_of_a_result(mode):
    def function(x):
        with mode():
            return x * 2

    compiled = lg.compile(function, fullgraph=True)
    for _ in range(6):
        result = compiled(lg.ones(3))
    assert replayed(compiled)
    assert result.is_inference() == function(lg.ones(3)).is_inference() == (mode is lg.inference_mode)


def test_items_of_containers_that_the_call_makes_are_updated():
    def function(x):
        totals, counts = {"number": 0, "tensor": x * 0}, [1, 2]
        for i in range(3):
            totals["number"] += i
            totals["tensor"] += x
            counts[i % 2] += 1
        totals["tensor"][0] += 1
        return totals["tensor"] * totals["number"] + counts[0]

    compiled = lg.compile(function, fullgraph=True)
    for i in range(6):
        assert compiled(lg.full((2,), float(i))).tolist() == function(lg.full((2,), float(i))).tolist()
    assert replayed(compiled)


def test_an_item_from_outside_is_not_updated_by_a_replay():
    held = [1.0]

    def function(x):
        made = {"held": held}
        made["held"] += [1.0]
        return x * len(held)

    compiled = lg.compile(function)
    with pytest.warns(UserWarning, match="changes a list"):
        assert [compiled(lg.ones(1)).tolist() for _ in range(6)] == [[n] for n in range(2, 8)]


def test_what_is_returned_twice_is_one_object_again():
    held = lg.ones(2, requires_grad=True)

    def step(x):
        y = x * 2
        return y, {"y": y, "again": [y, x]}, y[0], held, held

    compiled = lg.compile(step)
    for number in range(6):
        x = lg.full((2,), float(number))
        first, rest, part, one, other = compiled(x)
        assert first is rest["y"] is rest["again"][0] and rest["again"][1] is x and one is other is held
        first.add_(1)
        assert rest["y"].tolist() == [2.0 * number + 1] * 2 and part.item() == 2 * number + 1
