"""Programs that fork, each run in a process of its own that is ended when it hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_TIMEOUT = 200.0
_PRELUDE = '''
import os, signal, sys, threading, time, warnings
import numpy as np
import lazygrad as lg

warnings.simplefilter("error")
warnings.filterwarnings("ignore", category=DeprecationWarning)  # newer Pythons warn of forks next to threads


def in_child(check):
    """Fork; the child has to return True from ``check()`` within 30 seconds."""
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        outcome = 1
        try:
            outcome = 0 if check() else 2
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(outcome)
    outcome = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert outcome == 0, f"the child ended with {outcome}"


class Busy:
    """A thread that calls a function time and again, for as long as the context lasts."""

    def __init__(self, function):
        self.function, self.ends, self.calls = function, False, 0
        self.thread = threading.Thread(target=self.loop, daemon=True)

    def loop(self):
        while not self.ends:
            self.function()
            self.calls += 1

    def __enter__(self):
        self.thread.start()
        while not self.calls:
            time.sleep(0.001)
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
'''

# Large enough for several threads; without library calls, so that C needs no more than a second to compile it.
COMPUTE = """
values = np.random.default_rng(0).standard_normal((300, 700)).astype(np.float32)


def compute(factor=2.0):
    return (lg.tensor(values) * factor).tanh().sum(1).exp().mean(0).item()


expected = compute()
"""


def variables_for(folder: Path, backend: str) -> dict[str, str]:
    """Environment variables of a program whose plans wait for the compiler; tests share what they compile."""
    return {
        "LAZYGRAD_BACKEND": backend,
        "LAZYGRAD_CACHE_DIR": str(folder.parent / "compiled"),
        "LAZYGRAD_NUM_THREADS": "2",
        "LAZYGRAD_WAIT_FOR_COMPILER": "1",
    }


def run(body: str, folder: Path, backend: str, **environment: str) -> str:
    """What a program prints that begins with the prelude above; it must succeed and print nothing to stderr."""
    file = folder / "program.py"
    file.write_text(_PRELUDE + body)
    command = [sys.executable, str(file)]
    variables = os.environ | variables_for(folder, backend) | environment
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=_TIMEOUT)
    assert done.returncode == 0 and not done.stderr, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
