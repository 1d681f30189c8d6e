"""Replays write over memory only where nobody else looks at it."""

import gc
import weakref

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.runtime.backend_choice import backend
from tests.compiling.steps import Training, agree, replayed


def trained(training, compiled, start, count):
    for i in range(start, start + count):
        compiled(*training.batch(i))


@pytest.fixture
def pair():
    """Two equal trainings, the second with a compiled step that is replayed."""
    plain, compiled = Training(optimizer="adam"), Training(optimizer="adam")
    steps = plain.step_function(), lg.compile(compiled.step_function(), fullgraph=True)
    for i in range(6):
        steps[0](*plain.batch(i))
        steps[1](*compiled.batch(i))
    assert replayed(steps[1])
    return (plain, steps[0]), (compiled, steps[1])


def test_replays_give_out_new_nodes_only_once(pair):
    """In the steady state memory takes turns, and nobody else is found to have got hold of it."""
    _, (training, compiled) = pair
    with backend("numpy"):  # no compiled code arrives meanwhile
        trained(training, compiled, 6, 4)
        serials = [parameter._storage.value.serial for parameter in training.model.parameters()]
        trained(training, compiled, 10, 10)
    assert [parameter._storage.value.serial for parameter in training.model.parameters()] == serials


HOLDERS = {
    "numpy": lambda p: p.detach().numpy(),
    "detach": lambda p: p.detach(),
    "used detach": lambda p: (p.detach(), p.detach() + 0)[0],
    "view": lambda p: p.detach()[0:1],
    "realized view": lambda p: p.detach()[0:1].realize(),
    "data": lambda p: p.data,
    "clone": lambda p: p.detach().clone(),
    "pending": lambda p: p.detach() * 2,
    "gradient": lambda p: p.grad,
    "gradient alias": lambda p: p.grad.detach(),
    "gradient numpy": lambda p: p.grad.numpy(),
    "pending gradient": lambda p: p.grad * 2,
    "realized": lambda p: (p.detach() * 2).realize(),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_is_held_is_as_uncompiled(pair, holder):
    seen = []
    for training, step in pair:
        parameters = list(training.model.parameters())
        held = []
        for i in range(6, 12):
            if i % 2 == 0:
                held.append([HOLDERS[holder](p) for p in parameters])
            step(*training.batch(i))
        seen.append([[value.tolist() for value in values] for values in held])
        seen[-1].append(training.everything())
    assert agree(seen[1], seen[0])


def test_losses_are_kept(pair):
    (plain, plain_step), (compiled, step) = pair
    expected = [plain_step(*plain.batch(i)) for i in range(8)]
    losses = [step(*compiled.batch(i)) for i in range(8)]
    assert agree([loss.item() for loss in losses], [loss.item() for loss in expected])
    assert losses[0].requires_grad and not losses[0].is_leaf
    with pytest.raises(RuntimeError, match="second time"):
        losses[0].backward()


@pytest.mark.parametrize(
    "change",
    {
        "load": lambda t: t.model.load_state_dict({k: v * 0.5 for k, v in t.model.state_dict().items()}),
        "copy": lambda t: next(t.model.parameters()).data.copy_(lg.ones(8, 3)),
        "no_grad": lambda t: lg.no_grad()(lambda: next(t.model.parameters()).mul_(0.5))(),
        "data": lambda t: setattr(next(t.model.parameters()), "data", lg.ones(8, 3)),
        "new": lambda t: setattr(t.model[0], "weight", nn.Parameter(lg.ones(8, 3))),
        "optimizer": lambda t: t.optimizer.load_state_dict(t.optimizer.state_dict()),
        "zero": lambda t: t.optimizer.zero_grad(),
        "state": lambda t: next(iter(t.optimizer.state.values()))["exp_avg"].zero_(),
        "freeze": lambda t: t.model[0].requires_grad_(False),
        "group": lambda t: t.optimizer.add_param_group({"params": [nn.Parameter(lg.ones(1))]}),
        "backward": lambda t: t.model(t.batch(0)[0]).sum().backward(),
        "through": lambda t: t.model(t.batch(0)[0]).sum(),
    }.items(),
    ids=lambda item: item[0],
)
def test_changes_between_calls(pair, change):
    for training, step in pair:
        trained(training, step, 6, 2)
        change[1](training)
        trained(training, step, 8, 8)
    assert agree(pair[1][0].everything(), pair[0][0].everything())
    assert replayed(pair[1][1])


def test_old_graphs_keep_the_old_values(pair):
    outcomes = []
    for training, step in pair:
        output = training.model(training.batch(0)[0]).sum()
        weight = training.model[0].weight.detach() * 1
        trained(training, step, 6, 2)
        outcomes.append((output.item(), weight.tolist()))
    assert agree(outcomes[1], outcomes[0])


def test_arguments_are_not_written(pair):
    (_, _), (training, step) = pair
    x, y = training.batch(0)
    before = x.tolist(), y.tolist()
    trained(training, step, 0, 8)
    assert (x.tolist(), y.tolist()) == before


def test_arguments_written_in_place():
    def add(x, y):
        x.add_(y)
        return (x * 2).sum()

    step = lg.compile(add, fullgraph=True)
    for i in range(8):
        x, y = lg.full((3,), float(i)), lg.ones(3)
        alias = x.detach()
        assert step(x, y).item() == 6.0 * (i + 1)
        assert x.tolist() == alias.tolist() == [i + 1.0] * 3
        assert x._version == 1
    assert replayed(step)


def test_views_as_arguments():
    data = lg.arange(40).reshape(10, 4) * 1.0
    step = lg.compile(lambda x: x.sum(), fullgraph=True)
    for i in range(0, 8):
        assert step(data[i : i + 2]).item() == data[i : i + 2].sum().item()
    assert replayed(step)

    def double(x):
        x.mul_(2)
        return x.sum()

    step, rows = lg.compile(double), lg.ones(6, 4)
    with pytest.warns(UserWarning, match="the recorded operations differ"):  # each writes to another part of the rows
        for i in range(6):
            assert step(rows[i]).item() == 8.0
    assert rows.sum().item() == 48.0


def test_an_argument_that_is_a_parameter(pair):
    (plain, _), (compiled, _) = pair

    def step_of(training):
        def step(x, y, weight):
            loss = ((training.model(x) - y) ** 2).mean() + (weight**2).sum()
            training.optimizer.zero_grad()
            loss.backward()
            training.optimizer.step()
            return loss.detach()

        return step

    steps = step_of(plain), lg.compile(step_of(compiled))
    for i in range(10):
        for training, step in zip((plain, compiled), steps, strict=True):
            other = lg.ones(8, 3) if i < 6 else training.model[0].weight.detach()
            step(*training.batch(i), other)
    assert agree(compiled.everything(), plain.everything())


def test_the_same_tensor_twice():
    step = lg.compile(lambda x, y: x - 2 * y)
    x, y = lg.ones(2), lg.full((2,), 3.0)
    for _ in range(5):
        assert step(x, y).tolist() == [-5.0, -5.0]
    assert step(x, x).tolist() == [-1.0, -1.0]
    for _ in range(5):
        assert step(y, y).tolist() == [-3.0, -3.0]
    assert replayed(step)


def test_returned_structures():
    model = nn.Linear(2, 2)

    def f(x):
        y = model(x)
        return {"y": (y, [y.T, y[0], None]), "x": x, "w": model.weight, "max": y.max(dim=1), "n": 3}

    step = lg.compile(lg.no_grad()(f), fullgraph=True)
    for i in range(6):
        x = lg.full((3, 2), float(i))
        with lg.no_grad():
            made, expected = step(x), f(x)
        assert made["x"] is x and made["w"] is model.weight and made["n"] == 3
        assert made["y"][0].tolist() == expected["y"][0].tolist()
        assert made["y"][1][0].tolist() == expected["y"][0].T.tolist()
        assert made["y"][1][1].tolist() == expected["y"][0][0].tolist()
        assert made["max"].indices.tolist() == expected["max"].indices.tolist()
        assert type(made["max"]) is type(expected["max"])
        made["y"][0].zero_()
        assert made["y"][1][1].tolist() == [0.0, 0.0]
    assert replayed(step)


def test_garbage_is_collected():
    training = Training(optimizer="adam")
    step = lg.compile(training.step_function())
    trained(training, step, 0, 6)
    gone = [weakref.ref(step), weakref.ref(training.model), weakref.ref(training.model[0].weight)]
    del training, step
    gc.collect()
    assert [reference() for reference in gone] == [None] * 3


def test_objects_among_the_arguments_are_let_go():
    @lg.compile
    def step(model, x):
        with lg.no_grad():
            return model(x)

    gone = []
    for _ in range(3):
        model = nn.Linear(2, 1)
        for _ in range(5):
            assert step(model, lg.ones(1, 2)).tolist() == model(lg.ones(1, 2)).tolist()
        assert replayed(step)
        gone.append(weakref.ref(model))
    del model
    gc.collect()
    assert [reference() for reference in gone] == [None] * 3
    assert not step._kinds


def test_null_device():
    model = nn.Linear(2, 2, device="null")
    optimizer = lg.optim.Adam(model.parameters())

    @lg.compile(fullgraph=True)
    def step(x):
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        return loss

    x = lg.ones(3, 2, device="null")
    for _ in range(6):
        assert step(x).shape == ()
    assert replayed(step)


def test_arguments_that_become_another_view():
    step = lg.compile(lambda x: x.t_() * 1)
    with pytest.warns(UserWarning, match="changes its arguments"):
        for _ in range(8):
            x = lg.tensor([[1.0, 2.0], [3.0, 4.0]])
            assert step(x).tolist() == x.tolist() == [[1.0, 3.0], [2.0, 4.0]]


RESULT_HOLDERS = {
    "itself": lambda r: r,
    "numpy": lambda r: r.numpy(),
    "a row of it in numpy": lambda r: r.numpy()[0],
    "detach": lambda r: r.detach(),
    "view": lambda r: r[1:],
    "realized view": lambda r: r[1:].realize(),
    "strided view": lambda r: r.T[::2],
    "reshaped": lambda r: r.reshape(-1).realize(),
    "pending": lambda r: r * 2,
    "a memory view": lambda r: memoryview(r.numpy()),
    "dlpack": lambda r: lg.from_dlpack(r),
    "storage": lambda r: r.storage(),
}


@pytest.mark.parametrize("holder", RESULT_HOLDERS)
def test_a_result_that_is_held_is_not_written_again(holder):
    compiled = lg.compile(lambda x: (x + 1, x.sum()), fullgraph=True)
    held = []
    for i in range(10):
        held.append(RESULT_HOLDERS[holder](compiled(lg.full((2, 3), float(i)))[0]))
    assert replayed(compiled)
    for i, value in enumerate(held):
        array = value.numpy() if isinstance(value, lg.Tensor) else np.asarray(value)
        assert set(array.reshape(-1).tolist()) == {2.0 * i + 2 if holder == "pending" else i + 1.0}


def test_small_results_that_nobody_holds_give_their_memory_to_later_ones():
    compiled = lg.compile(lambda x: x.sum(), fullgraph=True)
    x, places = lg.ones(4), []
    for _ in range(20):
        result = compiled(x)
        places.append(result._storage.value.value.address)
    assert len(set(places[10:])) == 2
