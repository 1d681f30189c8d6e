"""What is found out about a program when it is interpreted is used for those that come after it, and holds no values.

In all tests each tape that is used again is compared with one that is made anew, see `checking`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime import tape
from lazygrad.runtime.realize import cache
from lazygrad.runtime.tapes import Tapes

from .interpreted import interpreting

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def only_interpreted() -> Iterator[None]:
    with interpreting():
        cache.clear()
        yield
        cache.clear()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tape.Tape]:
    """The tapes that were made since, without those that are only compared."""
    monkeypatch.setattr(tape.checking, "enabled", False)
    tapes: list[tape.Tape] = []
    plain = tape.tape_of

    def noted(*arguments: Any) -> tape.Tape:
        tapes.append(plain(*arguments))
        return tapes[-1]

    monkeypatch.setattr(tape, "tape_of", noted)
    return tapes


def _numbers_that_change(t: Any, i: int) -> Any:
    x = t.arange(12.0).reshape(3, 4)
    return (x * (0.1 + i) + i).pow(2.5).sum(0)


def _places_that_change(t: Any, i: int) -> Any:
    x = t.arange(40.0).reshape(10, 4).contiguous()
    x.tolist()
    return x[i] * 2 + x[i + 1 : i + 3].sum(0)


def _writes_to_places(t: Any, i: int) -> Any:
    x = t.zeros(10, 4)
    x.tolist()
    x[i] = t.ones(4) * i
    x[i + 1 : i + 3, 1] = t.arange(2.0)
    return x * 2


def _gradients_of_writes(t: Any, i: int) -> Any:
    w = t.arange(1.0, 5.0, requires_grad=True)
    x = t.zeros(10, 4)
    x[i] = w * 2
    (x[i : i + 2].sum() * (i + 0.5)).backward()
    return w.grad


def _gradients_of_composites(t: Any, i: int) -> Any:
    w = (t.arange(12.0).reshape(3, 4) / (i + 1)).requires_grad_()
    t.nn.functional.layer_norm(t.nn.functional.gelu(w), (4,)).softmax(-1)[:, 0].sum().backward()
    return w.grad


def _random_numbers(t: Any, i: int) -> Any:
    t.manual_seed(i)
    return t.nn.functional.dropout(t.ones(6, 5), 0.4) + t.rand(6, 5)


def _variances(t: Any, i: int) -> Any:
    return (t.arange(12.0).reshape(3, 4) * (i + 1)).var(1, correction=2).sqrt()


@pytest.mark.parametrize(
    "program",
    [
        _numbers_that_change,
        _places_that_change,
        _writes_to_places,
        _gradients_of_writes,
        _gradients_of_composites,
        _random_numbers,
        _variances,
    ],
)
def test_numbers_and_places_are_those_of_each_run(program: Callable[[Any, int], Any]) -> None:
    for i in (1, 5, 2, 4, 7, 3):
        np.testing.assert_allclose(program(lg, i).numpy(), program(torch, i).numpy(), rtol=1e-5, atol=1e-6)


def test_a_program_is_taped_twice(made: list[tape.Tape]) -> None:
    """A program that comes once costs nothing for others; the second time its tape is kept."""
    model = lg.nn.Sequential(lg.nn.Linear(4, 8), lg.nn.Tanh(), lg.nn.Linear(8, 1))
    optimizer = lg.optim.Adam(model.parameters(), lr=0.01)
    counts = []
    for _ in range(6):
        loss = model(lg.rand(16, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
        counts.append(len(made))
    assert counts[0] > 0
    assert counts[-1] == counts[-2] == counts[-3]


def test_gradients_of_writes_are_taped_twice(made: list[tape.Tape]) -> None:
    """They are spelled out for where the writes begin, which the key does not say."""
    counts = []
    for i in (3, 3, 3, 3):
        _gradients_of_writes(lg, i).tolist()
        counts.append(len(made))
    assert counts[0] > 0
    assert counts[1] == counts[2] == counts[3]


def test_a_tape_for_other_places_is_not_used() -> None:
    for i in (3, 3, 3, 5, 3, 5, 5, 3):
        expected = _gradients_of_writes(torch, i).numpy()
        np.testing.assert_allclose(_gradients_of_writes(lg, i).numpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_tape_holds_no_values() -> None:
    held: list[Any] = []
    for _ in range(4):
        x = lg.rand(16, 4)
        w = lg.rand(4, 4, requires_grad=True)
        lg.nn.functional.softmax(x @ w, -1)[:, 0].sum().backward()
        assert w.grad is not None
        w.grad.tolist()
        held += [ref(x.node()), ref(w.node()), ref(w.grad.node())]
    del x, w
    gc.collect()
    assert [each() for each in held] == [None] * len(held)


def test_steps_are_bounded(made: list[tape.Tape]) -> None:
    """What was used least recently goes first, and is taped again."""
    tapes = Tapes(capacity=5)
    x = lg.rand(3)
    recordings = [_recording(x.exp() + number) for number in (1, 2, 3)]  # of two steps each
    first, second, third = [recording.key for recording in recordings]
    assert [tapes.keep(each.key, tape.tape_of(each, _evaluator())) for each in recordings[:2]] == [[], []]
    assert tapes.find(first) is not None
    assert tapes.keep(third, tape.tape_of(recordings[2], _evaluator())) == [second]
    assert tapes.steps == 4 and tapes.find(second) is None and tapes.find(first) is not None


def _recording(x: lg.Tensor) -> Any:
    from lazygrad.runtime.recording import Recording

    return Recording([x.node()])


def _evaluator() -> Any:
    from lazygrad.ir.device import CPU
    from lazygrad.targets.devices import device_evaluator

    return device_evaluator(CPU)


def test_checking_finds_a_tape_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tape.checking.enabled
    find = Tapes.find

    def wrong(self: Tapes, key: Any) -> tape.Tape | None:
        found = find(self, key)
        return None if found is None else found._replace(ends=[(), *found.ends[1:]])

    monkeypatch.setattr(Tapes, "find", wrong)

    def run() -> None:
        ((lg.rand(50, 50) + 1).exp() @ lg.rand(50, 2)).sum(0).tolist()

    run()
    run()
    with pytest.raises(AssertionError, match="a tape that was kept has other ends"):
        run()
