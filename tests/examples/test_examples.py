"""Each example reaches, in its short form, what its docstring says, and has PyTorch's losses when the import is swapped."""

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
_USUAL = 1e-4
_TOLERANCES: dict[str, float] = {}
# In float32 rounding grows from step to step in these, by feedback; in float64 they are PyTorch's as well.
_IN_FLOAT64: tuple[str, ...] = ("gan", "unet")


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
    tolerance = _TOLERANCES.get(name, _USUAL)
    np.testing.assert_allclose(losses, expected, rtol=tolerance, atol=tolerance / 10)


def numbers(line: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(line)]
