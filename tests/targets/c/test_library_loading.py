"""The ready-made library: many files become one object, whose functions plans find by name."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest

from lazygrad.targets.c import build as c_build
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c import team
from lazygrad.targets.c.build import BuildError, build
from tests.runtime.toolchains import fresh_process, logging_compiler, needs_compiler

pytestmark = needs_compiler


@pytest.fixture(autouse=True)
def small_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A library of three files instead of the real one, and what every library needs from the real one."""
    team.load()
    folder = tmp_path / "templates" / "library"
    folder.mkdir(parents=True)
    (folder / "shared.h").write_text("int lg_test_one(void);")
    for name, value in (("one", "1"), ("two", "lg_test_one() + 1"), ("three", "lg_test_one() + 2")):
        (folder / f"{name}.c").write_text(f'#include "shared.h"\nint lg_test_{name}(void) {{ return {value}; }}')
    with fresh_process(monkeypatch, tmp_path / "cache"):
        for module in (c_build, c_library):
            monkeypatch.setattr(module, "include_folder", lambda: tmp_path / "templates")
        monkeypatch.setattr(c_build, "_included", c_build._included.__wrapped__)
        yield folder


def again(monkeypatch: pytest.MonkeyPatch) -> c_library.Library:
    """Load the library as another process would."""
    monkeypatch.setattr(c_library, "_state", c_library._State())
    return c_library.load()


def test_it_is_built_once_and_its_functions_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not c_library.is_loaded()
    library = c_library.load()
    assert c_library.is_loaded() and library.seconds > 0 and c_library.load() is library
    plan = build("int lg_test_three(void); int run(void) { return lg_test_three(); }", "plan")
    assert ctypes.CDLL(str(plan)).run() == 3
    later = again(monkeypatch)
    assert later.path == library.path and later.seconds == 0


def test_it_contracts_and_plans_do_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("CC", str(logging_compiler(tmp_path / "cc", log)))
    c_library.load()
    compiled = [line.split() for line in log.read_text().splitlines() if " -c " in line]
    assert len(compiled) == 3
    for arguments in compiled:
        assert "-shared" not in arguments
        assert [each for each in arguments if each.startswith("-ffp-contract")][-1] == "-ffp-contract=fast"


def test_a_changed_file_makes_another_object(monkeypatch: pytest.MonkeyPatch, small_library: Path) -> None:
    before = c_library.load()
    (small_library / "one.c").write_text("int lg_test_one(void) { return 10; }")
    assert again(monkeypatch).path != before.path


def test_a_file_that_does_not_compile(small_library: Path) -> None:
    (small_library / "two.c").write_text("int lg_test_two(void) { return undeclared; }")
    for _ in range(2):
        with pytest.raises(BuildError, match=r"error: .*undeclared"):
            c_library.load()
    assert not c_library.is_loaded()


def test_a_function_that_is_missing(small_library: Path) -> None:
    (small_library / "two.c").write_text("int lg_test_four(void); int lg_test_two(void) { return lg_test_four(); }")
    with pytest.raises(BuildError, match=r"cannot be loaded .*undefined symbol: lg_test_four"):
        c_library.load()
