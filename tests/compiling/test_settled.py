"""Settled replays: functions that a template writes do what `Replay.run` does, and leave to it whatever has changed."""

import ctypes
import random
import signal
import traceback
from pathlib import Path

import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.compiling import settled
from lazygrad.compiling.replay import Replay
from lazygrad.compiling.settled import MISS
from lazygrad.compiling.settled_source import SettledSource
from tests.compiling.steps import MODELS, Training, replayed

GOLDEN = Path(__file__).with_name("replay_of_a_small_step.txt")


@pytest.fixture(autouse=True)
def settles_at_once(monkeypatch):
    monkeypatch.setattr(settled, "FIRST_RUNS", 1)


@pytest.fixture
def general(monkeypatch):
    """Replays that were done by `Replay.run`."""
    done, run = [], Replay.run
    monkeypatch.setattr(Replay, "run", lambda replay, signature: (done.append(replay), run(replay, signature))[1])
    return done


def settled_step(model="mlp", optimizer="adam", **options):
    """A training and its compiled step, which is settled."""
    training = Training(model, optimizer)
    step = lg.compile(training.step_function(), **options)
    for i in range(10):
        step(*training.batch(i))
    assert replayed(step)
    return training, step


@pytest.mark.parametrize("model", MODELS)
def test_a_settled_loop_runs_the_function(model, general):
    training, step = settled_step(model)
    general.clear()
    for i in range(10):
        step(*training.batch(i))
        assert replayed(step)
    assert not general
    assert "def replay(args, kwargs):" in step.replay_source()


def test_nothing_is_written_for_calls_that_come_few_times(monkeypatch):
    monkeypatch.setattr(settled, "FIRST_RUNS", 3)
    training = Training()
    step = lg.compile(training.step_function())
    sources = []
    for i in range(7):
        step(*training.batch(i))
        sources.append(step.replay_source())
    assert sources[4] is None and sources[6] is not None


def parameter(t):
    return next(t.model.parameters())


CHANGES = {
    "no gradients": lambda t: t.optimizer.zero_grad(),
    "a parameter's contents": lambda t: lg.no_grad()(lambda: parameter(t).mul_(0.5))(),
    "a parameter's memory": lambda t: setattr(parameter(t), "data", lg.ones(8, 3)),
    "a parameter": lambda t: setattr(t.model[0], "bias", nn.Parameter(lg.ones(8))),
    "an option": lambda t: t.optimizer.param_groups[0].update(weight_decay=0.5),
    "a flag": lambda t: t.model.eval(),
    "a hook": lambda t: t.model.register_forward_hook(lambda module, args, output: output * 2),
    "the optimizer's state": lambda t: next(iter(t.optimizer.state.values()))["exp_avg"].zero_(),
    "the gradient": lambda t: parameter(t).grad.mul_(2),
    "the state dict": lambda t: t.model.load_state_dict({k: v * 0.5 for k, v in t.model.state_dict().items()}),
    "all state": lambda t: t.optimizer.load_state_dict(t.optimizer.state_dict()),
    "frozen": lambda t: parameter(t).requires_grad_(False),
}
HOLDERS = {
    "the parameter's values": lambda t: parameter(t).detach().numpy(),
    "a view": lambda t: parameter(t).detach()[0:1].realize(),
    "a pending operation": lambda t: parameter(t).detach() * 2,
    "the gradient": lambda t: parameter(t).grad,
    "an alias of the gradient": lambda t: parameter(t).grad.detach(),
    "the gradient's values": lambda t: parameter(t).grad.numpy(),
    "a state": lambda t: next(iter(t.optimizer.state.values()))["exp_avg"].detach(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_kind_of_change_falls_back(change):
    training, step = settled_step("dropout")
    function = step._settled
    CHANGES[change](training)
    before = training.everything()
    assert function(training.batch(0), {}) is MISS
    assert training.everything() == before


COPIES_AND_ALIASES = ("a view", "a state")  # the former is a value of its own, the latter sees what is written


@pytest.mark.parametrize("holder", [name for name in HOLDERS if name not in COPIES_AND_ALIASES])
def test_what_is_held_is_not_written_over(holder, general):
    training, step = settled_step()
    held = HOLDERS[holder](training)
    general.clear()
    step(*training.batch(0))
    assert len(general) == 1
    del held
    for i in range(3):
        step(*training.batch(i))
    general.clear()
    step(*training.batch(0))
    assert not general


def test_other_arguments_fall_back():
    training, step = settled_step()
    x, y = training.batch(0)
    function = step._settled
    others = [
        (x,), (x, y, y), (x, x), (x[:8], y[:8]), (x.double(), y), (nn.Parameter(x.clone()), y), (x, 1.0), (x, None),
        (x.clone().requires_grad_(), y), (x, parameter(training)),
    ]  # fmt: skip
    assert [function(args, {}) for args in others] == [MISS] * len(others)
    assert function((x,), {"y": y}) is MISS
    assert function((x, y), {}) is not MISS


def test_settings_fall_back():
    training, step = settled_step()
    function, args = step._settled, training.batch(0)
    with lg.no_grad():
        assert function(args, {}) is MISS
    with lg.autocast("cpu", lg.bfloat16):
        assert function(args, {}) is MISS
    assert function(args, {}) is not MISS, "they are as they were"


def events(seed):
    """What happens before each of some calls."""
    draw = random.Random(seed)
    choices = [None] * 6 + [*HOLDERS.values(), *CHANGES.values()]
    return [(draw.choice(choices), draw.random() < 0.3) for _ in range(24)]


def history(model, optimizer, seed, monkeypatch, first_runs):
    """Everything after each call, as exact numbers, and how many were done in general."""
    monkeypatch.setattr(settled, "FIRST_RUNS", first_runs)
    done, run = [], Replay.run
    with monkeypatch.context() as m:
        m.setattr(Replay, "run", lambda replay, signature: (done.append(replay), run(replay, signature))[1])
        training = Training(model, optimizer)
        step = lg.compile(training.step_function())
        lg.manual_seed(seed)
        found, held = [], []
        for i in range(5):
            step(*training.batch(i))
        for i, (event, lets_go) in enumerate(events(seed)):
            if lets_go:
                held.clear()
            if event is not None:
                try:
                    held.append(event(training))
                except (AttributeError, KeyError, StopIteration) as error:
                    held.append(type(error))
            found.append(step(*training.batch(i)).item())
            found.append(training.everything())
        found.append([value.tolist() for value in held if hasattr(value, "tolist")])
    return found, len(done)


PROGRAMS = [("mlp", "sgd"), ("mlp", "adam"), ("dropout", "momentum"), ("batch norm", "amsgrad")]


@pytest.mark.filterwarnings("ignore")  # some calls are not worth a recording any more
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("model", "optimizer"), PROGRAMS)
def test_the_function_does_what_the_general_replay_does(model, optimizer, seed, monkeypatch):
    written, general_of_written = history(model, optimizer, seed, monkeypatch, 1)
    expected, general = history(model, optimizer, seed, monkeypatch, 10**9)
    assert repr(written) == repr(expected)  # in which NaN equals itself
    assert general_of_written < general


def test_the_source_of_a_small_step():
    """Where the plan is one foreign call. It is read, so a change of it is looked at."""
    lg.manual_seed(0)
    weight = nn.Parameter(lg.ones(2, 2))
    optimizer = lg.optim.SGD([weight], lr=0.1)

    def small_step(x):
        optimizer.zero_grad()
        loss = (x @ weight).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    step = lg.compile(small_step, state=optimizer)
    for _ in range(6):
        step(lg.ones(3, 2))
    source = SettledSource(step._replay._call, is_direct=True)
    text = settled._templates.render("replay.py.j2", title="small_step", **source.values)
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_tracebacks_show_the_source(monkeypatch):
    training, step = settled_step()
    monkeypatch.setitem(step._replay.settled._names, "new_storage", None)
    with pytest.raises(TypeError) as raised:
        step._settled(training.batch(0), {})
    assert "new_storage(output_r0, r0)" in "".join(traceback.format_exception(raised.value))


def test_an_interrupt_behind_the_plan_does_not_keep_its_values_back():
    """The processor's signal comes while the plan runs, and Python hears of it at the first call after it."""
    training, step = settled_step()
    names = step._replay.settled._names
    ending = ctypes.CDLL(None)["raise"]
    ending.argtypes, ending.restype = [ctypes.c_int], ctypes.c_int
    turn, other = names["turn"], names["other"]
    names["turn"] = turn._replace(run=ending, argument=(signal.SIGINT,))
    names["other"] = other
    before = parameter(training)._version
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            step(*training.batch(0))
    finally:
        signal.signal(signal.SIGINT, handler)
    assert names["turn"] is other
    assert parameter(training)._version == before + 1
