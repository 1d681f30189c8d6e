"""Ctrl-C while a process loads what it has once: the next step works as in a process that was not interrupted."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lazygrad.host import background
from tests.runtime.interrupts import PROGRAMS
from tests.selection import share

ROOT = Path(__file__).parents[2]


@pytest.mark.deeper
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_next_step_works_after_an_interrupt(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAZYGRAD_INTERPRETED_RUNS", raising=False)  # what a user's process loads
    points = share(24)
    command = [sys.executable, "-m", "tests.runtime.interrupts", program, str(points), str(points)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert told["points"] == points < told["lines"] and told["wrong"] == [], told["wrong"]


_INTERRUPTED_IMPORT = """
import importlib, sys
from importlib.machinery import SourceFileLoader
import lazygrad as lg

cut_short, statement = sys.argv[1:]
load = SourceFileLoader.exec_module

def exec_module(self, module):
    load(self, module)
    if module.__name__ == cut_short:
        raise KeyboardInterrupt

SourceFileLoader.exec_module = exec_module
try:
    exec(statement)
except KeyboardInterrupt:
    SourceFileLoader.exec_module = load
    exec(statement)
    print("done")
"""

_STEP = (
    "x = lg.ones(2, requires_grad=True); x.reshape(2, 1).cumsum(0).sum().backward(); assert x.grad.tolist() == [2, 1]"
)


@pytest.mark.parametrize(
    ("cut_short", "statement"),
    [
        ("lazygrad.autodiff.rules_movement", _STEP),
        ("lazygrad.autodiff.rules_scan", _STEP),
        ("lazygrad.autodiff.batching.contraction", "lg.vmap(lambda x: lg.cumsum(x, 0))(lg.ones(2, 2)).tolist()"),
        ("lazygrad.nn.parameter", "from lazygrad import func"),
        ("lazygrad.nn.core.global_hooks", "from lazygrad.nn.core.functional_call import functional_call"),
        ("lazygrad.distributions.kl.same_kind", "from lazygrad.distributions.kl import kl_divergence"),
        ("lazygrad.vision.models.alexnet", "from lazygrad.vision.transforms import v2"),
    ],
)
def test_a_file_whose_loading_is_interrupted_is_loaded_again(cut_short: str, statement: str) -> None:
    command = [sys.executable, "-c", _INTERRUPTED_IMPORT, cut_short, statement]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "done\n", ended.stderr


_RULES_OF_TWO_THREADS = """
import sys, threading
import lazygrad as lg

sys.setswitchinterval(1e-6)
start, found = threading.Barrier(4), []

def step():
    start.wait()
    x = lg.ones(4, 4, requires_grad=True)
    (x.reshape(2, 8).cumsum(0).softmax(1) @ lg.ones(8, 2)).sum().backward()
    found.append(x.grad.shape)

threads = [threading.Thread(target=step) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found))
"""


def test_threads_that_take_their_first_step_together_find_all_rules() -> None:
    ended = subprocess.run([sys.executable, "-c", _RULES_OF_TWO_THREADS], capture_output=True, text=True, cwd=ROOT)
    assert ended.stdout.split() == ["4"], ended.stderr


def test_no_two_files_define_the_rule_of_an_op() -> None:
    defined = """
from lazygrad.autodiff import registry
from lazygrad.autodiff.batching import registry as batching
seen, again = set(), []
def note(kind, ops):
    again.extend(op.name for op in ops if (kind, op) in seen)
    seen.update((kind, op) for op in ops)
registry.define_pullbacks = lambda rules: note("pullback", list(rules))
batching.define_batching = lambda rule, ops: note("batching", list(ops))
registry.pullbacks(), batching.batching_rules()
print(len(seen) > 200, again)
"""
    ended = subprocess.run([sys.executable, "-c", defined], capture_output=True, text=True, cwd=ROOT)
    assert ended.stdout.strip() == "True []", ended.stdout + ended.stderr


def test_work_whose_submission_is_interrupted_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = background._Worker("interrupted")

    def interrupted(thread: threading.Thread) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            worker.submit("work", lambda: None)
    done: list[int] = []
    worker.submit("work", lambda: done.append(1))
    pending = worker.pending.get("work")
    assert pending is None or pending.wait(10)
    assert done == [1]
