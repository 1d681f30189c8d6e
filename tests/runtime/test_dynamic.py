"""Plans for ranges of sizes: the numbers of a plan for each size, few plans, and none where one would be wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import nn
from lazygrad.ir.polynomial import NotDynamic, Polynomial, Quantity, fitted, quantity
from lazygrad.runtime.dynamic.families import families
from lazygrad.runtime.dynamic.graph_template import GraphTemplate
from lazygrad.runtime.dynamic.marks import expecting_sizes
from lazygrad.runtime.realize import cache, realize
from lazygrad.runtime.recording import Recording
from lazygrad.targets.numpy.source_template import source_template
from lazygrad.tensor import Tensor


@pytest.fixture(autouse=True)
def only_numpy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    backend, runs = lg.get_backend(), lg.get_interpreted_runs()
    lg.set_backend("numpy")
    lg.set_interpreted_runs(0)
    cache.clear()
    families.clear()
    yield
    lg.set_backend(backend)
    lg.set_interpreted_runs(runs)


Program = Callable[[int], list[Tensor]]


def _numbers(*shape: int) -> Tensor:
    return lg.tensor(np.random.default_rng(shape).standard_normal(shape).astype(np.float32)).realize()


def _classes(count: int, *shape: int) -> Tensor:
    return lg.tensor(np.random.default_rng(shape).integers(0, count, shape)).realize()


def _training(model: nn.Module, loss: Callable[[int], Tensor]) -> Program:
    """The loss at a size, and all its gradients."""

    def program(size: int) -> list[Tensor]:
        value = loss(size)
        return [value, *lg.autograd.grad(value, [*model.parameters()])]

    return program


def mlp() -> Program:
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 10))
    return _training(model, lambda n: F.cross_entropy(model(_numbers(n, 20)), _classes(10, n)))


def cnn() -> Program:
    body = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    model = nn.Sequential(body, nn.Linear(4 * 4 * 4, 5))
    return _training(model, lambda n: F.cross_entropy(model(_numbers(n, 1, 8, 8)), _classes(5, n)))


def transformer() -> Program:
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    return _training(layer, lambda n: layer(_numbers(3, n, 16)).square().mean())


def causal_attention() -> Program:
    weight = nn.Linear(8, 24)

    def loss(n: int) -> Tensor:
        query, key, value = weight(_numbers(2, n, 8)).chunk(3, -1)
        scores = (query @ key.transpose(-1, -2)).masked_fill(lg.ones(n, n).tril() == 0, float("-inf"))
        return (scores.softmax(-1) @ value).square().mean()

    return _training(weight, loss)


class _CharacterModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.recurrent = nn.Embedding(12, 8), nn.LSTM(8, 10, batch_first=True)
        self.head = nn.Linear(10, 12)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.recurrent(self.embedding(x))[0])


def character_model() -> Program:
    model = _CharacterModel()
    return _training(
        model,
        lambda n: F.cross_entropy(model(_classes(12, 2, n)).reshape(-1, 12), _classes(12, 2, n + 0).reshape(-1)),
    )


def growing_cache() -> Program:
    """One step of generation: a new key and value behind the n that are there."""
    weight = nn.Linear(8, 24)

    def program(n: int) -> list[Tensor]:
        with lg.no_grad():
            query, key, value = weight(_numbers(1, 1, 8)).chunk(3, -1)
            keys = lg.cat([_numbers(1, n, 8), key], 1)
            values = lg.cat([_numbers(1, n, 8)[:, :, :8], value], 1)
            return [(query @ keys.transpose(1, 2)).softmax(-1) @ values, keys, values]

    return program


def statistics() -> Program:
    """What sorts, scans, pads, slices and shifts, and numbers that follow from the size."""

    def program(n: int) -> list[Tensor]:
        x = _numbers(n, 6)
        return [
            x.var(0), x.std(), x.cumsum(0), x.flip(0) * 2, F.pad(x, (0, 0, 2, 1)).exp(), x[1:] - x[:-1], x / (n + 20),
            x.reshape(-1).reshape(6, n).softmax(1), x.roll(1, 0) + x, x.argmax(0), x.sort(0).values, x.T @ x / (n + 10),
        ]  # fmt: skip

    return program


@dataclass(frozen=True)
class Case:
    """A program, and how many plans the sizes below may take."""

    make: Callable[[], Program]
    plans: int = 2


CASES = [
    Case(mlp), Case(cnn), Case(transformer, 3), Case(causal_attention, 3), Case(character_model), Case(growing_cache),
    Case(statistics, 4),
]  # fmt: skip
SIZES = [5, 9, 3, 4, 8, 16, 17, 18, 33, 64, 70]


def _values(program: Program, size: int) -> list[np.ndarray]:
    results = program(size)
    realize([result.node() for result in results])
    return [result.detach().numpy().copy() for result in results]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.make.__name__)
def test_a_range_has_the_bits_of_a_plan_for_each_size(case: Case) -> None:
    lg.manual_seed(0)
    program = case.make()
    served = []
    for size in SIZES:
        wanted = _values(program, size)
        cache.clear()
        with expecting_sizes():
            found = _values(program, size)
        served += [size] if lg.cache_info().dynamic_runs else []
        assert [x.tobytes() for x in found] == [x.tobytes() for x in wanted], size
    assert served == SIZES[1:], families.why_not
    assert lg.cache_info().dynamic_plans <= case.plans


OPERATIONS: dict[str, Callable[[int], Tensor]] = {
    "unfold": lambda n: _numbers(n + 2, 6).unfold(0, 3, 1).sum(-1) * 2,
    "conv1d": lambda n: F.conv1d(_numbers(2, 3, n + 2), _numbers(4, 3, 3), padding=1).relu(),
    "cumsum": lambda n: _numbers(n, 6).cumsum(0).exp(),
    "sort": lambda n: _numbers(n, 6).sort(0)[0] * 2,
    "topk": lambda n: _numbers(n + 3, 6).topk(3, 0)[0],
    "reflect": lambda n: F.pad(_numbers(1, 3, n + 3), (2, 1), mode="reflect").exp(),
    "max_pool": lambda n: F.max_pool1d(_numbers(2, 3, n + 3), 3, 1),
    "einsum": lambda n: lg.einsum("bij,bjk->bik", _numbers(2, n, 4), _numbers(2, 4, n)).softmax(-1),
    "cat": lambda n: lg.cat([_numbers(n, 6), _numbers(3, 6) * 2, _numbers(n, 6) + 1]).tanh(),
    "repeat": lambda n: _numbers(n, 6).repeat(2, 3) + 1,
    "gather": lambda n: (_numbers(n, 6) + 1).gather(1, _classes(6, n, 2)),
    "scatter": lambda n: lg.zeros(n, 6).scatter(1, _classes(6, n, 1), _numbers(n, 1)),
    "index_add": lambda n: lg.zeros(11, 6).index_add(0, _classes(11, n), _numbers(n, 6)),
    "diagonal": lambda n: _numbers(n, n).diagonal() * 2,
    "arange": lambda n: _numbers(n) * lg.arange(n),
    "batch_norm": lambda n: F.batch_norm(_numbers(n, 6), None, None, training=True),
    "cdist": lambda n: lg.cdist(_numbers(n, 3), _numbers(n, 3)),
    "flattened": lambda n: (_numbers(n, 6) + 1).reshape(-1)[: 3 * n].reshape(3, n).sum(0),
    "permuted": lambda n: (_numbers(n, 6, 2) + 1).permute(2, 0, 1).reshape(2, -1).sum(1),
    "differences": lambda n: (_numbers(n, 1, 6) - _numbers(1, n, 6)).square().sum(-1),
    "interpolate": lambda n: F.interpolate(_numbers(1, 2, n), scale_factor=2, mode="linear"),
    "causal": lambda n: F.scaled_dot_product_attention(*[_numbers(1, 2, n, 4)] * 3, is_causal=True),
    "inverse": lambda n: lg.linalg.inv(_numbers(n, n) + 10 * lg.eye(n)),
    "integers": lambda n: _classes(9, n) // 2 + _classes(9, n) % 3,
    "equal widths": lambda n: _numbers(n, 16) @ _numbers(16, 16) + _numbers(n, 16),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_have_the_bits_of_a_plan_for_each_size(name: str) -> None:
    served = 0
    for size in (5, 9, 3, 12, 16, 33):
        wanted = _values(lambda n: [OPERATIONS[name](n)], size)
        cache.clear()
        with expecting_sizes():
            found = _values(lambda n: [OPERATIONS[name](n)], size)
        served += lg.cache_info().dynamic_runs > 0
        assert [(x.shape, x.tobytes()) for x in found] == [(x.shape, x.tobytes()) for x in wanted], size
    assert served >= 4, families.why_not


def test_sums_that_are_cut_into_blocks_differ_in_the_last_bits_only() -> None:
    lg.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())
    program = _training(model, lambda n: (model(_numbers(n, 1, 28, 28)) ** 2).mean())
    for size in (20, 30, 64):
        wanted = _values(program, size)
        cache.clear()
        with expecting_sizes():
            found = _values(program, size)
        assert (size == 20) != bool(lg.cache_info().dynamic_runs)
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_steps_at_many_sizes_train_as_steps_with_a_plan_each() -> None:
    """What an optimizer keeps is donated, and updated in place."""

    def trained(is_dynamic: bool) -> list[bytes]:
        lg.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.2), nn.ReLU(), nn.Linear(16, 3))
        optimizer = lg.optim.AdamW(model.parameters(), lr=1e-2)
        losses = []
        for size in [4, 7, 9, 5, 12, 33, 64, 2, 3, 17, 1]:
            x = _numbers(size, 6)
            if is_dynamic:
                lg.mark_dynamic(x, 0)
            loss = F.cross_entropy(model(x), _classes(3, size))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach().numpy().tobytes())
        return [*losses, *[parameter.detach().numpy().tobytes() for parameter in model.parameters()]]

    wanted = trained(False)
    cache.clear()
    assert trained(True) == wanted
    assert lg.cache_info().dynamic_plans <= 4 and lg.cache_info().dynamic_runs >= 7


def test_another_program_at_a_size_is_not_mistaken_for_one_that_is_known() -> None:
    x = {size: lg.arange(float(size)).realize() for size in range(3, 40)}

    def value(size: int, factor: float) -> list[float]:
        with expecting_sizes():
            found: list[float] = (x[size] * factor + lg.ones(size)).exp().log().tolist()
        return found

    for size in (5, 9, 11, 13, 30):
        value(size, 0.25)
    assert lg.cache_info().dynamic_runs == 4
    with expecting_sizes():
        shorter = (x[12][:7] * 0.25 + lg.ones(7)).exp().log().tolist()
        other = (x[12] * 2 + lg.ones(12)).exp().log().tolist()
    np.testing.assert_allclose(shorter, 0.25 * np.arange(7) + 1, rtol=1e-6)
    np.testing.assert_allclose(other, 2 * np.arange(12) + 1, rtol=1e-6)
    np.testing.assert_allclose(value(14, 0.5), 0.5 * np.arange(14) + 1, rtol=1e-6)


def test_one_element_of_a_dimension_has_a_plan_of_its_own() -> None:
    """It is broadcast, and no longer summed up."""
    for size in (5, 9, 1, 12, 2):
        x, y = _numbers(size, 4), _numbers(7, 4)
        with expecting_sizes():
            found = ((x[:, None] - y).abs().sum(0) / size).numpy()
        np.testing.assert_allclose(found, np.abs(x.numpy()[:, None] - y.numpy()).sum(0) / size, rtol=1e-5)
    assert lg.cache_info().dynamic_runs >= 2


def test_marks_bound_the_range() -> None:
    for size in (40, 50, 60, 200):
        x = _numbers(size, 4)
        lg.mark_dynamic(x, 0, min=32, max=100)
        np.testing.assert_allclose(x.exp().sum(1).numpy(), np.exp(x.numpy()).sum(1), rtol=1e-6)
    assert (lg.cache_info().dynamic_plans, lg.cache_info().dynamic_runs) == (1, 2)


def test_marks_that_cannot_be() -> None:
    x = _numbers(3, 4)
    with pytest.raises(IndexError, match="mark_dynamic"):
        lg.mark_dynamic(x, 2)
    with pytest.raises(ValueError, match="min 5 is greater than max 4"):
        lg.mark_dynamic(x, (0, -1), min=5, max=4)


def _advised(program: Callable[[int, Callable[[Tensor], Tensor]], Any], sizes: tuple[int, ...]) -> tuple[str, int]:
    """What is advised after two sizes, and how many programs run by a plan for many where that is done."""
    for size in sizes[:2]:
        program(size, lambda x: x)
    advice = lg.explain_cache_miss()
    cache.clear()

    def marked(x: Tensor) -> Tensor:
        lg.mark_dynamic(x, x.shape.index(size))
        return x

    for size in sizes:
        program(size, marked)
    return advice, lg.cache_info().dynamic_runs


def test_a_miss_advises_marks_where_they_would_have_served() -> None:
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))

    def training(size: int, marked: Callable[[Tensor], Tensor]) -> None:
        loss = F.cross_entropy(model(marked(_numbers(size, 6))), _classes(3, size))
        lg.realize_all(lg.autograd.grad(loss, [*model.parameters()]))

    advice, served = _advised(training, (8, 13, 11))
    assert "one plan serves all such sizes from the third on after lg.mark_dynamic(x, 0) of %" in advice
    assert "made at test_dynamic.py:" in advice and "pad or group" not in advice and served >= 2

    advice, served = _advised(lambda n, mark: (mark(_numbers(3, n, n)) @ _numbers(n, 2)).exp().realize(), (8, 13, 11))
    assert "lg.mark_dynamic(x, (1, 2)) of %" in advice and served >= 1


@pytest.mark.parametrize(
    "program",
    [
        lambda n, mark: mark(_numbers(n)).exp()[: n // 2].log().realize(),  # half of a size
        lambda n, mark: (mark(_numbers(n, 1)) * _numbers({8: 5, 15: 9, 11: 21}[n])).exp().realize(),  # two sizes
    ],
)
def test_a_miss_advises_no_marks_where_they_are_in_vain(program: Any) -> None:
    advice, served = _advised(program, (8, 15, 11))
    assert "became" in advice and "mark_dynamic" not in advice and "pad or group" in advice
    assert served <= 1, "nothing after the second, which the plan is made of"


def test_a_miss_advises_no_marks_where_sizes_are_planned_one_by_one() -> None:
    lg.set_backend("c")
    for size in (8, 13):
        _numbers(size).exp().realize()
    assert "mark_dynamic" not in lg.explain_cache_miss()


def test_the_explanation_names_what_stands_in_the_way() -> None:
    for size in (8, 15, 16):
        with expecting_sizes():
            _numbers(size).exp()[: size // 2].log().sum().item()
    assert "no plan serves it" in lg.explain_cache_miss()
    assert "slice (" in lg.explain_cache_miss()


def test_a_refused_operand_is_named_with_its_line() -> None:
    weight = lg.ones(4, 3).realize()
    for size in (5, 9, 11):
        index = lg.zeros(size, dtype=lg.int64).realize()
        with expecting_sizes():
            total = weight[index + 0].sum().item()
        assert total == 3 * size
    before = lg.cache_info().dynamic_runs
    with expecting_sizes(), pytest.raises(IndexError, match=r"recorded at .*test_dynamic.py"):
        weight[lg.full((12,), 4).realize() + 0].sum().item()
    assert lg.cache_info().dynamic_runs == before + 1


def test_plans_come_from_the_background_and_sizes_that_stay_get_their_own() -> None:
    lg.set_interpreted_runs(None)
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64))

    def run(size: int) -> float:
        with expecting_sizes():
            return model(_numbers(size, 64)).exp().sum().item()

    def until(size: int, is_so: Callable[[], bool]) -> None:
        for _ in range(2000):
            if is_so():
                return
            run(size)
            time.sleep(0.005)
        raise AssertionError("it did not happen in 2000 runs")

    run(40), run(41)
    until(42, lambda: lg.cache_info().dynamic_plans > 0)
    before = lg.cache_info()
    found = run(44)
    after = lg.cache_info()
    assert (after.dynamic_runs, after.interpreted) == (before.dynamic_runs + 1, before.interpreted)
    assert found == pytest.approx(model(_numbers(44, 64)).exp().sum().item(), rel=1e-5)
    until(44, lambda: lg.cache_info().hits > 0)


def test_compile_runs_new_sizes_by_one_plan_and_records_what_stays() -> None:
    model = nn.Linear(6, 3)
    optimizer = lg.optim.SGD(model.parameters(), lr=0.1)

    @lg.compile(dynamic=True)
    def step(x: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    def plain(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> float:
        return float(np.mean((x @ weight.T + bias) ** 2))

    for size in [4, 4, 4, 4, 5, 9, 11, 30, 7, 8, 12, *[13] * 8]:
        x = _numbers(size, 6)
        wanted = plain(x.numpy(), model.weight.detach().numpy().copy(), model.bias.detach().numpy().copy())
        assert step(x).item() == pytest.approx(wanted, rel=1e-5)
    assert "replayed" in step.explain()
    info = lg.cache_info()
    assert info.dynamic_plans <= 2 and info.dynamic_runs >= 5 and info.misses <= 6


def test_formulas_are_found_and_checked() -> None:
    assert fitted([9, 2, 8, 7], [3 * n * n - n + 4 for n in (9, 2, 8, 7)]) == Polynomial((4, -1, 3))
    assert fitted([9, 2, 8, 7], [n // 2 for n in (9, 2, 8, 7)]) is None
    assert fitted([3, 5], [1, 2]) is None  # halves
    assert fitted([9, 2, 8, 7], [n**3 for n in (9, 2, 8, 7)]) is None
    assert quantity([9, 2, 8, 7], [1 / (4 * n) for n in (9, 2, 8, 7)]) == Quantity(Polynomial((0, 4, 0)), True, True)
    assert quantity([9, 2, 8, 7], [float(n) for n in (9, 2, 8, 7)]) == Quantity(Polynomial((0, 1, 0)), True)
    assert quantity([9, 2, 8, 7], [n**0.5 for n in (9, 2, 8, 7)]) is None
    assert quantity([9, 2], [1, 2.0]) is None


def test_texts_that_differ_in_more_than_numbers_are_refused() -> None:
    texts = [f'"""Of {n}."""\nx = y.reshape({n}, {2 * n})  # {n}\n' for n in (9, 5, 8)]
    template = source_template(texts, [9, 5, 8])
    assert template.text == '"""Of 9."""\nx = y.reshape(extent_0, extent_1)  # 9\n'
    assert [value.at(7) for value in template.values.values()] == [7, 14]
    with pytest.raises(NotDynamic, match=r"differ in: x = y \+ 1"):
        source_template(["x = y + 1\n", "x = y - 1\n"], [5, 9])
    with pytest.raises(NotDynamic, match="other steps"):
        source_template(["x = y\n", "x = y + 1\n"], [5, 9])
    with pytest.raises(NotDynamic, match="no formula was found for 2 at 5, 4 at 9, 3 at 7, 4 at 8 in: x = 2"):
        source_template([f"x = {n // 2}\n" for n in (5, 9, 7, 8)], [5, 9, 7, 8])


def test_graphs_that_differ_in_more_than_sizes_have_no_template() -> None:
    def graph(function: Callable[[Tensor], Tensor], size: int) -> Any:
        return Recording([function(_numbers(size)).node()]).program()

    with pytest.raises(NotDynamic, match="other operations"):
        GraphTemplate(graph(lambda x: x.exp(), 5), graph(lambda x: x.log(), 9))
    with pytest.raises(NotDynamic, match="no dimension of an input differs"):
        GraphTemplate(graph(lambda x: x.exp(), 5), graph(lambda x: x.exp(), 5))
    with pytest.raises(NotDynamic, match="slice"):
        GraphTemplate(*[graph(lambda x: x.exp()[: len(x) // 2].log(), size) for size in (8, 11)])
    template = GraphTemplate(*[graph(lambda x: x.exp()[1:].log(), size) for size in (5, 9)])
    assert template.size_of(graph(lambda x: x.exp()[1:].log(), 7)) == 7
    assert template.size_of(graph(lambda x: x.exp()[2:].log(), 7)) is None
    assert [str(node.type) for node in template.at(12).nodes] == ["f32[12]", "f32[12]", "f32[11]", "f32[11]"]
