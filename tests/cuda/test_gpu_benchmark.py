"""The benchmark of a GPU, rehearsed with small sizes on the CPU: what it writes, and that its programs agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.benchmarks import gpu
from tests.benchmarks.gpu_cases import CASES, GpuCase

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_programs_compute_what_torch_does(case: GpuCase) -> None:
    found: list[np.ndarray] = []
    for t in (torch, lg):
        function, arguments = case.make(t, "cpu", True)
        found.append(gpu._values(function(*arguments)))
    assert np.abs(found[0] - found[1]).max() <= case.tolerance * np.abs(found[0]).max()


def test_a_row_says_times_ratio_and_limit() -> None:
    case = CASES[1]

    def timed(name: str, *milliseconds: float) -> Any:
        return gpu.Contender(name, lambda: None, seconds=[each / 1e3 for each in milliseconds])

    broken = gpu.Contender("torch.compile, default", lambda: None, problem="no | triton")
    made = [timed("torch", 4, 5, 6), broken, timed("lazygrad", 2, 2.5, 3), timed("lazygrad.compile", 2.5, 2.5, 2.5)]
    line = gpu.row(case, made, "NVIDIA H200")
    assert line.startswith(f"| {case.title} | 5 ms (4.5 to 5.5) | no / triton | 2.5 ms")
    assert line.endswith("| 2.00 | ≥ 1.0 ✓ | 5% |"), line
    written = gpu.page([line], [], "Device: none")
    head = next(each for each in written.splitlines() if each.startswith("| work | torch | torch.compile |"))
    assert head.count("|") == 11


def test_there_is_nothing_to_measure_without_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    if lg.cuda.is_available():
        pytest.skip("there is a GPU")
    assert gpu.main([]) == 1 and "Found no NVIDIA driver" in capsys.readouterr().err
