"""Ctrl-C at any time leaves parameters, optimizer state and step counts as before a step or after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator

import pytest

import lazygrad as lg
from lazygrad.host.interrupts import uninterrupted

# Trains with Adam until it is interrupted, again and again, and compares with the state after each number of steps.
_PROGRAM = """
import os, random, signal, sys, threading, time
import lazygrad as lg
from lazygrad import nn

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored
compiled, tries = sys.argv[1] == "compiled", int(sys.argv[2])

def made():
    lg.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = lg.optim.Adam(model.parameters(), lr=0.01)
    x = lg.randn(32, 8)
    def step():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()
    return model, optimizer, lg.compile(step) if compiled else step

def state(model, optimizer):
    found = [p.detach().tolist() for p in model.parameters()]
    for p in model.parameters():
        kept = optimizer.state.get(p, {})
        found += [kept[name].tolist() for name in ("exp_avg", "exp_avg_sq") if name in kept]
        found.append(int(kept["step"]) if "step" in kept else 0)
    return found

STEPS = 400
model, optimizer, step = made()
expected = [state(model, optimizer)]
for _ in range(STEPS):
    step()
    expected.append(state(model, optimizer))

draws, interrupted, disagreed = random.Random(0), 0, 0
for attempt in range(tries):
    model, optimizer, step = made()
    timer = threading.Timer(draws.uniform(0.0005, 0.04), os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        for _ in range(STEPS):
            step()
        timer.join()
    except KeyboardInterrupt:
        interrupted += 1
    timer.cancel()
    found = state(model, optimizer)
    counts = {value for value in found if isinstance(value, int)}
    if len(counts) != 1 or found != expected[counts.pop()]:
        disagreed += 1
        continue
    try:
        step()  # it goes on
    except KeyboardInterrupt:
        pass
print(interrupted, disagreed)
"""


@pytest.fixture
def python_handles_interrupts() -> Iterator[None]:
    """As in a terminal; a shell's background jobs inherit that interrupts are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.host_memory("a process of its own trains on the CPU")
@pytest.mark.parametrize("kind", ["recorded", "compiled"])
def test_state_is_that_before_or_after_a_step(kind: str) -> None:
    tries = 40
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_PROGRAM), kind, str(tries)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "LAZYGRAD_BACKEND": "numpy"},
    )
    assert run.returncode == 0, run.stderr[-2000:]
    interrupted, disagreed = map(int, run.stdout.split())
    assert interrupted > tries // 2
    assert disagreed == 0


@pytest.mark.usefixtures("python_handles_interrupts")
def test_an_interrupt_waits_for_the_function() -> None:
    reached = []

    def function() -> str:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        reached.append(True)
        return "done"

    with pytest.raises(KeyboardInterrupt):
        uninterrupted(function)
    assert reached == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert uninterrupted(lambda: "quiet") == "quiet"


def test_other_handlers_and_threads_are_left_alone() -> None:
    seen: list[int] = []
    outer = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        uninterrupted(os.kill, os.getpid(), signal.SIGINT)
        assert seen == [signal.SIGINT]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert uninterrupted(int, "3") == 3
        results: list[float] = []
        thread = threading.Thread(target=lambda: results.append(uninterrupted((lg.ones(3) * 2).sum().item)))
        thread.start()
        thread.join()
        assert results == [6.0]
    finally:
        signal.signal(signal.SIGINT, outer)
