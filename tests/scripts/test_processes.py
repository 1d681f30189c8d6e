"""Processes that a program for PyTorch starts: they find lazygrad under PyTorch's names, however they are started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lazygrad
from lazygrad import multiprocessing as processes

ROOT = Path(lazygrad.__file__).parent.parent
PROGRAM = """
import sys
import torch
import torch.multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
from torch.utils.data import DataLoader, Dataset

assert torch.nn.__name__ == "lazygrad.nn", torch

class Numbers(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.full((2,), float(i))

def put(number, queue):
    queue.put((number, torch.nn.__name__, (torch.ones(3) * number).tolist()))

def times(number):
    return torch.nn.__name__, (torch.ones(2) * number).sum().item()

if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    batches = list(DataLoader(Numbers(), batch_size=4, num_workers=2, multiprocessing_context=context))
    print(torch.cat(batches).sum().item())
    queue = context.Queue()
    started = [context.Process(target=put, args=(i, queue)) for i in range(2)]
    for process in started:
        process.start()
    print(sorted(queue.get() for _ in started))
    for process in started:
        process.join()
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        print(list(pool.map(times, range(2))))
    queue = context.SimpleQueue()
    mp.start_processes(put, (queue,), nprocs=2, start_method=sys.argv[1])
    print(sorted(queue.get() for _ in range(2)))
"""
PRINTED = """56.0
[(0, 'lazygrad.nn', [0.0, 0.0, 0.0]), (1, 'lazygrad.nn', [1.0, 1.0, 1.0])]
[('lazygrad.nn', 0.0), ('lazygrad.nn', 2.0)]
[(0, 'lazygrad.nn', [0.0, 0.0, 0.0]), (1, 'lazygrad.nn', [1.0, 1.0, 1.0])]
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("way", ["script", "module", "as_torch"])
def test_processes_of_a_program_for_torch(method: str, way: str, tmp_path: Path) -> None:
    begins = "import lazygrad\nif __name__ == '__main__':\n    lazygrad.as_torch()\n" if way == "as_torch" else ""
    (tmp_path / "program.py").write_text(begins + PROGRAM)
    program = {"script": ("-m", "lazygrad", "run", "program.py"), "module": ("-m", "lazygrad", "run", "-m", "program")}
    command = [sys.executable, *program.get(way, ("program.py",)), method]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert (found.stdout, found.returncode) == (PRINTED, 0), found.stderr


# What goes wrong in one of several processes.


def _fail_first(number: int, how: str) -> None:
    if number != 0:
        time.sleep(60)  # until it is ended with the first
    elif how == "raises":
        raise ValueError("seven")
    elif how == "exits":
        sys.exit(3)
    elif how == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)


EXPECTED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "raises": ("ProcessRaisedException", "\n\n-- Process 0 terminated with the following error:\nTraceback", {}),
    "exits": (
        "ProcessExitedException",
        "process 0 terminated with exit code 3",
        {"exit_code": 3, "signal_name": None},
    ),
    "is killed": (
        "ProcessExitedException",
        "process 0 terminated with signal SIGKILL",
        {"exit_code": -9, "signal_name": "SIGKILL"},
    ),
}


@pytest.mark.parametrize("library", ["lazygrad", "torch"])
@pytest.mark.parametrize("how", EXPECTED)
def test_the_first_failure_ends_all(how: str, library: str) -> None:
    starting = pytest.importorskip(library, reason="torch is the oracle here, and is not installed").multiprocessing
    name, message, attributes = EXPECTED[how]
    context = starting.start_processes(_fail_first, (how,), nprocs=2, join=False, start_method="fork")
    with pytest.raises(getattr(starting, name)) as caught:
        while not context.join(30):
            pass
    error = caught.value
    assert str(error).startswith(message) and ("ValueError: seven" in str(error)) is (how == "raises")
    assert (error.error_index, error.error_pid) == (0, context.pids()[0])
    assert {key: getattr(error, key) for key in attributes} == attributes
    assert not any(process.is_alive() for process in context.processes)


def _do_nothing(number: int) -> None:
    pass


def test_processes_that_end_well() -> None:
    context = processes.start_processes(_do_nothing, nprocs=3, join=False, start_method="fork")
    assert context is not None and len(context.pids()) == 3
    while not context.join(timeout=30):
        pass
    assert context.join() and [process.exitcode for process in context.processes] == [0, 0, 0]


def test_another_method_than_spawning_is_warned_of() -> None:
    with pytest.warns(FutureWarning, match="only supports start_method=spawn"):
        assert processes.spawn(_do_nothing, start_method="fork") is None
