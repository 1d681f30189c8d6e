"""Whatever a call depends on, a change of it is seen: the results are those of the uncompiled function."""

import functools
import math
import operator
import types

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from tests.compiling.steps import Training, replayed

SCALE = 2.0
TABLE = {"scale": 2.0, "list": [1.0, 2.0]}
settings = types.SimpleNamespace(scale=2.0, unused=object())


def warm(compiled, *args, calls=4, **kwargs):
    """Call until it is replayed; returns the last result."""
    for _ in range(calls):
        result = compiled(*args, **kwargs)
    assert replayed(compiled), compiled.explain()
    return result


@pytest.fixture
def x():
    return lg.tensor([1.0, 2.0, 3.0])


def scaled_by_global(x):
    return x * SCALE


def test_global(x, monkeypatch):
    step = lg.compile(scaled_by_global, fullgraph=True)
    assert warm(step, x).tolist() == [2.0, 4.0, 6.0]
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert step(x).tolist() == [3.0, 6.0, 9.0]
    assert "global variable 'SCALE'" in step.explain()
    assert warm(step, x).tolist() == [3.0, 6.0, 9.0]
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert step(x).tolist() == [2.0, 4.0, 6.0]
    assert replayed(step)


def test_equal_values_in_other_objects_are_the_same(x, monkeypatch):
    step = lg.compile(scaled_by_global, fullgraph=True)
    warm(step, x)
    monkeypatch.setitem(globals(), "SCALE", float("2.0"))
    step(x)
    assert replayed(step)


def test_int_and_float_differ(monkeypatch):
    step = lg.compile(scaled_by_global, fullgraph=True)
    numbers = lg.tensor([1, 2])
    assert warm(step, numbers).dtype is lg.float32
    monkeypatch.setitem(globals(), "SCALE", 2)
    assert step(numbers).dtype is lg.int64


@pytest.mark.parametrize("change", [lambda: TABLE.update(scale=5.0), lambda: TABLE["list"].append(4.0),
                                    lambda: TABLE["list"].__setitem__(0, 9.0), lambda: TABLE.pop("list")])  # fmt: skip
def test_containers(x, change, monkeypatch):
    monkeypatch.setitem(globals(), "TABLE", {"scale": 2.0, "list": [1.0, 2.0]})

    def f(x):
        return x * TABLE["scale"] + sum(TABLE.get("list", ()))

    step = lg.compile(f, fullgraph=True)
    warm(step, x)
    change()
    assert step(x).tolist() == f(x).tolist()
    assert not replayed(step)


def test_attributes_and_unmentioned_ones(x, monkeypatch):
    def f(x):
        return x * settings.scale

    step = lg.compile(f, fullgraph=True)
    warm(step, x)
    settings.other = [1]
    step(x)
    assert replayed(step)
    monkeypatch.setattr(settings, "scale", 7.0)
    assert step(x).tolist() == f(x).tolist()


def test_class_variables_and_methods(x):
    class Scaler:
        scale = 2.0

        def __call__(self, x):
            return self.apply(x)

        def apply(self, x):
            return x * self.scale

    step = lg.compile(Scaler(), fullgraph=True)
    scaler = step._function
    assert warm(step, x).tolist() == [2.0, 4.0, 6.0]
    Scaler.scale = 3.0
    assert step(x).tolist() == [3.0, 6.0, 9.0]
    warm(step, x)
    scaler.scale = 4.0
    assert step(x).tolist() == [4.0, 8.0, 12.0]
    warm(step, x)
    Scaler.apply = lambda self, x: x - 1
    assert step(x).tolist() == [0.0, 1.0, 2.0]
    warm(step, x)
    scaler.apply = lambda x: x + 1
    assert step(x).tolist() == [2.0, 3.0, 4.0]


def test_closures_nested_functions_and_defaults(x):
    scale, shift = 2.0, 1.0

    def shifted(x, by=3.0):
        return x + by + shift

    def f(x):
        return shifted(x * scale)

    step = lg.compile(f, fullgraph=True)
    warm(step, x)
    scale = 3.0
    assert step(x).tolist() == f(x).tolist()
    warm(step, x)
    shift = 10.0
    assert step(x).tolist() == f(x).tolist()
    warm(step, x)
    shifted.__defaults__ = (30.0,)
    assert step(x).tolist() == f(x).tolist()


def test_dynamic_attributes(x):
    config = types.SimpleNamespace(scale=2.0, shift=1.0)

    def f(x):
        return x * getattr(config, "sca" + "le") + getattr(config, "".join(["shi", "ft"]))

    step = lg.compile(f, fullgraph=True)
    warm(step, x)
    config.shift = 5.0
    assert step(x).tolist() == f(x).tolist()


def test_partial_bound_method_and_property(x):
    class Holder:
        factor = 2.0

        @property
        def doubled(self):
            return 2 * self.factor

        @staticmethod
        def plus(x, y):
            return x + y

        @classmethod
        def named(cls, x):
            return x * cls.factor

        def f(self, x, y):
            return self.named(self.plus(x * self.doubled, y))

    holder = Holder()
    step = lg.compile(functools.partial(holder.f, y=1.0), fullgraph=True)
    warm(step, x)
    holder.factor = 3.0
    assert step(x).tolist() == holder.f(x, 1.0).tolist()
    method = lg.compile(holder.f)
    warm(method, x, 2.0)
    holder.factor = 4.0
    assert method(x, 2.0).tolist() == holder.f(x, 2.0).tolist()


def test_arguments(x):
    def f(x, n=1, *, scale=1.0, flag=None, parts=()):
        y = x * scale * n + x.sin()
        for part in parts:
            y = y + part["value"]
        return (y, {"flag": flag}) if flag else [y]

    step = lg.compile(f, fullgraph=True)
    calls = [
        ((x,), {}),
        ((x, 2), {}),
        ((x, 2.0), {}),
        ((x, True), {}),
        ((x,), {"scale": 0.0}),
        ((x,), {"scale": -0.0}),
        ((x,), {"flag": "yes"}),
        ((x,), {"parts": [{"value": x}, {"value": 1}]}),
    ]
    for args, kwargs in calls:
        for _ in range(4):
            made, expected = step(*args, **kwargs), f(*args, **kwargs)
            assert type(made) is type(expected)
            assert made[0].tolist() == expected[0].tolist() and made[0].dtype is expected[0].dtype
            assert made[1:] == expected[1:]
        assert replayed(step)


def test_shapes_dtypes_and_requires_grad():
    def f(x):
        return (x * 2).sum()

    step = lg.compile(f, dynamic=True)
    for x in (lg.ones(2), lg.ones(3), lg.ones(2, dtype=lg.float64), lg.ones(3, dtype=lg.int64)):
        assert warm(step, x, calls=6).item() == f(x).item()
        assert step(x).dtype is f(x).dtype
    leaf = lg.ones(2, requires_grad=True)
    loss = step(leaf)
    loss.backward()
    assert leaf.grad.tolist() == [2.0, 2.0]


def test_gradient_mode():
    model = nn.Linear(2, 1)
    step = lg.compile(model)
    x = lg.ones(3, 2)
    with lg.no_grad():
        warm(step, x)
        assert not step(x).requires_grad
    step(x).sum().backward()
    assert model.weight.grad.tolist() == [[3.0, 3.0]]
    with lg.inference_mode():
        warm(step, x)


def test_default_dtype_and_fusion(x):
    step = lg.compile(lambda x: x + lg.zeros(3), fullgraph=True)
    warm(step, x)
    lg.set_default_dtype(lg.float64)
    try:
        assert step(x).dtype is lg.float64
    finally:
        lg.set_default_dtype(lg.float32)
    assert warm(step, x).dtype is lg.float32
    with lg.unfused():
        step(x)
        assert not replayed(step)


def test_module_attributes_hooks_and_children():
    training = Training("dropout")
    model = training.model
    x = training.batch(0)[0]
    step = lg.compile(lg.no_grad()(lambda x: model(x)), fullgraph=True)
    model.eval()

    def check():
        assert step(x).tolist() == model(x).tolist()
        assert not replayed(step)
        assert warm(step, x).tolist() == model(x).tolist()

    warm(step, x)
    handle = model[0].register_forward_hook(lambda module, args, output: output * 2)
    check()
    handle.remove()
    step(x)
    assert replayed(step)
    model[4] = nn.Linear(8, 2)
    check()
    model[4].weight = nn.Parameter(lg.ones(2, 8))
    check()
    model[4].bias = None
    check()
    model.append(nn.ReLU())
    check()


def test_tensors_reachable_in_many_ways(x):
    weights = {"a": lg.ones(3), "b": [lg.ones(3)]}

    def f(x):
        return x * weights["a"] + weights["b"][0]

    step = lg.compile(f, fullgraph=True)
    warm(step, x)
    weights["a"].mul_(5)
    assert step(x).tolist() == f(x).tolist()
    assert replayed(step)
    weights["b"][0] = lg.zeros(3)
    assert step(x).tolist() == f(x).tolist()
    assert not replayed(step)
    warm(step, x)
    weights["a"].data = lg.zeros(3)
    assert step(x).tolist() == f(x).tolist()


def test_a_tensor_that_gets_another_dtype(x):
    weight = lg.ones(3)
    step = lg.compile(lambda x: x * weight, fullgraph=True)
    warm(step, x)
    weight.data = lg.ones(3, dtype=lg.float64)
    assert step(x).dtype is lg.float64


def test_slices_of_reachable_tensors_are_read_anew(x):
    data = lg.arange(12).reshape(4, 3) * 1.0
    row = data[1]

    def f(x):
        return x + data[2] + data[:, 1].sum() + row

    step = lg.compile(f, fullgraph=True)
    warm(step, x)
    data[2] = 100
    data.mul_(2)
    assert step(x).tolist() == f(x).tolist()
    assert replayed(step)


def test_tensors_made_in_the_call(x):
    def f(x):
        return x + lg.tensor([1.0, 2.0, 3.0]) + lg.arange(3) + lg.zeros(3)

    step = lg.compile(f, fullgraph=True)
    assert warm(step, x).tolist() == f(x).tolist()


def test_enumerations_sets_and_numpy_numbers(x):
    factor = np.float32(3)
    names = frozenset(["a", "b"])
    step = lg.compile(lambda x: x * factor if "a" in names else x, fullgraph=True)
    assert warm(step, x).tolist() == [3.0, 6.0, 9.0]
    factor = np.float64(3)
    names = frozenset("b")
    assert step(x).tolist() == [1.0, 2.0, 3.0]


def test_pure_functions_of_the_standard_library(x):
    def f(x):
        parts = sorted([3, 1, 2], key=lambda n: -n)
        return x * math.sqrt(parts[0]) + functools.reduce(operator.add, range(4)) + len("abc".split("b"))

    step = lg.compile(f, fullgraph=True)
    assert warm(step, x).tolist() == f(x).tolist()


def test_a_nested_compiled_function(x):
    factor = 2.0
    inner = lg.compile(lambda x: x * factor)
    step = lg.compile(lambda x: inner(x) + 1, fullgraph=True)
    warm(inner, x)
    assert warm(step, x).tolist() == [3.0, 5.0, 7.0]
    factor = 3.0
    assert step(x).tolist() == [4.0, 7.0, 10.0]


def test_recording_limit():
    step = lg.compile(lambda x, n: x * n)
    with pytest.warns(UserWarning, match="8 recordings did not fit"):
        for n in range(12):
            for _ in range(4):
                assert step(lg.ones(1), n).item() == n
    with pytest.raises(RuntimeError, match="8 recordings did not fit"):
        step = lg.compile(lambda x, n: x * n, fullgraph=True)
        for n in range(12):
            for _ in range(4):
                step(lg.ones(1), n)


def test_a_closure_that_changes_in_every_call(x):
    temperature = 1.0
    step = lg.compile(lambda x: x / temperature)
    with pytest.warns(UserWarning, match="closure variable 'temperature'"):
        for i in range(12):
            temperature = 1.0 + i
            assert step(x).tolist() == (x / temperature).tolist()


def test_arguments_that_are_new_in_every_call():
    step = lg.compile(lambda x, n: x * n)
    with pytest.warns(UserWarning, match="new in almost every call"):
        for n in range(40):
            assert step(lg.ones(1), n).item() == n
    assert len(step._kinds) <= 17


def test_sets_are_compared(x):
    names = {"a", "b"}
    step = lg.compile(lambda x: x * 3 if "a" in names else x + 0, fullgraph=True)
    warm(step, x)
    names.remove("a")
    assert step(x).tolist() == [1.0, 2.0, 3.0]


def test_views_that_are_changed_in_place():
    weight = lg.arange(4).reshape(2, 2) * 1.0
    step = lg.compile(lambda x: x @ weight, fullgraph=True)
    x = lg.tensor([[1.0, 2.0]])
    before = warm(step, x).tolist()
    weight.t_()
    assert step(x).tolist() == (x @ weight).tolist() != before


def test_gradients_read_by_the_call():
    weight = lg.ones(3, requires_grad=True)
    step = lg.compile(lambda x: x + weight.grad, fullgraph=True)
    weight.grad = lg.ones(3)
    assert warm(step, lg.ones(3)).tolist() == [2.0] * 3
    weight.grad = lg.full((3,), 5.0)
    assert step(lg.ones(3)).tolist() == [6.0] * 3
    weight.grad = None
    with pytest.raises(TypeError):
        step(lg.ones(3))
    weight.grad = lg.ones(6)[::2]
    assert step(lg.ones(3)).tolist() == [2.0] * 3
