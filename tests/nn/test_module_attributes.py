"""Parameters, buffers and submodules as attributes of a module."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.scale = nn.Parameter(lg.ones(3))
        self.register_buffer("mean", lg.zeros(3))
        self.register_buffer("scratch", lg.zeros(1), persistent=False)
        self.plain = 5


def test_assignment_registers_by_kind() -> None:
    module = Pair()
    assert list(module._parameters) == ["scale"]
    assert list(module._buffers) == ["mean", "scratch"]
    assert list(module._modules) == ["first"]
    assert "plain" in module.__dict__
    assert module.scale is module._parameters["scale"]
    assert module.mean is module._buffers["mean"]
    assert module.first is module._modules["first"]


def test_assigned_buffer_object_registers_with_its_persistence() -> None:
    module = nn.Module()
    module.kept = nn.Buffer(lg.ones(2))
    module.dropped = nn.Buffer(lg.ones(2), persistent=False)
    assert list(module._buffers) == ["kept", "dropped"]
    assert list(module.state_dict()) == ["kept"]


def test_tensor_assigned_to_a_buffer_stays_a_buffer() -> None:
    module = Pair()
    module.scratch = lg.ones(4)
    assert module._buffers["scratch"].shape == (4,)
    assert "scratch" not in module.state_dict()
    module.mean = None
    assert module.mean is None
    assert "mean" not in module.state_dict()


def test_plain_tensor_is_not_registered() -> None:
    module = nn.Module()
    module.hidden = lg.zeros(2)
    assert not module._buffers
    assert not module._parameters
    assert module.hidden.shape == (2,)


def test_a_name_moves_between_kinds() -> None:
    module = Pair()
    module.plain = nn.Parameter(lg.zeros(1))
    assert "plain" in module._parameters
    assert "plain" not in module.__dict__
    module.mean = nn.Parameter(lg.zeros(1))
    assert "mean" not in module._buffers
    module.mean2 = nn.Linear(1, 1)
    module.mean2 = nn.Parameter(lg.zeros(1))
    assert "mean2" not in module._modules


def test_delete() -> None:
    module = Pair()
    for name in ("first", "scale", "mean", "scratch", "plain"):
        delattr(module, name)
        assert not hasattr(module, name)
    assert not module.state_dict()
    with pytest.raises(AttributeError):
        del module.absent


def test_missing_attribute_names_the_class() -> None:
    with pytest.raises(AttributeError, match="'Pair' object has no attribute 'weight'"):
        _ = Pair().weight


def test_dir_lists_members_but_not_numbers() -> None:
    names = dir(Pair())
    assert {"first", "scale", "mean", "plain", "forward"} <= set(names)
    assert "0" not in dir(nn.Sequential(nn.ReLU()))


def test_assignment_before_init() -> None:
    class Early(nn.Module):
        def __init__(self, value: Any) -> None:
            self.value = value

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Early(nn.Parameter(lg.zeros(1)))
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__\(\) call"):
        Early(nn.ReLU())
    assert Early(3).value == 3


REFUSED = {
    "tensor as parameter": (lambda m: setattr(m, "scale", lg.zeros(3)), TypeError, "as parameter 'scale'"),
    "number as module": (lambda m: setattr(m, "first", 1), TypeError, "cannot assign 'int' as child module 'first'"),
    "number as buffer": (lambda m: setattr(m, "mean", 1), TypeError, "cannot assign 'int' as buffer 'mean'"),
    "dotted parameter": (lambda m: m.register_parameter("a.b", None), KeyError, "name can.+t contain"),
    "dotted buffer": (lambda m: m.register_buffer("a.b", None), KeyError, "name can.+t contain"),
    "dotted module": (lambda m: m.add_module("a.b", None), KeyError, "name can.+t contain"),
    "empty name": (lambda m: m.register_buffer("", None), KeyError, "name can.+t be empty string"),
    "taken name": (lambda m: m.register_buffer("plain", None), KeyError, "attribute 'plain' already exists"),
    "taken method name": (lambda m: m.add_module("forward", None), KeyError, "attribute 'forward' already exists"),
    "name that is no string": (lambda m: m.register_buffer(1, None), TypeError, "should be a string. Got int"),
    "buffer that is no tensor": (lambda m: m.register_buffer("b", 1), TypeError, "object to buffer 'b'"),
    "parameter that is a tensor": (
        lambda m: m.register_parameter("p", lg.zeros(1)),
        TypeError,
        r"object to parameter 'p' \(lazygrad.nn.Parameter or None required\)",
    ),
    "module that is none": (lambda m: m.add_module("m", 1), TypeError, "int is not a Module subclass"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    action, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        action(Pair())


@pytest.mark.parametrize("name", REFUSED)
def test_torch_refuses_the_same(name: str, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class TorchPair(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(2, 3)
            self.scale = torch.nn.Parameter(torch.ones(3))
            self.register_buffer("mean", torch.zeros(3))
            self.plain = 5

    monkeypatch.setattr("tests.nn.test_module_attributes.lg", torch)
    action, error, _ = REFUSED[name]
    with pytest.raises(error):
        action(TorchPair())


def net_of_functions(t: Any) -> Any:
    class Net(t.nn.Module):  # type: ignore[name-defined]
        activation = t.tanh
        conv = t.conv2d
        softplus = t.nn.functional.softplus

        def forward(self, x: Any) -> Any:
            return self.softplus(self.activation(self.conv(x, weight=t.ones(1, 1, 2, 2), padding=1)))

    class Below(Net):
        activation = t.sigmoid

    x = t.arange(9.0).reshape(1, 1, 3, 3)
    return [each(x).sum().item() for each in (Net(), Below())]


def test_a_built_in_function_in_a_class_is_no_method_of_it(torch: Any, candidate: Any) -> None:
    assert net_of_functions(candidate) == pytest.approx(net_of_functions(torch), rel=1e-6)


def test_a_class_whose_source_names_no_module() -> None:
    names: dict[str, Any] = {"nn": nn}
    exec("class Net(nn.Module):\n    def forward(self, x):\n        return x + 1", names)
    assert names["Net"]()(lg.tensor(1.0)).item() == 2.0
