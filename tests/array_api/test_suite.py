"""The array API standard's own test suite, where its checkout is, and the exceptions that lazygrad takes from it.

The suite is on no package index. ``ARRAY_API_TESTS_DIRECTORY`` names a checkout (CONTRIBUTING.md says how to get one);
where there is none, `test_against_strict.py` compares the same functions with the reference implementation.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

_EXCEPTIONS = Path(__file__).with_name("exceptions.txt")
_ROOT = Path(__file__).parents[2]


def test_every_exception_has_a_reason() -> None:
    paragraphs = [list(lines) for filled, lines in groupby(_EXCEPTIONS.read_text().splitlines(), bool) if filled]
    exceptions = [line for lines in paragraphs[1:] for line in lines if not line.startswith("#")]
    assert all(lines[0].startswith("# ") and not lines[-1].startswith("#") for lines in paragraphs[1:])
    assert len(exceptions) == len(set(exceptions)) == 41
    assert all(line.startswith("array_api_tests/test_") for line in exceptions)


def test_the_suite_passes_but_for_the_exceptions(tmp_path: Path) -> None:
    directory = os.environ.get("ARRAY_API_TESTS_DIRECTORY")
    if not directory:
        pytest.skip("ARRAY_API_TESTS_DIRECTORY names no checkout of github.com/data-apis/array-api-tests")
    examples = "4" if os.environ["LAZYGRAD_BACKEND"] == "numpy" else "1"
    command = [sys.executable, "-m", "pytest", "array_api_tests", "--quiet", "--tb=short", "--disable-deadline"]
    command += ["--max-examples", examples, "--xfails-file", str(_EXCEPTIONS), "-p", "no:cacheprovider"]
    paths = os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"ARRAY_API_TESTS_MODULE": "lazygrad.array_api", "PYTHONPATH": paths}
    result = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout[-20000:] + result.stderr[-2000:]
