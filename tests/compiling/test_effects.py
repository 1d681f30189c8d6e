"""Calls that do more than compute tensors run uncompiled, every time, and say why; with ``fullgraph`` they raise."""

import gc
import itertools
import logging
import random
import time
import warnings
from random import gauss

import numpy as np
import pytest

import lazygrad as lg
from tests.compiling.steps import Training, agree, replayed

counter = 0
numbers = np.ones(3, np.float32)
random_numbers = np.random.default_rng(0)


def append_to(history):
    def step(x):
        history.append(1)
        return x * len(history)

    return step


def count_globally(x):
    global counter
    counter += 1
    return x * counter


def count_in_a_closure():
    count = 0

    def step(x):
        nonlocal count
        count += 1
        return x * count

    return step


class Counting:
    def __init__(self):
        self.count = 0

    def __call__(self, x):
        self.count += 1
        return x * self.count


class KeepingTheLast:
    last = None

    def __call__(self, x):
        y = x if self.last is None else x + self.last
        self.last = y.detach()
        return y * 1


def with_iterator():
    iterator = itertools.count(1)
    return lambda x: x * next(iterator)


def with_generator():
    generator = (n for n in range(1, 100))
    return lambda x: x * next(generator)


def with_item(x):
    return x * x.sum().item()


def with_item_of_an_argument(x):
    return x * x[0].item()


def with_branch(x):
    return x * 2 if x.sum() > 5 else x


def with_print(x):
    print("called")
    return x * 2


def with_mapped_print(x):
    list(map(print, ["called"]))
    return x * 2


def with_time(x):
    return x * (time.perf_counter() > 0)


def with_random(x):
    return x * random.random()


def with_imported_random(x):
    return x * gauss(0, 1)


def with_local_import(x):
    import random as r

    return x * r.randint(1, 1000)


def with_numpy_random(x):
    return x * float(np.random.rand())


def with_numpy_generator(x):
    return x * random_numbers.random()


def with_numpy_array(x):
    numbers[0] += 1
    return x * lg.from_numpy(numbers)


def with_drawn_from_values(x):
    return x * lg.poisson(x.abs())


generator_of_its_own = lg.Generator()


def with_generator_of_its_own(x):
    return x * lg.rand(3, generator=generator_of_its_own)


def with_seed(x):
    lg.manual_seed(0)
    return lg.nn.functional.dropout(x, 0.5)


def with_logging(x):
    logging.getLogger("test").info("called")
    return x * 2


def with_unfollowed_set():
    seen = set()

    def step(x):
        seen.add(len(seen))
        return x * len(seen)

    return step


MAKERS = {
    "list": lambda: append_to([]),
    "global": lambda: count_globally,
    "closure": count_in_a_closure,
    "attribute": Counting,
    "attribute tensor": KeepingTheLast,
    "iterator": with_iterator,
    "generator": with_generator,
    "set": with_unfollowed_set,
    **{
        function.__name__: (lambda function=function: function)
        for function in (
            with_item, with_item_of_an_argument, with_branch, with_print, with_mapped_print, with_time, with_random,
            with_imported_random, with_local_import, with_numpy_random, with_numpy_generator, with_numpy_array,
            with_drawn_from_values, with_generator_of_its_own, with_seed, with_logging,
        )
    },
}  # fmt: skip


def reset():
    global counter
    counter = 0
    numbers[:] = 1
    random.seed(0)
    np.random.seed(0)
    lg.manual_seed(0)
    generator_of_its_own.manual_seed(0)
    random_numbers.bit_generator.state = np.random.default_rng(0).bit_generator.state


def results(function):
    reset()
    return [function(lg.tensor([1.0, 2.0, float(i)])).tolist() for i in range(9)]


@pytest.mark.parametrize("name", MAKERS)
def test_runs_uncompiled(name, capsys):
    expected = results(MAKERS[name]())
    printed = capsys.readouterr().out
    compiled = lg.compile(MAKERS[name]())
    with pytest.warns(UserWarning, match=r"run uncompiled"):
        assert results(compiled) == expected
    assert capsys.readouterr().out == printed
    assert not replayed(compiled)


@pytest.mark.parametrize("name", MAKERS)
def test_raises_with_fullgraph(name):
    compiled = lg.compile(MAKERS[name](), fullgraph=True)
    with pytest.raises(RuntimeError, match="fullgraph"):
        results(compiled)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("with_print", r"calls print"),
        ("with_time", "time.perf_counter"),
        ("with_item", r"test_effects.py:\d+ reads a computed value"),
        ("attribute", r"test_effects.py:\d+ changes a Counting"),
        ("list", r"test_effects.py:\d+ calls list.append"),
        ("global", "assigns the global variable 'counter'"),
        ("with_numpy_array", "numpy array"),
        ("with_drawn_from_values", "reads a computed value"),
    ],
)
def test_the_warning_names_the_thing(name, reason):
    with pytest.warns(UserWarning, match=reason):
        results(lg.compile(MAKERS[name]()))


def test_warns_once():
    compiled = lg.compile(with_print)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for size in (1, 2, 3):
            for _ in range(8):
                compiled(lg.ones(size))
    assert len(caught) == 1


def test_a_branch_that_prints_now_and_then(capsys):
    """The rare call is recorded when it comes: the step count it asks about is guarded."""
    training = Training()
    once = training.step_function()
    verbose = False

    def step(x, y):
        loss = once(x, y)
        if verbose:
            print("loss", loss.item())
        return loss

    compiled = lg.compile(step)
    for i in range(12):
        verbose = i == 8
        compiled(*training.batch(i))
        if i == 8:
            assert capsys.readouterr().out.startswith("loss")
    assert replayed(compiled)


def test_no_effect_is_lost_while_recording():
    history = []
    step = lg.compile(append_to(history))
    with pytest.warns(UserWarning):
        for _ in range(10):
            step(lg.ones(1))
    assert len(history) == 10


def test_exceptions_propagate():
    training, plain = Training(), Training()

    def step_of(training):
        once = training.step_function()

        def step(x, y, fail):
            loss = once(x, y)
            if fail:
                raise KeyError("on purpose")
            return loss

        return step

    compiled, expected = lg.compile(step_of(training)), step_of(plain)
    for i in range(10):
        for function in (compiled, expected):
            if i % 3 == 2:
                with pytest.raises(KeyError):
                    function(*training.batch(i), True)
            else:
                function(*training.batch(i), False)
        assert agree(plain.everything(), training.everything())


def test_a_failing_plan_leaves_everything_as_it_was():
    def build():
        lg.manual_seed(0)
        table = lg.nn.Embedding(4, 2)
        optimizer = lg.optim.Adam(table.parameters())

        def step(index):
            optimizer.zero_grad()
            loss = (lg.nn.functional.dropout(table(index), 0.5) ** 2).sum()
            loss.backward()
            optimizer.step()
            return loss

        return table, optimizer, step

    (table, optimizer, step), (plain_table, plain_optimizer, plain_step) = build(), build()
    compiled = lg.compile(step)
    for made in (compiled, plain_step):
        lg.manual_seed(1)
        for i in range(12):
            index = lg.tensor([0, i % 4, 9 if i == 8 else 1])
            if i == 8:
                with pytest.raises(IndexError):
                    made(index)
            else:
                made(index)
    assert replayed(compiled)
    assert agree(table.weight.tolist(), plain_table.weight.tolist())
    assert [s["step"] for s in optimizer.state.values()] == [s["step"] for s in plain_optimizer.state.values()]


def test_what_the_garbage_collector_calls_back_is_not_the_functions_doing() -> None:
    calls: list[str] = []

    def callback(phase: str, info: dict[str, int]) -> None:
        calls.append(phase)

    weight = lg.ones(3)

    def f(x: lg.Tensor) -> lg.Tensor:
        total = x
        for _ in range(30):
            total = total + weight
        return total

    compiled = lg.compile(f, fullgraph=True)
    thresholds = gc.get_threshold()
    gc.callbacks.append(callback)
    gc.set_threshold(1)
    try:
        for _ in range(6):
            compiled(lg.ones(3))
    finally:
        gc.callbacks.remove(callback)
        gc.set_threshold(*thresholds)
    assert calls
    assert compiled.explain() == "the last call was replayed"
