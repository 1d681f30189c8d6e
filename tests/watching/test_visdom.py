"""Tensors go straight into visdom's calls, and it sends what it sends for arrays of the same numbers.

visdom converts what it knows as ``torch.Tensor``, so ``lazygrad.as_torch()`` comes before its import.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_PROGRAM = """
import json
import lazygrad
lazygrad.as_torch()
import visdom
from tests.watching.visdom_calls import CALLS

class Recorder(visdom.Visdom):
    def _send(self, message, endpoint="events", **options):
        self.sent.append((endpoint, message))
        return "window"
    def win_exists(self, *arguments, **options):
        return True

recorder = Recorder(offline=True, log_to_filename="/dev/null", raise_exceptions=True)
def sent(draw, make):
    recorder.sent = []
    draw(recorder, make)
    return repr(recorder.sent)

differing = [name for name, draw in CALLS.items()
             if sent(draw, lazygrad.tensor) != sent(draw, lambda values: lazygrad.tensor(values).numpy())]
print(json.dumps([len(CALLS), differing]))
"""


@pytest.mark.skipif(importlib.util.find_spec("visdom") is None, reason="visdom is not installed")
def test_every_call_takes_tensors() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [23, []]
