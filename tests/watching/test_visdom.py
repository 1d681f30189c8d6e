"""Tensors go straight into visdom's calls, and it sends what it sends for arrays of the same numbers.

visdom converts what it knows as ``torch.Tensor``. It is told of ours when both are imported, in any order.
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
{imports}
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


_ORDERS = {
    "lazygrad first": "import lazygrad\nimport visdom",
    "visdom first": "import visdom\nimport lazygrad",
    "as torch": "import lazygrad\nlazygrad.as_torch()\nimport visdom",
}


@pytest.mark.skipif(importlib.util.find_spec("visdom") is None, reason="visdom is not installed")
@pytest.mark.parametrize("order", _ORDERS)
def test_every_call_takes_tensors(order: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    program = _PROGRAM.replace("{imports}", _ORDERS[order])
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [23, []]


_STAND_IN = """
import functools
import numpy

torch_types = []

def _to_numpy(value):
    for kind in torch_types:
        if isinstance(value, kind):
            return value.detach().cpu().numpy()
    return value

def pytorch_wrap(function):
    @functools.wraps(function)
    def wrapped(*arguments):
        return function(*[_to_numpy(each) for each in arguments])
    return wrapped

@pytorch_wrap
def line(values):
    assert isinstance(values, numpy.ndarray), type(values)
    return values.tolist()
"""


@pytest.mark.parametrize("order", ["import lazygrad, visdom", "import visdom, lazygrad"])
def test_what_visdom_checks_is_told_of_tensors(tmp_path: Path, order: str) -> None:
    """A stand-in with visdom's own conversion, which needs not be installed."""
    (tmp_path / "visdom.py").write_text(_STAND_IN, encoding="utf-8")
    program = f"""
{order}
x = lazygrad.ones(2, requires_grad=True)
print([visdom.line(each) for each in (x, x * 2, lazygrad.nn.Parameter(x.detach()), x.detach().numpy())])
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[1, 1], [2, 2], [1, 1], [1, 1]]
