"""What `lazygrad.compile` accepts and returns."""

import copy
import pickle
import threading

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.compiling.steps import Training, agree, replayed


def double(x):
    """Twice x."""
    return x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.scale = 2.0
        self.register_buffer("calls", lg.tensor(0.0))

    def forward(self, x):
        if self.training:
            self.calls.add_(1)
        return self.layer(x) * self.scale

    def other(self):
        return "other"


@pytest.mark.parametrize("decorator", [lg.compile, lg.compile(), lg.compile(fullgraph=True, dynamic=True)])
def test_decorator(decorator):
    compiled = decorator(double)
    assert compiled(lg.ones(1)).item() == 2
    assert compiled.__name__ == "double" and compiled.__doc__ == "Twice x."


def test_options():
    assert lg.compile(double, disable=True) is double
    assert lg.compile(double, mode="max-autotune", backend="inductor")(lg.ones(1)).item() == 2
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        lg.compile(double, mode="fastest")
    with pytest.raises(RuntimeError, match="Either mode or options"):
        lg.compile(double, mode="default", options={})
    with pytest.raises(TypeError, match="expected a function"):
        lg.compile(3)


def test_explain():
    compiled = lg.compile(double)
    assert "not called" in compiled.explain()
    compiled(lg.ones(1))
    assert "recorded" in compiled.explain()


def test_methods():
    class Trainer:
        def __init__(self, scale):
            self.scale = scale

        @lg.compile
        def step(self, x):
            return x * self.scale

    one, two = Trainer(2.0), Trainer(3.0)
    for _ in range(5):
        assert one.step(lg.ones(1)).item() == 2 and two.step(lg.ones(1)).item() == 3
    one.scale = 5.0
    assert one.step(lg.ones(1)).item() == 5


def test_a_module_stays_a_module():
    model = Net()
    compiled = lg.compile(model)
    assert isinstance(compiled, Net) and isinstance(compiled, nn.Module)
    assert compiled.other() == "other" and compiled.layer is model.layer
    assert list(compiled.state_dict()) == list(model.state_dict())
    assert all(a is b for a, b in zip(compiled.parameters(), model.parameters(), strict=True))
    assert repr(compiled) == repr(model)
    compiled.scale = 3.0
    assert model.scale == 3.0
    compiled.eval()
    assert not model.training
    compiled.load_state_dict(Net().state_dict())
    x = lg.ones(1, 2)
    with lg.no_grad():
        for _ in range(5):
            assert compiled(x).tolist() == model(x).tolist()
        assert replayed(compiled)
        model.scale = 4.0
        assert compiled(x).tolist() == model(x).tolist()
        model.layer.weight.zero_()
        assert compiled(x).tolist() == model(x).tolist()
    compiled.new = nn.Linear(1, 1)
    assert "new.weight" in model.state_dict()
    outer = nn.Sequential(compiled)
    assert len(list(outer.parameters())) == 4


def test_a_compiled_module_loads_the_names_of_pytorchs_compiled_modules(tmp_path):
    torch = pytest.importorskip("torch", reason="torch, whose files are read, is not installed")

    def build(t):
        inner = t.compile(t.nn.Sequential(t.nn.Linear(2, 2), t.nn.BatchNorm1d(2)))
        return t.compile(t.nn.Sequential(inner, t.nn.Linear(2, 1)))

    theirs, ours = build(torch), build(lg)
    theirs._orig_mod[0]._orig_mod(torch.ones(3, 2))  # counts a batch
    torch.save(theirs.state_dict(), tmp_path / "weights.pt")
    loaded = lg.load(tmp_path / "weights.pt")
    assert "_orig_mod.0._orig_mod.0.weight" in loaded
    assert str(ours.load_state_dict(loaded)) == "<All keys matched successfully>"
    values = {name.replace("_orig_mod.", ""): value.tolist() for name, value in theirs.state_dict().items()}
    assert {name: value.tolist() for name, value in ours.state_dict().items()} == values
    assert str(ours.load_state_dict(ours.state_dict())) == "<All keys matched successfully>"
    with pytest.raises(RuntimeError, match=r'Unexpected key\(s\) in state_dict: "_orig_mod.weight"'):
        nn.Linear(2, 2).load_state_dict({"_orig_mod.weight": lg.ones(2, 2), **nn.Linear(2, 2).state_dict()})
    with pytest.raises(RuntimeError, match=r"Unexpected.*other"):
        ours.load_state_dict({**loaded, "_orig_mod.other": lg.ones(1)})


def test_buffers_of_a_compiled_module():
    model = Net()
    compiled = lg.compile(model)
    with lg.no_grad():
        for _ in range(7):
            compiled(lg.ones(1, 2))
    assert replayed(compiled)
    assert model.calls.item() == 7


def test_copies_of_compiled_modules():
    compiled = lg.compile(Net())
    with lg.no_grad():
        expected = compiled(lg.ones(1, 2)).tolist()
        for copied in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
            assert copied(lg.ones(1, 2)).tolist() == expected
            assert copied.layer is not compiled.layer
            assert isinstance(copied, Net) and copied.explain()


def test_a_compiled_module_in_training():
    """The loss outside: the call is not replayed, gradients are right."""
    plain, other = Training(), Training()
    compiled = lg.compile(other.model)
    for i in range(6):
        for training, model in ((plain, plain.model), (other, compiled)):
            x, y = training.batch(i)
            training.optimizer.zero_grad()
            ((model(x) - y) ** 2).mean().backward()
            training.optimizer.step()
    assert agree(other.everything(), plain.everything())
    assert "backward" in compiled.explain()


def test_threads():
    training = Training()
    model = training.model
    step = lg.compile(lg.no_grad()(lambda x: model(x)))
    inputs = [lg.full((2, 3), float(i)) for i in range(4)]
    expected = [model(x).tolist() for x in inputs]
    failures = []

    def work(i):
        for _ in range(50):
            if step(inputs[i]).tolist() != expected[i]:
                failures.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert replayed(step)


def test_two_threads_train_two_models():
    trainings = [Training(optimizer="adam", seed=i) for i in range(2)]
    plain = [Training(optimizer="adam", seed=i) for i in range(2)]

    def work(training, step):
        for i in range(30):
            step(*training.batch(i))

    pairs = [(t, lg.compile(t.step_function())) for t in trainings]
    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for training in plain:
        work(training, training.step_function())
    assert agree([t.everything() for t in trainings], [t.everything() for t in plain])
