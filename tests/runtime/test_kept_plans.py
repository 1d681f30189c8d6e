"""Plans on disk: what an earlier process compiled runs compiled from the first step, and only where it still fits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.disk_cache import PLAN_SUFFIX, clear, trim
from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.op import Kind, registry
from lazygrad.runtime import background_plans, kept_plans
from lazygrad.runtime import realize as realize_module
from lazygrad.runtime.kept_plan import KeptPlan, facts_of
from lazygrad.runtime.realize import cache
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.tiers import get_interpreted_runs
from lazygrad.targets.devices import register_target, unregister_target
from lazygrad.targets.numpy.target import NumpyTarget
from lazygrad.tensor_base import record
from tests.runtime.toolchains import needs_compiler

pytestmark = needs_compiler

Program = Callable[[], list[np.ndarray]]


@pytest.fixture(autouse=True)
def default_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Of a user's process: new programs are interpreted, compiled ones kept, here in a folder of the test's own."""
    monkeypatch.setattr(kept_plans, "cache_folder", lambda: tmp_path)
    before = get_interpreted_runs()
    monkeypatch.setenv("LAZYGRAD_KEEP_PLANS", "1")
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    monkeypatch.setattr(background_plans, "_SECONDS_OF_FIRST_STEPS", 0.0)
    lg.set_interpreted_runs(None)
    forget()
    with lg.backend("auto"):
        yield
    lg.set_interpreted_runs(before)
    forget()


def forget() -> None:
    """As a new process, which knows no plan."""
    cache.clear()
    kept_plans._Looks.vain = kept_plans._Looks.first = 0


def compiled(program: Program) -> list[np.ndarray]:
    """What the program's C code computes, whose plans are kept then."""
    lg.set_interpreted_runs(0)
    for _ in range(3):
        program()
        lg.wait_for_compiler()
    values = program()
    lg.set_interpreted_runs(None)
    forget()
    return values


def entry_of(tensor: lg.Tensor) -> Path:
    name = kept_plans._entry_of(Recording([tensor.node()]).key)
    assert name is not None
    return kept_plans.cache_folder() / name


def numbers(*sizes: int) -> lg.Tensor:
    """The same in every call."""
    return lg.tensor(np.random.default_rng(0).standard_normal(sizes).astype(np.float32))


def gradients() -> list[np.ndarray]:
    weight, bias = numbers(5, 7).requires_grad_(), numbers(5).requires_grad_()
    loss = lg.nn.functional.cross_entropy(numbers(11, 7) @ weight.T + bias, lg.arange(11) % 5)
    loss.backward()
    lg.realize_all([weight.grad, bias.grad, loss])
    return [loss.detach().numpy(), weight.grad.numpy(), bias.grad.numpy()]


def loss_that_is_read_first() -> list[np.ndarray]:
    """The plan of the gradient uses what that of the loss has kept."""
    weight = numbers(6, 7).requires_grad_()
    loss = (numbers(13, 7) @ weight.T).softmax(1).square().sum()
    value = loss.item()
    loss.backward()
    return [np.float32(value), weight.grad.numpy()]


def an_update_in_place() -> list[np.ndarray]:
    """The result lies over the input."""
    total = numbers(140, 90)
    total.mul_(0.5).add_(numbers(140, 1))
    total.realize()
    total.sub_(total.mean(1, keepdim=True)).exp_()
    return [total.numpy()]


def views_and_parts() -> list[np.ndarray]:
    """Roots that are views of other roots and of inputs, and a part whose offset is an argument."""
    whole = numbers(9, 8, 7)
    part = whole[3] * 2.0
    turned = (whole + 1.0).transpose(0, 2)
    same = whole.reshape(72, 7)
    lg.realize_all([part, turned, same])
    return [part.numpy(), turned.numpy(), same.numpy()]


def training() -> list[np.ndarray]:
    """From the second step on the optimizer repeats its plan without recording it."""
    lg.manual_seed(3)
    model = lg.nn.Sequential(lg.nn.Linear(6, 9), lg.nn.BatchNorm1d(9), lg.nn.Tanh(), lg.nn.Linear(9, 2))
    optimizer = lg.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        loss = lg.nn.functional.mse_loss(model(numbers(20, 6)), numbers(20, 2))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [np.float32(losses), *[parameter.detach().numpy() for parameter in model.parameters()]]


def integers() -> list[np.ndarray]:
    values = lg.arange(6000).reshape(200, 30)
    return [((values * 3 + 1) % 7).cumsum(1).numpy(), (values > 50).sum(0).numpy()]


PROGRAMS = [gradients, loss_that_is_read_first, an_update_in_place, views_and_parts, training, integers]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_that_was_compiled_before_has_the_bits_of_its_code_from_the_first_step(program: Program) -> None:
    expected = compiled(program)
    for value, same in zip(program(), expected, strict=True):
        np.testing.assert_array_equal(value, same)
    info = lg.cache_info()
    assert info.restored > 0 and info.misses == 0


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_was_kept_is_what_planning_anew_comes_to(program: Program) -> None:
    compiled(program)
    program()
    plans = [plan for plan in cache._plans.values() if isinstance(plan, KeptPlan)]
    assert plans
    for plan in plans:
        whole = plan.whole()
        assert [node.type for node in whole.schedule.outputs] == [node.type for node in plan.schedule.outputs]
        assert facts_of(whole)["roots"] == [
            [plan.memory.slots[root].place.value, plan.memory.slots[root].index, kept_plan_type(root)]
            for root in plan.schedule.roots
        ]
        assert whole.memory.donations == plan.memory.donations
        assert (list(whole.schedule.watched), whole.schedule.alone) == (plan.schedule.watched, plan.schedule.alone)


def kept_plan_type(node: object) -> list[object]:
    return [node.dtype.short, [*node.shape]]  # type: ignore[attr-defined]


_A_TRAINING = """
import sys
import lazygrad as lg

lg.manual_seed(0)
model = lg.nn.Sequential(lg.nn.Linear(19, 23), lg.nn.GELU(), lg.nn.Linear(23, 3))
optimizer = lg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
data, target = lg.randn(29, 19), lg.randint(3, (29,))
losses = []
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    loss = lg.nn.functional.cross_entropy(model(data), target)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
lg.wait_for_compiler()
loaded = {"jinja2", "lazygrad.runtime.plan", "lazygrad.passes.pipeline"} & {*sys.modules}
info = lg.cache_info()
print(losses[0], losses[9], info.restored, info.misses, sorted(loaded))
"""


def run(program: str, *arguments: str, **variables: str) -> list[str]:
    """In a process of its own, in the settings of a user."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LAZYGRAD_")}
    folder = os.environ.get("LAZYGRAD_CACHE_DIR")
    ours |= ({"LAZYGRAD_CACHE_DIR": folder} if folder else {}) | variables
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=ours).stdout.split(maxsplit=4)


def test_a_later_process_plans_nothing_and_loads_nothing_that_plans() -> None:
    first = run(_A_TRAINING, "300")
    second = run(_A_TRAINING, "300")
    assert int(second[2]) > 0 and second[3] == "0"
    assert second[4].strip() == "[]"
    np.testing.assert_allclose([float(each) for each in second[:2]], [float(each) for each in first[:2]], rtol=1e-5)


def test_nothing_is_kept_where_the_user_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_KEEP_PLANS", "0")

    def program() -> list[np.ndarray]:
        return [(numbers(131, 83) * 2.0).tanh().sum(0).numpy()]

    compiled(program)
    assert not entry_of((numbers(131, 83) * 2.0).tanh().sum(0)).exists()
    program()
    assert lg.cache_info().restored == 0


def test_a_process_that_compiles_nothing_makes_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    program = "import lazygrad as lg; print((lg.ones(300, 300) * 2 + lg.arange(300.0)).tanh().sum().item())"
    run(program, LAZYGRAD_CACHE_DIR=str(folder))
    assert not folder.exists()


def test_files_that_changed_since_make_it_another_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(gradients)
    monkeypatch.setattr(kept_plans, "_surroundings", lambda: "other files")
    gradients()
    assert lg.cache_info().restored == 0


def test_every_file_with_a_part_in_planning_counts() -> None:
    described = {Path(file.path).name for file in kept_plans._files()}
    assert {"fuse.py", "plan.py", "rules_unary.py", "team.c", "elementwise.py", "lower.py", "refusal.py"} <= described
    assert not [name for name in described if name.endswith(".pyc")]


@pytest.mark.parametrize(
    "damage", [b"", b"null", b"{", b'{"target": "c"}', b"[1, 2]", b'{"target": "z", "executable": 1}']
)
def test_a_damaged_entry_is_as_none(damage: bytes) -> None:
    expected = compiled(integers)
    entries = [*kept_plans.cache_folder().glob(f"*{PLAN_SUFFIX}")]
    assert entries
    for path in entries:
        path.write_bytes(damage)
    for value, same in zip(integers(), expected, strict=True):
        np.testing.assert_array_equal(value, same)
    assert lg.cache_info().restored == 0


def test_an_object_that_is_gone_is_compiled_anew() -> None:
    x = numbers(137, 83)

    def program() -> list[np.ndarray]:
        return [(x * 0.25 + 7.0).sigmoid().sum(1).numpy()]

    expected = compiled(program)
    entry = json.loads(entry_of((x * 0.25 + 7.0).sigmoid().sum(1)).read_bytes())
    (cache_folder() / f"{entry['executable']['object']}.so").unlink()
    np.testing.assert_allclose(program()[0], expected[0], rtol=1e-6)
    assert lg.cache_info().restored == 0


def test_operations_of_others_are_not_kept() -> None:
    own = CallableOp("doubled_for_a_test", Kind.ELEMENTWISE, lambda attrs, x: (x.shape, x.dtype))
    try:
        assert kept_plans._entry_of(Recording([record(own, (numbers(3).node(),)).node()]).key) is None
    finally:
        del registry[own.name]


def test_where_a_target_was_added_plans_are_not_restored() -> None:
    compiled(gradients)
    register_target("cpu", "another", NumpyTarget)
    try:
        gradients()
        assert lg.cache_info().restored == 0
    finally:
        unregister_target("cpu", "another")


def test_what_a_restored_plan_refuses_is_named_and_changes_nothing() -> None:
    table = numbers(10, 4100)

    def program(index: lg.Tensor) -> lg.Tensor:
        return (table * 3.0).index_select(0, index + 0).cumsum(1).exp().sum(0)

    def step() -> list[np.ndarray]:
        return [program(lg.tensor([1, 2, 3])).numpy()]

    compiled(step)
    with pytest.raises(IndexError, match=r"index 12|12 is out"):
        program(lg.tensor([1, 12, 3])).numpy()
    assert lg.cache_info().restored == 1
    np.testing.assert_array_equal(table.numpy(), numbers(10, 4100).numpy())


def test_the_forms_of_a_restored_plan_are_there_when_they_are_asked_for() -> None:
    def program() -> list[np.ndarray]:
        return [(numbers(143, 83) * 2.0 + 1.5).exp().sum(0).numpy()]

    compiled(program)
    program()
    assert lg.cache_info().restored == 1
    forms = lg.last_step()
    assert "exp" in str(forms.primitive) and "exp" in str(forms.sources["c"])


def test_on_another_backend_the_whole_plan_runs() -> None:
    expected = compiled(an_update_in_place)
    an_update_in_place()
    assert lg.cache_info().restored > 0
    compiled_runs = lg.cache_info().compiled_runs
    with lg.backend("numpy"):
        np.testing.assert_allclose(an_update_in_place()[0], expected[0], rtol=1e-5)
    assert lg.cache_info().compiled_runs == compiled_runs


def test_a_program_that_each_process_runs_once_is_planned_for_the_next_one() -> None:
    def program() -> list[np.ndarray]:
        x = numbers(147, 83)
        for number in range(30):
            x = (x * (0.25 + number)).tanh()
        return [x.numpy()]

    for restored in (0, 0, 1):  # it is met, planned beside the second process, and there in the third
        forget()
        program()
        wait_for_timers()
        assert lg.cache_info().restored == restored
    lg.wait_for_compiler()


def test_of_a_process_whose_sizes_never_end_the_first_programs_are_noted_and_planned(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    planned: list[Recording] = []
    monkeypatch.setattr(realize_module, "plan_for_later_processes", planned.append)
    first = kept_plans._FIRST_PROGRAMS
    for _ in range(2):
        forget()
        for size in range(60, 60 + first + 8):
            x = numbers(size, 43)
            for number in range(30):
                x = (x * (0.25 + number)).tanh()
            x.numpy()
    assert len([*tmp_path.iterdir()]) == len(planned) == first


def wait_for_timers() -> None:
    import threading

    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    for _ in range(2):  # a plan is compiled once it is made
        lg.wait_for_compiler()


def test_a_program_that_is_never_twice_the_same_stops_looking() -> None:
    looks = []
    for size in range(60, 60 + kept_plans._MOST_VAIN_LOOKS + 8):
        (numbers(size, 143) * 2.0).tanh().cumsum(0).cumsum(1).exp().sort(0).values.numpy()
        looks.append(kept_plans._Looks.vain)
    assert max(looks) == kept_plans._MOST_VAIN_LOOKS


def test_entries_go_with_the_objects(tmp_path: Path) -> None:
    old, new = tmp_path / f"old{PLAN_SUFFIX}", tmp_path / f"new{PLAN_SUFFIX}"
    for path in (old, new):
        path.write_bytes(b"x" * 1000)
    os.utime(old, (0, 0))
    trim(tmp_path, limit=1500)
    assert not old.exists() and new.exists()
    clear(tmp_path)
    assert not new.exists()


_VALUES = st.recursive(
    st.one_of(
        st.integers(-3, 3), st.booleans(), st.floats(-2, 2), st.none(), st.sampled_from(["", "1", "(", "1,2", "',"])
    ),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=8,
)


def exact(value: object) -> object:
    """With types, and with signs of zeros."""
    return tuple(map(exact, value)) if isinstance(value, tuple) else (type(value), repr(value))


@given(_VALUES, _VALUES)
def test_equal_texts_are_equal_keys(first: object, second: object) -> None:
    assert (kept_plans._text(first) == kept_plans._text(second)) == (exact(first) == exact(second))


def test_a_key_with_anything_else_has_no_text() -> None:
    with pytest.raises(kept_plans._NotOurs):
        kept_plans._text((1, object()))
