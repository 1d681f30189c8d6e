"""The doctor: what it says where all is well, and where something is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lazygrad.command_line.main import main
from lazygrad.inspect.environment import doctor
from lazygrad.inspect.environment.doctor import diagnose, in_words, is_well
from lazygrad.targets.c import library as c_library
from lazygrad.targets.c.process import BuildError
from tests.runtime.toolchains import compiler_script, fresh_process, needs_compiler


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """An empty cache, and a library that is there at once: the real one is tested elsewhere, and takes a while."""

    with fresh_process(monkeypatch, tmp_path / "cache"):
        monkeypatch.setattr(c_library, "load_all", lambda: 1.5)
        monkeypatch.setattr(doctor, "smoke_test", lambda backend: None)
        yield


@needs_compiler
def test_where_all_is_well(tmp_path: Path) -> None:
    report = diagnose()
    assert is_well(report)
    assert report["backend"]["used"] == "c" and report["tests"] == {"numpy": "works", "c": "works"}
    assert report["library"]["state"] == "loaded, built in 1.5 s"
    assert report["cache"]["folder"] == str(tmp_path / "cache") and report["cache"]["usable"] is True
    assert "warnings" not in report


@needs_compiler
def test_the_report_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert text.endswith("lazygrad works here, on c.\n")
    assert "-fwrapv" in text and "\nbackend\n" in text


def test_the_report_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["numpy"]["version"] and isinstance(report["processor"]["instruction sets"], list)


def test_a_broken_compiler_leaves_numpy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", str(compiler_script(tmp_path / "broken", "echo fatal error: no licence; exit 3")))
    report = diagnose()
    assert is_well(report) and report["backend"]["used"] == "numpy"
    assert "exit status 3: fatal error: no licence" in report["compiler"][str(tmp_path / "broken")]
    assert "everything runs on numpy" in report["warnings"]["1"]
    assert report["tests"] == {"numpy": "works"}


def test_c_without_a_compiler_is_not_well(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setenv("LAZYGRAD_BACKEND", "c")
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "install gcc" in text and text.endswith("lazygrad does not work here.\n")


@needs_compiler
def test_a_backend_that_computes_nonsense_is_not_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_on_c(backend: str) -> None:
        if backend == "c":
            raise ArithmeticError("softmax is wrong by 1")

    monkeypatch.setattr(doctor, "smoke_test", wrong_on_c)
    report = diagnose()
    assert report["tests"] == {"numpy": "works", "c": "fails: ArithmeticError: softmax is wrong by 1"}
    assert not is_well(report)


@needs_compiler
def test_a_library_that_does_not_compile_is_shown_with_the_compilers_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise BuildError("cc failed", "gemm.c:1: error: first line\nsecond line")

    monkeypatch.setattr(c_library, "load_all", fails)
    report = diagnose()
    assert report["library"]["state"] == "not built: cc failed"
    assert "gemm.c:1: error: first line\n" + " " * 19 + "second line" in in_words(report)


def test_a_folder_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("LAZYGRAD_CACHE_DIR", str(tmp_path / "file"))
    cache = diagnose()["cache"]
    assert cache["folder"] == str(tmp_path / "file") and cache["usable"] == "File exists"
    assert cache["used"] != cache["folder"]


def test_numpy_passes_the_smoke_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    doctor.smoke_test("numpy")


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    with pytest.raises(ArithmeticError, match=r"total is wrong by 0.5"):
        doctor._compare({"total": np.array(1.5)}, {"total": np.array(1.0)})
    with pytest.raises(ArithmeticError, match="total is wrong by nan"):
        doctor._compare({"total": np.array(np.nan)}, {"total": np.array(1.0)})
