"""README shows what is printed: what the example and ``make demo`` say, but for what depends on the machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# How long it took, and the accuracy: the compiler and the processor round sums in orders of their own.
_OF_THE_MACHINE = (
    (re.compile(r"after \d+\.\d s of training"), "after … s of training"),
    (re.compile(r"test accuracy 9[89]\.\d\d%"), "test accuracy 9….…%"),
    # Plans are made in the background: when they arrive depends on the machine.
    (re.compile(r"\d+ hits, \d+ misses"), "… hits, … misses"),
)


def blocks_after(heading: str) -> list[str]:
    """The fenced blocks of README's section."""
    section = (_ROOT / "README.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return _BLOCK.findall(section)


def printed_by(arguments: list[str], folder: Path) -> str:
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def masked(text: str) -> str:
    for pattern, instead in _OF_THE_MACHINE:
        text, count = pattern.subn(instead, text)
        assert count == 1, f"{pattern.pattern!r} is not in\n{text}"
    return text


def test_the_example_prints_what_readme_shows(tmp_path: Path) -> None:
    program, graph, source = blocks_after("One example")
    (tmp_path / "example.py").write_text(program)
    printed = printed_by(["example.py"], tmp_path)
    assert printed.startswith(graph), f"README shows another graph than\n{printed}"
    assert printed.removeprefix(graph).lstrip("\n").startswith(source), f"README shows another source than\n{printed}"


def test_the_demo_prints_what_readme_shows(tmp_path: Path) -> None:
    """All lines of ``make demo``; its files are those that it names."""
    pytest.importorskip("sklearn", reason="scikit-learn has the digits, and is not installed")
    shown = blocks_after("Try it")[1]
    printed = printed_by([str(_ROOT / "examples" / "digits_cnn.py")], tmp_path)
    assert masked(printed) == masked(shown)
    files = re.search(r"all forms: (.*) in (\S+)/", printed)
    assert files is not None
    assert sorted(path.name for path in (tmp_path / files[2]).iterdir()) == sorted(files[1].split(", "))


def test_the_demo_is_what_make_demo_runs() -> None:
    recipe = (_ROOT / "Makefile").read_text().partition("demo: ")[2].partition("\n\n")[0]
    assert recipe.splitlines()[1].split() == ["$(python)", "examples/digits_cnn.py"]
