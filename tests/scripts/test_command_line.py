"""``python -m lazygrad``: what the commands print, as text and as JSON, and the statuses they exit with."""

from __future__ import annotations

import json
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from lazygrad.command_line.main import COMMANDS, main
from lazygrad.host.disk_cache import write_entry
from lazygrad.inspect.environment.advice import advice
from lazygrad.ir.op import registry

ROOT = Path(__file__).parents[2]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main(arguments) == status
    return capsys.readouterr().out


def parsed(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> Any:
    return json.loads(printed(capsys, *arguments, "--json", status=status))


def test_the_console_script_is_the_command_line() -> None:
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["lazygrad"]
    module, _, function = script.partition(":")
    assert getattr(import_module(module), function) is main


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_exit_statuses_mean(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert "exit status:\n  0 " in text and text.startswith(f"usage: lazygrad {command}")


@pytest.mark.parametrize("arguments", [(), ("bogus",), ("cache", "melt"), ("run",)])
def test_a_wrong_command_line_exits_with_2(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("usage: lazygrad")


def test_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("LAZYGRAD_CACHE_DIR", str(tmp_path))
    for name in ("plan-a.so", "plan-a.c", "plan-b.so", "other.lock"):
        write_entry(tmp_path / name, b"x" * 1024)
    facts = parsed(capsys, "cache", "list")
    assert {each["name"]: each["bytes"] for each in facts["entries"]} == {"plan-a": 2048, "plan-b": 1024}
    assert (facts["folder"], facts["objects"], facts["bytes"]) == (str(tmp_path), 2, 3072)
    assert printed(capsys, "cache") == f"2 objects, 3.0 KiB of 1.0 GiB, in {tmp_path}\n"
    assert printed(capsys, "cache", "clear") == f"removed 2 objects, 3.0 KiB, from {tmp_path}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["other.lock"]
    assert parsed(capsys, "cache")["objects"] == 0


def test_operations_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert {each["operation"] for each in parsed(capsys, "operations")} == set(registry)


def test_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = parsed(capsys, "demo", "--save", str(tmp_path / "forms"))
    assert facts["accuracy"] > 0.9 and facts["losses"][-1] < facts["losses"][0] / 10
    assert facts["kernels"] < facts["recorded nodes"] < facts["primitive nodes"]
    assert "demo.py:22 Sequential.0" in Path(facts["files"][0]).read_text()


def test_bench(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = parsed(capsys, "bench", "product", "--repeats", "1")["programs"].values()
    fused, unfused = program["total"]
    assert fused["calls"] == unfused["calls"] == 1 and fused["FLOPs"] == 2 * 512**3 and fused["ms"] > 0
    assert "a product, 512×512×512" in printed(capsys, "bench", "product", "--repeats", "1")


def test_the_doctor_says_what_to_do() -> None:
    well: dict[str, dict[str, Any]] = {
        "compiler": {"found": "cc"},
        "library": {"state": "loaded"},
        "cache": {"usable": True},
        "gpu": {"CUDA driver": False, "cupy": "not installed"},
        "processor": {"threads used": 2, "processors": 2},
        "tests": {"numpy": "works"},
        "backend": {"used": "numpy"},
    }
    assert advice(well) == []
    problems = {
        "compiler": ({"found": "none that works"}, "install gcc"),
        "library": ({"state": "not built: exit status 1"}, "the C library was not built"),
        "cache": ({"usable": "it cannot be written"}, "(it cannot be written): set LAZYGRAD_CACHE_DIR"),
        "gpu": ({"CUDA driver": True, "cupy": "not installed"}, "pip install 'lazygrad[cuda12]'"),
        "processor": ({"threads used": 1, "processors": 2}, "1 of 2 processors are used"),
        "tests": ({"numpy": "fails: ArithmeticError"}, "the backend numpy fails: ArithmeticError"),
        "backend": ({"used": "none", "because": "there is no backend x"}, "there is no backend x"),
    }
    for section, (facts, expected) in problems.items():
        (found,) = advice(well | {section: facts})
        assert expected in found
