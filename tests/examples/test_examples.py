"""In its short form each example reaches what its docstring says; with the import swapped it has PyTorch's losses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lazygrad

from .running import SWAPPABLE, load

pytest.importorskip("sklearn", reason="scikit-learn has the digits of some examples, and is not installed")

_STATED = re.compile(r"^    python examples/(\w+)\.py( --short)? +# ends with: (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

# Relative, of each step's loss.
_USUAL = 1e-5
_TOLERANCES = {"resume": 1e-2}  # it computes in bfloat16, whose numbers lie 0.4 to 0.8% apart
# In float32 these drift from PyTorch's losses by 6e-3 in 240 and 3e-4 in 30 steps, because each step's rounding decides
# what the next ones see; so they are compared in float64.
_IN_FLOAT64 = ("gan", "unet")


@pytest.fixture(autouse=True)
def default_dtypes(torch: Any) -> Any:
    yield
    for framework in (lazygrad, torch):
        framework.set_default_dtype(framework.float32)


@pytest.mark.parametrize("name", SWAPPABLE)
def test_example(name: str, torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    example = load(name)
    stated = {bool(short): text for of, short, text in _STATED.findall(str(example.__doc__)) if of == name}
    losses = example.main(["--short"])
    last_line = capsys.readouterr().out.splitlines()[-1]
    assert stated.keys() == {False, True}
    assert _NUMBER.sub("", last_line) == _NUMBER.sub("", stated[True]) == _NUMBER.sub("", stated[False])
    assert numbers(last_line) == pytest.approx(numbers(stated[True]), rel=0.1)

    if name in _IN_FLOAT64:
        lazygrad.set_default_dtype(lazygrad.float64)
        torch.set_default_dtype(torch.float64)
        losses = example.main(["--short"])
    expected = load(name, "torch").main(["--short"])
    tolerance = 1e-10 if name in _IN_FLOAT64 else _TOLERANCES.get(name, _USUAL)
    np.testing.assert_allclose(losses, expected, rtol=tolerance, atol=tolerance / 10)


def numbers(line: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(line)]


def test_char_gpt(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The losses it prints in three steps; its text is drawn by Python's own generator."""
    printed = []
    for framework in ("lazygrad", "torch"):
        example = load("char_gpt", framework)
        example.lg.manual_seed(0)
        model = example.GPT(80)
        example.train(model, example.lg.arange(2000) % 80, 3)
        printed.append([line for line in capsys.readouterr().out.splitlines() if line.startswith("step")])
    assert len(printed[0]) == 3 and printed[0] == printed[1]
