"""README shows what is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_example_prints_what_readme_shows(tmp_path: Path) -> None:
    section = (_ROOT / "README.md").read_text().partition("## One example")[2].partition("\n## ")[0]
    program, graph, source = _BLOCK.findall(section)
    (tmp_path / "example.py").write_text(program)
    run = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, env={"PYTHONPATH": str(_ROOT)}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    printed = run.stdout
    assert printed.startswith(graph), f"README shows another graph than\n{printed}"
    assert printed.removeprefix(graph).lstrip("\n").startswith(source), f"README shows another source than\n{printed}"
