"""`share_memory_`: what one process writes the others see, however they were started and whatever they were handed."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.runtime.fork_programs import variables_for

_TIMEOUT = 200.0

_PROGRAM = """
import multiprocessing, sys
import lazygrad as lg
from lazygrad import nn, optim


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(lg.zeros(2))
        self.tied = self.weight
        self.register_buffer("steps", lg.zeros((), dtype=lg.int64))


def write(x, part, sparse, model, ended):
    assert x.is_shared() and part.is_shared() and part.untyped_storage().is_shared()
    assert model.weight.requires_grad and model.weight.is_leaf and model.tied is model.weight
    x += 1
    part.mul_(10)
    sparse[1] = True
    with lg.no_grad():
        model.weight.fill_(7.0)
    model.steps += 1
    ended.wait(60)  # what the parent writes arrives here
    assert x.tolist() == [5.0, 1.0, 1.0] and part.tolist() == [0.0, 20.0, -1.0], (x, part)
    x[2] = 2.0


def memory_of_arguments(context):
    whole = lg.arange(6.0).share_memory_()
    x, part, sparse = lg.zeros(3).share_memory_(), whole[::2], lg.zeros(2, dtype=lg.bool).share_memory_()
    seen, model, ended = x.numpy(), Counter().share_memory(), context.Event()
    process = context.Process(target=write, args=(x, part, sparse, model, ended))
    process.start()
    while model.steps.item() < 1 and process.is_alive():
        pass
    assert x.tolist() == [1.0, 1.0, 1.0] and seen.tolist() == [1.0, 1.0, 1.0]
    assert whole.tolist() == [0.0, 1.0, 20.0, 3.0, 40.0, 5.0]
    assert sparse.tolist() == [False, True]
    assert model.weight.tolist() == [7.0, 7.0] and (model.weight * 2).tolist() == [14.0, 14.0]
    x[0] = 5.0
    whole[4] = -1.0
    ended.set()
    process.join(60)
    assert process.exitcode == 0 and seen.tolist() == [5.0, 1.0, 2.0]


def answer(received, sent):
    tensor = received.get(timeout=60)
    again = received.get(timeout=60)
    tensor[1] = 5.0
    assert again.tolist() == [0.0, 5.0, 0.0]
    sent.put(tensor)
    assert received.get(timeout=60) is None  # a process that sends memory lives until that has arrived
    assert tensor.tolist() == [9.0, 5.0, 0.0]


def memory_in_queues(context):
    there, back = context.Queue(), context.Queue()
    tensor = lg.zeros(3).share_memory_()
    process = context.Process(target=answer, args=(there, back))
    process.start()
    there.put(tensor)
    there.put(tensor)
    returned = back.get(timeout=60)
    assert returned.is_shared() and tensor.tolist() == [0.0, 5.0, 0.0]
    returned[0] = 9.0
    assert tensor.tolist() == [9.0, 5.0, 0.0]
    there.put(None)
    process.join(60)
    assert process.exitcode == 0


def train(model, seed):
    lg.manual_seed(seed)
    optimizer = optim.SGD(model.parameters(), lr=0.05)
    slope = lg.tensor([[1.0], [-2.0], [3.0]])
    for _ in range(60):
        x = lg.randn(16, 3)
        optimizer.zero_grad()
        (model(x) - x @ slope - 0.5).square().mean().backward()
        optimizer.step()


def hogwild(context):
    model = nn.Linear(3, 1)
    model.share_memory()
    processes = [context.Process(target=train, args=(model, seed)) for seed in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    apart = (model.weight - lg.tensor([[1.0, -2.0, 3.0]])).abs().max().item()
    assert apart < 0.01 and abs(model.bias.item() - 0.5) < 0.01, model.weight


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    memory_of_arguments(context)
    memory_in_queues(context)
    hogwild(context)
"""


@pytest.mark.parametrize("runs", ["default", "0"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_writes_are_seen_by_other_processes(method: str, runs: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_PROGRAM)
    variables = os.environ | variables_for(tmp_path, "numpy")
    if runs != "default":
        variables["LAZYGRAD_INTERPRETED_RUNS"] = runs
    command = [sys.executable, str(file), method]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=_TIMEOUT)
    assert done.returncode == 0 and not done.stderr, f"{done.returncode}\n{done.stdout}\n{done.stderr}"


@pytest.mark.host_memory("memory of a device is not sent")
def test_ordinary_pickles_and_copies_hold_the_values() -> None:
    shared = lg.arange(6.0).reshape(2, 3).share_memory_()
    parameter = nn.Parameter(lg.ones(2)).share_memory_()
    for tensor in (shared, shared[:, 1], shared.t(), parameter, lg.zeros(0).share_memory_()):
        for copied in (pickle.loads(pickle.dumps(tensor)), copy.deepcopy(tensor)):
            assert not copied.is_shared()
            assert type(copied) is type(tensor)
            assert copied.tolist() == tensor.tolist()
            assert copied.requires_grad == tensor.requires_grad
    pickle.loads(pickle.dumps(shared)).zero_()
    assert shared.sum().item() == 15.0


@pytest.mark.host_memory("a device's memory counts as shared")
def test_what_is_shared() -> None:
    x = lg.arange(6.0)
    assert not x.untyped_storage().is_shared()
    part = x[2:4]
    x.share_memory_()
    assert x.is_shared() and part.is_shared() and (x.untyped_storage().is_shared())
    x += 1
    assert x.is_shared() and part.tolist() == [3.0, 4.0]
    assert not (x * 2).is_shared()
