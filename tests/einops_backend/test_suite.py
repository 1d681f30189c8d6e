"""einops' own tests, which are in its package, with lazygrad in torch's place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("einops", reason="einops is not installed")

_ROOT = Path(__file__).parents[2]
# With C each pattern is another call of the compiler: a sample of the tests.
_SAMPLE = [] if os.environ["LAZYGRAD_BACKEND"] == "numpy" else ["-k", "test_einsum or packing or torch_layer"]
_THREADS = """
import lazygrad as lg, einops
from concurrent.futures import ThreadPoolExecutor
def turned(size):
    return einops.rearrange(lg.ones(size, 3, 2), "... i j -> ... j i").shape
with ThreadPoolExecutor(max_workers=2) as pool:
    assert list(pool.map(turned, range(1, 21))) == [(size, 2, 3) for size in range(1, 21)]
"""


def test_einops_own_tests_pass(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "--pyargs", "einops.tests", "-p", "tests.einops_backend.plugin"]
    command += ["--quiet", "--tb=short", "-p", "no:cacheprovider", *_SAMPLE]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")])}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]
    passed = re.search(r"(\d+) passed", result.stdout)
    assert passed is not None and int(passed[1]) >= (55 if not _SAMPLE else 5), result.stdout[-1000:]


def test_threads_find_the_backend() -> None:
    result = subprocess.run([sys.executable, "-c", _THREADS], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


def test_a_compiled_function_may_use_einops() -> None:
    """Its calls are recorded each time: `known.py` says why they are not replayed."""
    import einops

    import lazygrad as lg

    def pooled(x: lg.Tensor) -> lg.Tensor:
        return einops.reduce(einops.rearrange(x, "(a b) c -> b a c", a=2), "b a c -> b c", "max") * 2

    compiled = lg.compile(pooled)
    for size in (4, 6, 4, 4):
        x = lg.rand(size, 3)
        assert compiled(x).tolist() == pooled(x).tolist()
