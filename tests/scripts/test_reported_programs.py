"""``python -m lazygrad explain`` and its like run a program unchanged, report on it, and end as it does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lazygrad

ROOT = Path(lazygrad.__file__).parent.parent
_TRAINING = """
import sys
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(8, 4)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
print(sys.argv[1:], loss.item() >= 0)
if "fail" in sys.argv:
    raise ValueError("own error")
sys.exit(7 if "leave" in sys.argv else None)
"""


def reported(folder: Path, source: str, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(source)
    words = [sys.executable, "-m", "lazygrad", *command.split(), "program.py", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_explain_with_a_status_of_the_programs_own(tmp_path: Path) -> None:
    run = reported(tmp_path, _TRAINING, "explain --json", "leave")
    assert (run.returncode, run.stderr) == (7, "['leave'] True\n")
    found = json.loads(run.stdout)
    times = {each["place"]: each["times"] for each in found["programs"]}
    assert times["program.py:9"] == 3 and "program.py:11" in times  # an optimizer's later steps may be direct
    assert "program.py:9, computed 3 times" in [each["title"] for each in found["report"]["programs"]]
    assert found["report"]["programs"][0]["places"][0]["file"] == str(tmp_path / "program.py")


_UNEVEN = """
import torch
x, small = torch.ones(512, 512), torch.zeros(4)
for _ in range(20):
    print((x @ x).sum().item())
    small = small * 0.9 + 0.1 - small.sin().cos().tan().exp() * 0.01
    print(small.sum().item())
"""


def test_the_programs_of_the_most_bytes_come_first(tmp_path: Path) -> None:
    found = json.loads(reported(tmp_path, _UNEVEN, "explain --json --programs 1").stdout)
    (explained,) = found["report"]["programs"]
    assert explained["title"].startswith("program.py:5") and found["programs"][0]["place"] == "program.py:5"
    assert found["programs"][0]["recorded nodes"] < found["programs"][1]["recorded nodes"]
    assert found["programs"][0]["bytes of values"] > 20 * 2 * 4 * 512**2 > 100 * found["programs"][1]["bytes of values"]


def test_an_error_is_shown_and_the_report_too(tmp_path: Path) -> None:
    run = reported(tmp_path, _TRAINING, "explain --programs 1", "fail")
    assert run.returncode == 1
    assert "['fail'] True\nprogram " in run.stdout and "recorded nodes" in run.stdout
    assert run.stderr.startswith('Traceback (most recent call last):\n  File "')
    assert run.stderr.splitlines()[1].endswith('program.py", line 14, in <module>')
    assert run.stderr.endswith("ValueError: own error\n")


def test_compare(tmp_path: Path) -> None:
    run = reported(tmp_path, _TRAINING, "compare --json --programs 1 --repeats 1 --backends numpy,numpy")
    assert run.returncode == 0, run.stderr
    (program,) = json.loads(run.stdout)["programs"]
    assert program["place"] == "program.py:9" and program["rows"][-1]["group"] == "total"
    assert "max |Δ| 0 (0 ulp)" in program["verdicts"]


def test_profile(tmp_path: Path) -> None:
    run = reported(tmp_path, _TRAINING, "profile --json --trace trace.json --save out/profile.html")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert sum(found["activities"].values()) == pytest.approx(1000 * found["seconds"])
    assert {(Path(each["file"]).name, each["line"]) for each in found["lines"]} >= {("program.py", 9)}
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert "program.py:9" in (tmp_path / "out" / "profile.html").read_text(encoding="utf-8")


def test_where_there_is_nothing_to_report(tmp_path: Path) -> None:
    run = reported(tmp_path, "print('nothing')", "explain")
    assert (run.returncode, run.stdout) == (3, "nothing\n")
    assert "computed nothing" in run.stderr


def test_check(tmp_path: Path) -> None:
    run = reported(tmp_path, _TRAINING, "check --json --programs 1 --backends numpy", "leave")
    assert run.returncode == 7, run.stderr
    (program,) = json.loads(run.stdout)["programs"]
    assert program["place"] == "program.py:9" and program["ok"] and program["operations"] >= 10
    assert program["diverges"] == [] and program["script"] is None
    wrong = _WRONG + _TRAINING
    run = reported(tmp_path, wrong, "check --programs 1 --backends numpy --repro out/small.py")
    assert run.returncode == 5, run.stderr
    assert "DIVERGES: " in run.stdout and "a program that shows it: " in run.stdout
    assert (tmp_path / "out" / "small.py").is_file()


_WRONG = """
from lazygrad.targets.numpy import ops
ops.UFUNCS  # a kernel's source with another word in it
from lazygrad.targets.numpy.target import NumpyTarget
from dataclasses import replace
rendered = NumpyTarget.render
NumpyTarget.render = lambda self, program: (
    lambda source: replace(source, text=source.text.replace("np.multiply(", "np.add("))
)(rendered(self, program))
"""
