"""Tensors, models and whole training steps in other processes, however those were started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.fork_programs import variables_for
from tests.runtime.toolchains import needs_compiler

_TIMEOUT = 200.0
methods = pytest.mark.parametrize(
    ("method", "backend"),
    [
        ("fork", "numpy"),
        ("spawn", "numpy"),
        ("forkserver", "numpy"),
        pytest.param("fork", "c", marks=needs_compiler),
    ],
)

_PROGRAM = """
import multiprocessing, sys, threading, warnings
import numpy as np
import lazygrad as lg
from lazygrad import nn, optim

warnings.filterwarnings("ignore", category=DeprecationWarning)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(lg.ones(50))

    def forward(self, x):
        return (x * self.weight).sum(1).tanh()


def step(model, x, y):
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def data(seed):
    values = np.random.default_rng(seed).standard_normal((64, 51)).astype(np.float32)
    return lg.tensor(values[:, :50]), lg.tensor(values[:, 50])


def trained(seed):
    model = Model()
    losses = [step(model, *data(seed)) for _ in range(3)]
    return model, losses

def echo(sent, returned):
    while (tensor := sent.get(timeout=60)) is not None:
        returned.put((tensor, tensor.detach() + tensor.detach()))


def load(queue, numbers):
    for number in numbers:
        x, y = data(number)
        queue.put((x * 1.0, y))


def a_pool_of_workers_that_train(context):
    # The parent has computed before, and another thread of it goes on.
    expected = [trained(seed) for seed in range(4)]
    ends = threading.Event()
    def compute():
        while not ends.is_set():
            trained(9)
    busy = threading.Thread(target=compute, daemon=True)
    busy.start()
    with context.Pool(2) as pool:
        results = pool.map(trained, range(4))
    ends.set()
    busy.join()
    for (model, losses), (right, right_losses) in zip(results, expected, strict=True):
        assert losses == right_losses and losses[2] < losses[0]
        assert np.array_equal(model.weight.detach().numpy(), right.weight.detach().numpy())
        assert model.weight.requires_grad and model.weight.is_leaf


def tensors_in_queues(context):
    # Realized ones and pending ones, views, dtypes, and what needs a gradient.
    sent, returned = context.Queue(), context.Queue()
    process = context.Process(target=echo, args=(sent, returned), daemon=True)
    tensors = [
        lg.tensor([[0, 1, 2], [3, 4, 5]]).T,  # nothing here needs the library in C, which takes a minute to compile
        lg.ones(3, requires_grad=True),
        lg.ones(4) * 2 + 1,
        lg.zeros(0),
        lg.tensor([1.5, -2.0], dtype=lg.bfloat16),
        lg.tensor([1 + 2j]),
        lg.tensor(True),
    ]
    process.start()
    for tensor in tensors:
        sent.put(tensor)
    sent.put(None)
    for tensor in tensors:
        copy, doubled = returned.get(timeout=60)
        assert copy.dtype is tensor.dtype and copy.shape == tensor.shape
        assert copy.requires_grad == tensor.requires_grad
        assert lg.equal(copy, tensor) and lg.equal(doubled, tensor.detach() + tensor.detach())
    process.join(60)
    assert process.exitcode == 0


def batches_that_workers_load_while_the_parent_trains(context):
    expected = Model()
    for number in range(8):
        step(expected, *data(number))
    model, queues = Model(), [context.Queue(2) for _ in range(2)]
    shares = zip(queues, (range(0, 8, 2), range(1, 8, 2)))
    workers = [context.Process(target=load, args=share, daemon=True) for share in shares]
    for worker in workers:
        worker.start()
    for number in range(8):
        step(model, *queues[number % 2].get(timeout=60))
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert np.array_equal(model.weight.detach().numpy(), expected.weight.detach().numpy())


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    a_pool_of_workers_that_train(context)
    tensors_in_queues(context)
    batches_that_workers_load_while_the_parent_trains(context)
"""


@methods
def test_other_processes(method: str, backend: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(_PROGRAM)
    variables = os.environ | variables_for(tmp_path, backend)
    command = [sys.executable, str(file), method]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=_TIMEOUT)
    assert done.returncode == 0 and not done.stderr, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
