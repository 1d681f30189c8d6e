"""Finding a compiler and what it accepts; compilers that are missing, broken, slow or limited."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lazygrad.targets.c import toolchain as c_toolchain
from lazygrad.targets.c.toolchain import NOT_FOUND, search, target, toolchain
from tests.runtime.toolchains import compiler_script, forget, fresh_process, logging_compiler, needs_compiler


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    with fresh_process(monkeypatch, tmp_path / "cache"):
        yield


def the_failure(monkeypatch: pytest.MonkeyPatch, compiler: Path | str) -> str:
    monkeypatch.setenv("CC", str(compiler))
    found = search()
    assert found.toolchain is None
    (reason,) = found.failures.values()
    return reason


@needs_compiler
def test_the_machines_compiler_works() -> None:
    found = toolchain()
    assert found is not None and Path(found.path).is_absolute()
    assert {"-fwrapv", "-ffp-contract=off", "-shared"} <= set(found.flags)
    assert not set(found.flags) & set(found.refused)
    assert found.version and found.target == target()


@needs_compiler
def test_a_later_process_does_not_run_the_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("CC", str(logging_compiler(tmp_path / "cc", log)))
    first = toolchain()
    log.write_text("")
    forget()
    assert toolchain() == first
    assert log.read_text() == ""


@needs_compiler
def test_an_upgraded_compiler_is_examined_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = compiler_script(tmp_path / "cc", 'exec "$REAL" "$@"')
    monkeypatch.setenv("CC", str(compiler))
    assert toolchain()
    compiler_script(compiler, '[ "$1" = --version ] && echo upgraded && exit; exec "$REAL" "$@"')
    forget()
    found = toolchain()
    assert found is not None and found.version == "upgraded"


@needs_compiler
def test_a_damaged_record_is_written_anew(tmp_path: Path) -> None:
    first = toolchain()
    (record,) = (tmp_path / "cache").glob("toolchain-*.json")
    for damage in ("", "{}", '{"command": 3, "flags": 1}'):
        record.write_text(damage)
        forget()
        assert toolchain() == first


@needs_compiler
def test_another_machine_does_not_use_this_ones_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert toolchain()
    monkeypatch.setattr(c_toolchain, "target", lambda: "another")
    forget()
    found = toolchain()
    assert found is not None and found.target == "another"
    assert len(list((tmp_path / "cache").glob("toolchain-*.json"))) == 2


def test_the_target_follows_the_instruction_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    here = target.__wrapped__()
    assert here == target.__wrapped__()
    monkeypatch.setattr(c_toolchain, "processor", lambda: {"flags": "sse2"})
    assert target.__wrapped__() != here


@needs_compiler
def test_arguments_in_cc_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = logging_compiler(tmp_path / "cc", tmp_path / "log")
    monkeypatch.setenv("CC", f"'{compiler}' -DEXTRA=1")
    found = toolchain()
    assert found is not None and found.command == (str(compiler), "-DEXTRA=1")
    assert all(line.startswith("-DEXTRA=1 ") for line in (tmp_path / "log").read_text().splitlines())


@needs_compiler
@pytest.mark.parametrize("flag", ["-fopenmp-simd", "-march=native", "-fno-semantic-interposition"])
def test_a_refused_flag_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flag: str) -> None:
    refusing = f'case " $* " in *" {flag} "*) echo "error: unknown option {flag}"; exit 1;; esac; exec "$REAL" "$@"'
    monkeypatch.setenv("CC", str(compiler_script(tmp_path / "cc", refusing)))
    found = toolchain()
    assert found is not None
    assert found.refused == (flag,) and flag not in found.flags
    assert "-O3" in found.flags


@needs_compiler
def test_the_next_best_optimization_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refusing = 'case " $* " in *" -O3 "*) exit 1;; esac; exec "$REAL" "$@"'
    monkeypatch.setenv("CC", str(compiler_script(tmp_path / "cc", refusing)))
    found = toolchain()
    assert found is not None and "-O2" in found.flags and found.refused == ("-O3",)


@needs_compiler
def test_a_compiler_without_a_flag_that_results_depend_on_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refusing = 'case " $* " in *" -fwrapv "*) echo "error: no -fwrapv"; exit 1;; esac; exec "$REAL" "$@"'
    assert "no -fwrapv" in the_failure(monkeypatch, compiler_script(tmp_path / "cc", refusing))


def test_cc_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    assert the_failure(monkeypatch, "/nowhere/cc") == NOT_FOUND


def test_cc_that_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cannot be read as a command" in the_failure(monkeypatch, "gcc 'unclosed")


def test_no_compiler_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert search().failures == {"cc": NOT_FOUND, "gcc": NOT_FOUND, "clang": NOT_FOUND}


@needs_compiler
def test_a_broken_compiler_on_the_path_makes_way_for_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler_script(tmp_path / "cc", "exit 1")
    compiler_script(tmp_path / "gcc", 'exec "$REAL" "$@"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = search()
    assert found.toolchain is not None and found.toolchain.path == str(tmp_path / "gcc")
    assert "exit status 1" in found.failures["cc"]


def test_a_compiler_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reason = the_failure(monkeypatch, compiler_script(tmp_path / "cc", "echo fatal error: broken >&2; exit 1"))
    assert "exit status 1: fatal error: broken" in reason


def test_a_compiler_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    compiler.write_bytes(b"\0garbage")
    compiler.chmod(0o755)
    assert "cannot be run" in the_failure(monkeypatch, compiler)


def test_a_compiler_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(c_toolchain, "_PROBE_SECONDS", 0.3)
    start = time.monotonic()
    reason = the_failure(monkeypatch, compiler_script(tmp_path / "cc", "sleep 100"))
    assert "did not end within" in reason and time.monotonic() - start < 20


def test_a_compiler_that_hangs_when_it_compiles_is_waited_for_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(c_toolchain, "_PROBE_SECONDS", 0.5)
    body = f'[ "$1" = --version ] && echo 1 && exit; echo >> {tmp_path / "log"}; sleep 100'
    assert "did not end within" in the_failure(monkeypatch, compiler_script(tmp_path / "cc", body))
    assert (tmp_path / "log").read_text() == "\n"


@pytest.mark.parametrize("made", ['echo garbage > "$output"', ': > "$output"', "true"])
def test_a_compiler_that_makes_garbage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: str) -> None:
    body = f'[ "$1" = --version ] && echo 1 && exit; {made}'
    assert "cannot be loaded" in the_failure(monkeypatch, compiler_script(tmp_path / "cc", body))


@needs_compiler
def test_a_compiler_that_miscompiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = '[ "$1" = --version ] && exec "$REAL" "$1"; exec "$REAL" -Dsqrtf=fabsf "$@"'
    assert "computes 16.0 instead of 4" in the_failure(monkeypatch, compiler_script(tmp_path / "cc", body))


def test_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    the_failure(monkeypatch, compiler_script(tmp_path / "cc", "exit 1"))
    assert list((tmp_path / "cache").iterdir()) == []
