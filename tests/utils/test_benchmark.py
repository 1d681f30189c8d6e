"""`torch.utils.benchmark`: what is timed, and what is said of times."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.utils import benchmark
from lazygrad.utils.benchmark.utils import finishing


@pytest.fixture
def torch() -> ModuleType:
    module = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    import torch.utils.benchmark  # noqa: F401

    return module


def _is_computed(tensor: Any) -> bool:
    return tensor._storage.value.value is not None


# What is timed.


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What statements have computed, as lists."""
    found: list[Any] = []

    def noting(tensors: Any) -> None:
        lg.realize_all(tensors)
        assert all(map(_is_computed, tensors))
        found.append([tensor.tolist() for tensor in tensors])

    monkeypatch.setattr(finishing, "realize_all", noting)
    return found


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("x + 1", [[3.0]]),
        ("y = x * 2", [[4.0]]),
        ("y, (z, _) = x, (x + 1, 3)", [[2.0], [3.0]]),
        ("{'a': [x + 1, (x,)]}", [[3.0], [2.0]]),
        ("with torch.no_grad():\n    y = x - 1", [[1.0]]),
        ("y = x\ny += 1\ny = y * 2\n", [[6.0]]),
        ("def f():\n    x + 5\n    return x + 6\ny = f()", [[8.0]]),
        ("y = x\ndel y", []),
        ("pass", None),
        ("import math", None),
    ],
)
def test_values_of_a_statement_are_computed(computed: list[Any], statement: str, values: Any) -> None:
    benchmark.Timer(statement, "x = torch.full((), 2.0)").timeit(1)
    first = computed[0] if computed else None
    assert (None if first is None else [[value] if isinstance(value, float) else value for value in first]) == values


def test_loops_compute_each_round(computed: list[Any]) -> None:
    benchmark.Timer("for i in range(3):\n    y = x + i\n", globals={"x": lg.zeros(())})._seconds(1)
    assert computed[:3] == [[0.0], [1.0], [2.0]]


def test_gradients_and_writes_are_computed(computed: list[Any]) -> None:
    model, total = lg.nn.Linear(2, 1), lg.zeros(())

    def step() -> None:
        model(lg.ones(1, 2)).sum().backward()
        total.add_(1)

    benchmark.Timer("step()", globals={"step": step})._seconds(1)
    assert model.weight.grad is not None and _is_computed(model.weight.grad) and _is_computed(total)
    assert sorted(map(str, computed[0])) == ["[1.0]", "[[1.0, 1.0]]"]


def test_leaves_are_found_where_statements_name_them() -> None:
    x, model = lg.ones(1, requires_grad=True), lg.nn.Linear(1, 1)
    optimizer = lg.optim.SGD(model.parameters())

    class Holder:
        def method(self) -> Any:
            return x

    assert finishing.leaves_of({"a": [x, lg.ones(1)]}) == [x] and finishing.leaves_of(x * 2, 3) == []
    assert {id(leaf) for leaf in finishing.leaves_of(optimizer)} == {id(leaf) for leaf in model.parameters()}
    assert finishing.leaves_of(lambda: x)[0] is x and finishing.leaves_of(Holder().method)[0] is x


def test_a_setup_is_known_to_the_statement() -> None:
    found = benchmark.Timer("y = x @ w", "x = torch.ones(3, 3); w = n * x", globals={"n": 2}).timeit(2)
    assert found.number_per_run == 2 and len(found.times) == 1 and found.mean == found.median == found.times[0] > 0


def test_blocks_are_long_enough() -> None:
    calls: list[Any] = []
    timer = benchmark.Timer("torch.ones(3) + 1", num_threads=2, label="a", sub_label="b", description="c", env="d")
    found = timer.blocked_autorange(lambda number, time: calls.append((number, time)), min_run_time=0.02)
    assert [(found.number_per_run, time) for time in found.raw_times] == calls and sum(found.raw_times) >= 0.02
    assert (found.label, found.sub_label, found.description, found.env, found.num_threads) == ("a", "b", "c", "d", 2)
    found = timer.adaptive_autorange(threshold=100.0, max_run_time=0.1)
    assert len(found.raw_times) >= 4 or sum(found.raw_times) > 0.1


def test_threads_are_set_meanwhile() -> None:
    before, seen = lg.get_num_threads(), []
    benchmark.Timer("seen.append(torch.get_num_threads())", globals={"seen": seen}, num_threads=3).timeit(1)
    assert set(seen) == {3} and lg.get_num_threads() == before


@pytest.mark.parametrize("arguments", [
    {"stmt": len}, {"language": "rust"}, {"global_setup": "int x;"},
])  # fmt: skip
def test_errors_are_torchs(torch: ModuleType, arguments: dict[str, Any]) -> None:
    messages = []
    for module in (benchmark, torch.utils.benchmark):
        with pytest.raises(ValueError) as caught:
            module.Timer(**arguments)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_what_is_left_out() -> None:
    with pytest.raises(NotImplementedError, match="statements are Python"):
        benchmark.Timer("int x;", language="cpp")
    with pytest.raises(NotImplementedError, match="instructions are not counted"):
        benchmark.Timer().collect_callgrind()
    for name in ("repeat", "autorange"):
        with pytest.raises(NotImplementedError, match="blocked_autorange"):
            getattr(benchmark.Timer(), name)()


# What is said of times.

_TIMES = [
    [1e-3],
    [1.5e-6, 1.7e-6, 1.6e-6],
    [2e-3, 2.01e-3, 2.02e-3, 1.99e-3, 2.005e-3],
    [3e-8, 4e-8, 3.5e-8, 5e-8, 3.1e-8, 9e-8],
    [1.0, 1.1, 1.2, 1.05, 1.3],
]
_TASKS: list[dict[str, Any]] = [
    {"stmt": "x + 1", "setup": "pass"},
    {"stmt": "x + 1\ny", "setup": "a\nb", "sub_label": "float", "num_threads": 4},
    {"stmt": "f(x)", "setup": "x = 1", "label": "f", "sub_label": "int", "description": "small", "env": "new"},
]


def _measurement(module: Any, times: list[float], task: dict[str, Any], runs: int = 10) -> Any:
    return module.Measurement(runs, [time * runs for time in times], module.TaskSpec(**task))


@pytest.mark.parametrize("times", _TIMES)
@pytest.mark.parametrize("task", _TASKS)
def test_measurements_are_torchs(torch: ModuleType, times: list[float], task: dict[str, Any]) -> None:
    ours, theirs = (_measurement(module, times, task) for module in (benchmark, torch.utils.benchmark))
    assert repr(ours).splitlines()[1:] == repr(theirs).splitlines()[1:]
    for name in ("mean", "median", "iqr", "times"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name))
    for name in ("title", "as_row_name", "has_warnings", "significant_figures", "stmt", "env", "num_threads"):
        assert getattr(ours, name) == getattr(theirs, name), name
    with pytest.raises(AttributeError, match="mode"):
        ours.mode  # noqa: B018


def _comparison(module: Any, options: tuple[bool, ...], envs: bool) -> str:
    trims, colors, rowwise, warns = options
    results = []
    for number, (times, column) in enumerate(itertools.product(_TIMES, ("small", "large"))):
        task = {"stmt": f"f({number})", "setup": "", "label": "f" if number < 8 else "g", "description": column,
                "sub_label": f"row {number // 2}", "num_threads": 1 + number // 4}  # fmt: skip
        if envs:
            task["env"] = "old" if number % 4 < 2 else "newer"
        if number != 5:
            results.append(_measurement(module, [time * (1 + number / 7) for time in times], task))
            results.append(_measurement(module, times, task, 100))
    table = module.Compare(results[:3])
    table.extend_results(results[3:])
    if trims:
        table.trim_significant_figures()
    if colors:
        table.colorize(rowwise)
    if warns:
        table.highlight_warnings()
    return str(table)


@pytest.mark.parametrize("options", [*itertools.product((False, True), repeat=4)])
@pytest.mark.parametrize("envs", [False, True])
def test_tables_are_torchs(torch: ModuleType, options: tuple[bool, ...], envs: bool) -> None:
    ours, theirs = (_comparison(module, options, envs) for module in (benchmark, torch.utils.benchmark))
    assert ours.splitlines() == theirs.splitlines()


def test_tables_of_results_without_names(capsys: pytest.CaptureFixture[str]) -> None:
    table = benchmark.Compare([benchmark.Timer("1 + 1").timeit(1)])
    table.print()
    assert "1 + 1" in capsys.readouterr().out
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        table.extend_results([3])  # type: ignore[list-item]


def test_numbers_are_torchs(torch: ModuleType) -> None:
    theirs = torch.utils.benchmark
    for time in (1e-10, 3e-9, 2e-6, 1e-3, 0.5, 20.0):
        assert benchmark.select_unit(time) == theirs.select_unit(time)
    for x, n in ((3.14159, 2), (123456.0, 3), (0.00123, 1), (-5.56, 2)):
        assert benchmark.trim_sigfig(x, n) == pytest.approx(theirs.trim_sigfig(x, n))
    assert benchmark.ordered_unique([2, 1, 2]) == theirs.ordered_unique([2, 1, 2])
    assert benchmark.unit_to_english("us") == theirs.unit_to_english("us")
