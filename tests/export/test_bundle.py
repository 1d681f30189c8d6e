"""One file out of several: what is copied, what it is called there, and that it runs alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lazygrad.export.bundle import bundled
from lazygrad.host.calls import calls

_MAIN = '''"""The main one."""

from __future__ import annotations

from math import tau

from lazygrad.one import helper, total as other
from lazygrad.two import shown

LIMIT = 3


def main(size: int = 2) -> list:
    return [f"{size} {LIMIT}", helper(size=size), other, shown(tau)]
'''
_ONE = '''"""Has a name that the main module has too."""

from math import floor

from lazygrad.two import scale

LIMIT = 10  # ours
total = scale * LIMIT


def helper(size: int) -> int:
    """Reads LIMIT."""
    return size * LIMIT + floor(scale)


def unused() -> int:
    return helper(2)
'''
_TWO = '''"""Is read by both."""

# How much.
scale = 2

TABLE = {}
TABLE["late"] = scale
print("imported")


class Never: ...


def shown(x):
    TABLE["x"] = int(x)
    return TABLE
'''
_SOURCES = {"lazygrad.main": _MAIN, "lazygrad.one": _ONE, "lazygrad.two": _TWO}


def test_what_is_reached_is_copied_under_names_of_its_own() -> None:
    text = bundled("lazygrad.main", _SOURCES)
    assert text.startswith('"""The main one."""\n\nfrom __future__ import annotations\n\nfrom math import floor, tau\n')
    assert "LIMIT_2 = 10  # ours\n\ntotal = scale * LIMIT_2\n" in text and "LIMIT = 3\n" in text
    assert "# How much.\nscale = 2\n" in text
    assert "unused" not in text and "Never" not in text and "lazygrad.one import" not in text


def test_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(bundled("lazygrad.main", _SOURCES), names)
    assert capsys.readouterr().out == "imported\n"
    assert names["main"]() == ["2 3", 22, 20, {"late": 2, "x": 6}]  # type: ignore[operator]


def test_a_name_that_cannot_be_changed_is_an_error() -> None:
    sources = _SOURCES | {"lazygrad.one": _ONE.replace("size * LIMIT", "f'{LIMIT}'")}
    with pytest.raises(ValueError, match=r"lazygrad\.one: LIMIT needs another name, but stands in an f-string"):
        bundled("lazygrad.main", sources)
    sources = _SOURCES | {"lazygrad.main": _MAIN.replace("size: int", "total: int")}
    with pytest.raises(ValueError, match=r"other would be called total, which means something else there"):
        bundled("lazygrad.main", sources)


def test_all_library_calls_fit_into_a_file_that_imports_numpy_alone(tmp_path: Path) -> None:
    listed = ", ".join(calls)
    source = (
        f"from lazygrad.host.calls import {listed}\nfrom lazygrad.host import numpy_support\n\nCALLS = [{listed}]\n"
    )
    with pytest.raises(ValueError, match=r"lazygrad\.host\.numpy_support cannot be copied"):
        bundled("lazygrad.main", {"lazygrad.main": source + "numpy_support.scratch()\n"})
    forks = {"lazygrad.host.forks": "from lazygrad.export.standalone import unlocked_in_child\n"}
    (tmp_path / "everything.py").write_text(bundled("lazygrad.main", {"lazygrad.main": source, **forks}))
    program = (
        "import sys, everything as e; print(len(e.CALLS), *{m.split('.')[0] for m in sys.modules} & set(sys.argv))"
    )
    packages = ["lazygrad", "scipy", "ml_dtypes", "threadpoolctl"]
    run = subprocess.run([sys.executable, "-c", program, *packages], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout == f"{len(calls)}\n", run.stderr


def test_a_new_name_is_not_that_of_a_local_variable() -> None:
    first = "def linear(x):\n    return x\n"
    second = (
        "def linear(x):\n    return 2 * x\ndef run(linear_2):\n    linear_3 = linear(linear_2)\n    return linear_3\n"
    )
    main = "from lazygrad.one import linear as one\nfrom lazygrad.two import run\nmain = lambda x: (one(x), run(x))\n"
    names: dict[str, object] = {}
    exec(bundled("lazygrad.main", {"lazygrad.main": main, "lazygrad.one": first, "lazygrad.two": second}), names)
    assert names["main"](3) == (3, 6)  # type: ignore[operator]
