"""The ready-made library: a file is compiled when a plan first needs a function of it, or of what that uses."""

from __future__ import annotations

import ctypes
import dataclasses
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

import pytest

from lazygrad.codegen.templates import template_folder
from lazygrad.ir.dtype import float32, float64
from lazygrad.targets.c import build as c_build
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c import process, team
from lazygrad.targets.c.build import BuildError, build, working_toolchain
from lazygrad.targets.c.library_files import LibraryFiles, library_files
from lazygrad.targets.c.library_functions import ATTRIBUTES, names_of
from tests.runtime.toolchains import compiler_script, fresh_process, logging_compiler, needs_compiler

pytestmark = needs_compiler

PLAN = "int lg_test_three(void); int run(void) { return lg_test_three(); }"
SHIPPED = library_files(template_folder() / "c" / "library")


@pytest.fixture
def small_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A library of three files instead of the real one, of which two use the first."""
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
        monkeypatch.setattr(c_library, "library_files", LibraryFiles)  # read anew each time
        yield folder


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small_library: Path) -> Path:
    """Where the commands of the compiler are written down."""
    path = tmp_path / "log"
    monkeypatch.setenv("CC", str(logging_compiler(tmp_path / "cc", path)))
    return path


def compiled(log: Path) -> list[list[str]]:
    """The commands that compiled a file of the small library, word by word."""
    return [line.split() for line in log.read_text().splitlines() if "templates/library/" in line]


def again(monkeypatch: pytest.MonkeyPatch, *names: str) -> tuple[str, ...]:
    """Load functions as another process would."""
    monkeypatch.setattr(c_library, "_state", c_library._State())
    return c_library.load(names)


def test_what_is_called_is_built_once_with_what_it_uses(monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    assert not c_library.is_loaded(["lg_test_three"])
    entries = c_library.load(["lg_test_three", "lg_of_others"])
    assert [entry.partition("-")[0] for entry in entries] == ["one", "three"]
    assert c_library.is_loaded(["lg_test_three"]) and not c_library.is_loaded(["lg_test_two"])
    assert c_library.function("lg_test_three")() == 3
    assert len(compiled(log)) == 2
    plan = build(PLAN, "plan")
    assert ctypes.CDLL(str(plan)).run() == 3
    assert again(monkeypatch, "lg_test_three") == entries and len(compiled(log)) == 2
    assert c_library.load(["lg_test_two"])[0] == entries[0] and len(compiled(log)) == 3


def test_an_earlier_process_can_have_built_it(monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    entries = c_library.load(["lg_test_two"])
    monkeypatch.setattr(c_library, "_state", c_library._State())
    assert c_library.load_built(entries) and c_library.is_loaded(["lg_test_two"])
    monkeypatch.setattr(c_library, "_state", c_library._State())
    assert not c_library.load_built([*entries, "three-0123"]) and not c_library.load_if_built(["lg_test_three"])
    monkeypatch.setattr(c_library, "_state", c_library._State())
    assert c_library.load_if_built(["lg_test_two"]) and len(compiled(log)) == 2


def test_all_of_it(log: Path) -> None:
    assert c_library.load_all() > 0
    assert c_library.is_loaded(["lg_test_one", "lg_test_two", "lg_test_three"]) and len(compiled(log)) == 3


def test_it_contracts_and_plans_do_not(log: Path) -> None:
    c_library.load(["lg_test_two"])
    assert compiled(log)
    for arguments in compiled(log):
        assert [each for each in arguments if each.startswith("-ffp-contract")][-1] == "-ffp-contract=fast"


def test_a_changed_file_makes_another_object(monkeypatch: pytest.MonkeyPatch, small_library: Path) -> None:
    before = c_library.load(["lg_test_two"])
    (small_library / "one.c").write_text("int lg_test_one(void) { return 10; }")
    after = again(monkeypatch, "lg_test_two")
    assert after[0] != before[0] and after[1] == before[1]


def test_a_file_that_does_not_compile(small_library: Path) -> None:
    (small_library / "two.c").write_text("int lg_test_two(void) { return undeclared; }")
    for _ in range(2):
        with pytest.raises(BuildError, match=r"error: .*undeclared"):
            c_library.load(["lg_test_two"])
    assert not c_library.is_loaded(["lg_test_two"])


def test_a_function_that_is_missing(small_library: Path) -> None:
    (small_library / "two.c").write_text("int lg_test_four(void);\nint lg_test_two(void) { return lg_test_four(); }")
    with pytest.raises(BuildError, match=r"cannot be loaded .*undefined symbol: lg_test_four"):
        c_library.load(["lg_test_two"])


# The real one.


def test_each_call_is_defined_once() -> None:
    names = [name for file in SHIPPED.all for name in SHIPPED.defined_in(file)]
    assert len(names) == len(set(names))
    assert {f"lg_{op.name}" for op in ATTRIBUTES} <= set(names)


def test_each_file_can_be_loaded_with_what_it_uses() -> None:
    """In a process of its own: here, others may have been loaded before."""
    c_library.load_all()
    program = (
        "import sys; from lazygrad.targets.c import library as c_library\n"
        "c_library.load(sys.argv[1:]); assert c_library.is_loaded(sys.argv[1:])"
    )
    for op in ATTRIBUTES:
        subprocess.run([sys.executable, "-c", program, f"lg_{op.name}"], check=True)


def test_a_product_takes_the_arithmetic_of_its_dtype_only() -> None:
    stems = {file.stem for file in SHIPPED.of(names_of("matmul", float32))}
    assert {"matmul", "gemm_f32", "vectors_f32"} <= stems
    assert not [stem for stem in stems if stem.endswith(("f64", "i32", "i64")) or stem.startswith("windows")]
    assert {"windows_f64", "gemm_f64"} <= {file.stem for file in SHIPPED.of(names_of("conv", float64))}


def test_threads_that_ask_at_once_get_the_same_files() -> None:
    """A program that computes asks for what is there, while a thread in the background compiles."""
    wanted, usual = [f"lg_{op.name}" for op in ATTRIBUTES], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            for _ in range(5):
                files = LibraryFiles(SHIPPED.all[0].parent)
                answers = list(threads.map(lambda _, files=files: files.of(wanted), range(4)))
                assert answers == [SHIPPED.of(wanted)] * 4
    finally:
        sys.setswitchinterval(usual)


def test_no_more_compilers_than_processors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, log: Path) -> None:
    """A plan's own compiler, which works beside those of the library, counts too."""
    monkeypatch.setattr(process, "free_processors", lambda: 2)
    script = f'echo begin >> {log}\nsleep 0.2\n"$REAL" "$@"\nstatus=$?\necho end >> {log}\nexit $status'
    toolchain = working_toolchain()
    slow = dataclasses.replace(toolchain, command=(str(compiler_script(tmp_path / "slow", script)),))
    for module in (c_build, c_library):
        monkeypatch.setattr(module, "working_toolchain", lambda: slow)
    log.write_text("")
    build(f"{PLAN} /* */", "plan", meanwhile=lambda: c_library.load(["lg_test_two", "lg_test_three"]))
    at_work = list(accumulate(1 if line == "begin" else -1 for line in log.read_text().split()))
    assert len(at_work) == 8 and max(at_work) == 2


def test_a_program_that_ends_early_leaves_what_is_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, log: Path
) -> None:
    """Scripts of a few seconds would else begin anew each time, and never run compiled."""
    monkeypatch.setattr(process, "free_processors", lambda: 1)
    kept = f'ls {tmp_path}/cache | grep -c "^one-.*so$" >> {tmp_path}/kept'
    unlucky = compiler_script(tmp_path / "unlucky", f'case "$@" in *three.c*) {kept}; exit 9;; esac\nexec "$REAL" "$@"')
    broken = dataclasses.replace(working_toolchain(), command=(str(unlucky),))
    monkeypatch.setattr(c_library, "working_toolchain", lambda: broken)
    with pytest.raises(BuildError, match="exit status 9"):
        c_library.load(["lg_test_three"])
    assert (tmp_path / "kept").read_text().split() == ["1"]
    monkeypatch.setattr(c_library, "_state", c_library._State())
    assert c_library.load_if_built(["lg_test_one"]) and not c_library.is_loaded(["lg_test_three"])


@pytest.mark.parametrize("is_done", [False, True])
def test_a_plan_without_its_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small_library: Path, is_done: bool
) -> None:
    """It is not waited for, and kept if it is compiled."""
    (small_library / "two.c").write_text("int lg_test_two(void) { return undeclared; }")
    usual, endless = working_toolchain(), compiler_script(tmp_path / "endless", "sleep 100")
    tools = usual if is_done else dataclasses.replace(usual, command=(str(endless),))
    monkeypatch.setattr(c_build, "working_toolchain", lambda: tools)

    def load() -> None:
        while is_done and any(compiler.is_at_work() for compiler in process._running):
            time.sleep(0.01)
        c_library.load(["lg_test_two"])

    with pytest.raises(BuildError, match=r"error: .*undeclared"):
        build(PLAN, "plan", meanwhile=load)
    objects = list((tmp_path / "cache").glob("plan-*.so"))
    assert len(objects) == is_done and not process._running
