"""profile: what it counts and adds up. No test asks how long something took."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn, profiler
from lazygrad.data import DataLoader, TensorDataset
from lazygrad.host.buffer import pool
from lazygrad.inspect import record_function
from lazygrad.nn import functional as F
from lazygrad.profiler import ProfilerAction
from lazygrad.runtime.profiling import Activity, profiling
from lazygrad.runtime.realize import cache
from tests.passes.programs import realized


@pytest.fixture(autouse=True)
def _planned_at_once() -> Iterator[None]:
    before = lg.get_interpreted_runs()
    lg.set_interpreted_runs(0)
    lg.realize_all([])  # what other tests left pending would be computed along
    with lg.backend("numpy"):
        yield
    lg.set_interpreted_runs(before)


def train(steps: int) -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = lg.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(realized(4 * steps, 8), lg.tensor([0, 1, 2, 3] * steps))
    for x, y in DataLoader(data, batch_size=4):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()


def test_kernels_are_counted_as_often_as_they_run() -> None:
    x, y = realized(64, 64), realized(64, 64)
    with lg.profile() as found:
        for _ in range(5):
            lg.softmax(x @ y, 1).numpy()
    assert sorted((work.name, work.category, work.backend, work.calls) for work in found.works) == [
        ("matmul", "call", "numpy", 5),
        ("softmax", "kernel", "numpy", 5),
    ]
    assert {work.bytes for work in found.works} == {3 * 64 * 64 * 4, 2 * 64 * 64 * 4}
    assert found.cache["planned_runs"] == 5 and found.cache["misses"] == 1
    (reason,) = found.misses
    assert reason.startswith("the last program without a plan (4 recorded operations; planned now)")


def test_a_training_loop_adds_up() -> None:
    with lg.profile() as found:
        train(6)
    activities = found.activities()
    assert sum(activities.values()) == pytest.approx(1000 * found.seconds, rel=1e-6)
    assert {"kernels", "library calls", "realizing", "planning", "loading data"} <= set(
        name for name, milliseconds in activities.items() if milliseconds
    )
    computing = activities["kernels"] + activities["library calls"]
    assert sum(found.lines().values()) == pytest.approx(computing, rel=1e-6)
    assert {Path(file).name for file, _ in found.lines()} == {"test_profile.py"}
    assert activities["interpreted operations"] == 0


def test_interpreted_operations_have_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAZYGRAD_WAIT_FOR_COMPILER", raising=False)
    lg.set_interpreted_runs(100)
    x = realized(4, 8)
    with lg.profile() as found:
        for _ in range(3):
            lg.sin(x).cumsum(0).numpy()
    assert sorted((work.name, work.backend, work.calls) for work in found.works) == [
        ("cumsum", "interpreter", 3),
        ("sin", "interpreter", 3),
    ]
    assert found.cache["interpreted"] == 3


def test_a_line_has_its_part_of_a_shared_kernel() -> None:
    x = realized(16, 32)
    names: dict[str, Any] = {"lg": lg, "x": x}
    with lg.profile() as found:
        exec(compile("a = lg.exp(x) + 1\nb = a.sum(1) * 2\nb.numpy()", "walk.py", "exec"), names)
    (work,) = found.works
    parts = {(origin.file, origin.line): part for origin, part in work.origins}
    whole = 2 * 16 * 32 + 16 * 32 + 16
    assert parts == {("walk.py", 1): 2 * 16 * 32 / whole, ("walk.py", 2): (16 * 32 + 16) / whole}


def test_nothing_is_left_behind() -> None:
    x = realized(8, 8)
    with lg.profile():
        lg.exp(x).numpy()
        plan = lg.last_step().plan_object
        assert type(plan.executable("numpy")).__name__ == "TimedExecutable"
        with pytest.raises(RuntimeError, match="profiles do not nest"), lg.profile():
            pass
    assert type(plan.executable("numpy")).__name__ == "NumpyCode"
    assert profiling.recorder is None and pool.meter is None


def test_c_is_timed_step_by_step() -> None:
    x = realized(64, 64)
    with lg.backend("c"):
        expected = lg.softmax(x @ x, 1).numpy()
        lg.wait_for_compiler()
        with lg.profile() as found:
            got = [lg.softmax(x @ x, 1).numpy() for _ in range(3)]
    assert sum(work.calls for work in found.works if work.backend == "c") in (3, 6), "the kernel may follow in the call"
    np.testing.assert_array_equal(got[-1], expected)


def test_memory_is_counted() -> None:
    x = realized(8, 8)
    with lg.profile() as found:
        kept = [lg.exp(x * i).sum() * lg.ones(64, 256) for i in range(3)]
        lg.realize_all(kept)
    size = 64 * 256 * 4
    assert found.bytes_taken >= 3 * size and found.bytes_peak >= 3 * size
    with lg.profile() as found:
        for _ in range(5):
            (lg.exp(x).sum() * lg.ones(64, 256)).realize()
    assert found.bytes_taken >= 5 * size and found.bytes_peak < 5 * size


def test_what_was_cleared_does_not_count() -> None:
    x = realized(8, 8)
    with lg.profile() as found:
        lg.exp(x).numpy()
        found.clear()
        lg.exp(x).numpy()
    (work,) = found.works
    assert work.calls == 1 and found.cache["hits"] == 1 and not found.misses
    assert (Activity.PROFILING, "making clocks") not in found.spans


def test_waits_for_data_are_told_from_the_rest() -> None:
    class Slow:
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> float:
            time.sleep(0.01)
            return 0.0

    with lg.profile() as found:
        for _ in DataLoader(Slow()):
            pass
    assert found.activities()["loading data"] > 19


def test_its_forms(tmp_path: Path) -> None:
    cache.clear()
    with lg.profile() as found:
        with record_function("first"):
            train(3)
        train(2)
    text = str(found)
    for words in (
        "activity",
        "Python: the program and recording",
        "µs each",
        "test_profile.py:",
        "no plan, ",
        "memory: ",
    ):
        assert words in text
    assert "loss = F.cross_entropy(model(x), y)" in text, "the source of a line"
    assert found._repr_html_().count("<table>") == 3
    file = tmp_path / "trace.json"
    trace = json.loads(found.to_chrome_trace(file))
    assert json.loads(file.read_text(encoding="utf-8")) == trace
    events = trace["traceEvents"]
    assert {event["ph"] for event in events} == {"X"} and trace["dropped"] == 0
    (first,) = [event for event in events if event["name"] == "first"]
    inside = [event for event in events if first["ts"] <= event["ts"] < first["ts"] + first["dur"]]
    assert sum(event["cat"] == "kernel" for event in inside) < sum(event["cat"] == "kernel" for event in events)
    flame = found.to_flame()
    assert flame["value"] == pytest.approx(1000 * found.seconds)
    whole = {child["name"]: child["value"] for child in flame["children"]}
    assert whole == pytest.approx({name: ms for name, ms in found.activities().items() if ms})
    kernels = next(child for child in flame["children"] if child["name"] == "kernels")
    assert kernels["value"] == pytest.approx(sum(line["value"] for line in kernels["children"]))
    assert "loss = F.cross_entropy(model(x), y)" in {line["detail"] for line in kernels["children"]}
    modules = {module["name"] for line in kernels["children"] for module in line["children"] if module["children"]}
    assert "Sequential.2" in modules
    python = next(child for child in flame["children"] if child["name"].startswith("Python"))
    assert [child["name"] for child in python["children"]] == ["first"], "what the program marks"


# PyTorch's names.


@pytest.mark.filterwarnings("ignore:Profiler won't be using warmup")
def test_schedules_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    cases = [
        {"wait": 1, "warmup": 1, "active": 2},
        {"wait": 2, "warmup": 0, "active": 1, "repeat": 2, "skip_first": 3},
        {"wait": 2, "warmup": 1, "active": 3, "repeat": 1, "skip_first": 1, "skip_first_wait": 1},
    ]
    for case in cases:
        theirs, ours = torch.profiler.schedule(**case), profiler.schedule(**case)
        assert [theirs(step).name for step in range(20)] == [ours(step).name for step in range(20)]
    with pytest.raises(AssertionError):
        profiler.schedule(wait=0, warmup=0, active=0)


def test_steps_of_a_schedule_are_recorded(tmp_path: Path) -> None:
    x, ready = realized(8, 8), []

    def on_ready(finished: profiler.profile) -> None:
        ready.append({each.key: each.count for each in finished.key_averages()})
        profiler.tensorboard_trace_handler(str(tmp_path / "traces"), use_gzip=True)(finished)

    steps = profiler.schedule(wait=1, warmup=1, active=2)
    activities = [profiler.ProfilerActivity.CPU]
    with profiler.profile(activities=activities, schedule=steps, on_trace_ready=on_ready) as found:
        for _ in range(8):
            with profiler.record_function("forward"):
                lg.exp(x).numpy()
            found.step()
    assert [(each["forward"], each["exp"]) for each in ready] == [(2, 2), (2, 2)]
    assert len(list((tmp_path / "traces").iterdir())) == 2
    assert found.current_action is ProfilerAction.NONE and profiling.recorder is None


def test_the_table_of_torch() -> None:
    x = realized(8, 8)
    with profiler.profile() as found, profiler.record_function("both"):
        lg.exp(x).numpy()
        lg.sin(x).numpy()
    table = found.key_averages().table(sort_by="cuda_time_total", row_limit=2)
    lines = table.splitlines()
    assert lines[0].split("  ")[0] == "Name" and lines[1].startswith("both")
    assert len(lines) == 4 and lines[-1].startswith("Self CPU time total: ")
    assert found.key_averages().total_average().count == sum(each.count for each in found.key_averages())
    with pytest.raises(AttributeError):
        found.key_averages().table(sort_by="no_such")


def test_reasons_that_differ_in_sizes_are_one_line() -> None:
    inputs = [lg.ones(size, 4).realize() for size in range(3, 9)]
    with lg.profile() as found:
        for x in inputs:
            (x.exp() * 3).sum(1).sqrt().tolist()
    assert len(found.misses) == 6
    first, others = [line for line in found.table().splitlines() if line.startswith("no plan, ")]
    assert first.startswith("no plan, 5 times, at 5 different sizes: the last program") and "f32[8,4]" in first
    assert others.startswith("no plan, 1 time: the last program")


def test_the_profiler_of_autograd_takes_its_words_and_may_be_off():
    from lazygrad.autograd import profiler as of_autograd

    options = {"use_cuda": False, "record_shapes": True, "use_kineto": True}
    with of_autograd.profile(**options) as measured, of_autograd.record_function("part"):
        (lg.ones(8, 8) @ lg.ones(8, 8)).sum().item()
    assert "part" in measured.key_averages().table(sort_by="self_cpu_time_total") and "part" in str(measured)
    with of_autograd.profile(False) as off:
        lg.ones(2).sum().item()
    assert "measured nothing" in str(off)
