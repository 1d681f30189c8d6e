"""Programs as users write them, checked by mypy: what is right passes as it is, what is wrong is refused where it is.

A line of a program that a checker must refuse ends in ``# error:`` and mypy's codes; `assert_type` holds the checker to
the exact type of what is right. Installed packages are checked without a look into their functions, and so is this one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="mypy comes with the extra 'dev'")

_REPOSITORY = Path(__file__).parents[2]
_PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
_EXAMPLES = sorted((_REPOSITORY / "examples").glob("*.py"))
_FOUND = re.compile(r"(?P<path>[^:]+):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]")
_WANTED = re.compile(r"# error: (.*)")

Errors = dict[tuple[str, int], list[str]]


def _found(directory: Path) -> Errors:
    """What mypy says of all programs, by file and line. It runs in ``directory``, and finds the package as users do."""
    # A call of a module gives Any, as PyTorch's does.
    options = ["--config-file=", "--strict", "--no-warn-return-any", "--no-pretty"]
    options += ["--follow-imports=silent", "--ignore-missing-imports"]
    paths = [str(shutil.copy(path, directory)) for path in _PROGRAMS + _EXAMPLES]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *paths],
        env=os.environ | {"MYPYPATH": str(_REPOSITORY), "MYPY_CACHE_DIR": str(directory / "cache")},
        cwd=directory,
        capture_output=True,
        text=True,
    )
    assert not result.stderr, result.stderr
    errors: Errors = defaultdict(list)
    for line in result.stdout.splitlines():
        match = _FOUND.fullmatch(line)
        if match:
            errors[Path(match["path"]).name, int(match["line"])].append(match["code"])
        else:
            assert ": note: " in line or line.startswith(("Found ", "Success")), line
    return errors


def test_mypy_finds_exactly_what_is_wrong(tmp_path: Path) -> None:
    """One test for all programs: each process of a parallel run that had some of them would start mypy."""
    wanted = {path.stem: _wanted(path) for path in _PROGRAMS + _EXAMPLES}
    assert [name for name, errors in wanted.items() if errors] == ["wrong_calls"]
    assert {place: sorted(codes) for place, codes in _found(tmp_path).items()} == wanted["wrong_calls"]


def test_pyright_finds_what_is_wrong(tmp_path: Path) -> None:
    """By basedpyright, which brings what runs it; pyright's package downloads that at its first call."""
    pytest.importorskip("basedpyright", reason="basedpyright comes with the extra 'dev'")
    for path in _PROGRAMS:
        shutil.copy(path, tmp_path)
    settings = {"include": ["*.py"], "extraPaths": [str(_REPOSITORY)], "pythonVersion": "3.11"}
    settings["typeCheckingMode"] = "standard"  # pyright's own rules
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    result = subprocess.run([*command, "--project", str(tmp_path)], capture_output=True, text=True)
    errors = [part for part in json.loads(result.stdout)["generalDiagnostics"] if part["severity"] == "error"]
    places = {(Path(part["file"]).name, part["range"]["start"]["line"] + 1) for part in errors}
    assert places == {place for path in _PROGRAMS for place in _wanted(path)}


def _wanted(path: Path) -> Errors:
    """The lines of a program that must be refused, and mypy's codes for them."""
    return {
        (path.name, number): sorted(match[1].split(", "))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (match := _WANTED.search(line))
    }
