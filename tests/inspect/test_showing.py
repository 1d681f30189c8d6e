"""What lazygrad prints and writes, where the encoding or the names are not what one is used to."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lazygrad as lg
from lazygrad.inspect.environment.doctor import in_words
from lazygrad.inspect.showing import show
from tests.codegen.hostile_names import PIECES, Named, program

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LAZYGRAD_BACKEND": "numpy"}


def _printed(arguments: list[str], environment: dict[str, str]) -> bytes:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=120, env=os.environ | environment)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


@pytest.mark.parametrize("environment", [ASCII, {"PYTHONIOENCODING": "ascii:strict"}, {"PYTHONIOENCODING": "latin-1"}])
def test_the_command_line_prints_in_any_encoding(environment: dict[str, str]) -> None:
    printed = _printed(["-m", "lazygrad", "operations"], environment).decode("latin-1")
    assert printed.startswith("# The operations")
    assert "| `sin` |" in printed and ("\\u2202" in printed or "\\u03a3" in printed)


def test_the_doctor_prints_what_folders_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.fsdecode(b"/gr\xc3\xb6\xc3\x9fe\xff") + "\x1b[2J\r\nx"
    report = {"cache": {"folder": folder}, "tests": {"numpy": "works"}, "backend": {"used": "numpy"}}
    for encoding, name in {"ascii": "gr\\xf6\\xdfe", "utf-8": "größe"}.items():
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
        show(in_words(report))
        sys.stdout.flush()
        lines = written.getvalue().decode(encoding).splitlines()
        assert lines[:3] == ["cache", f"  folder  /{name}\\udcff\\x1b[2J\\r", "          x"]


def test_forms_show_themselves_in_ascii() -> None:
    lines = "import lazygrad as lg\nlg.stages(lg.softmax(lg.rand(4, 5).realize() * 0.3, 1)).sources['numpy'].show()"
    printed = _printed(["-c", lines], ASCII).decode("ascii")
    assert "Over 4\\xd75." in printed and "np.divide(" in printed


def test_what_can_be_encoded_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show("4×5 重み")
    assert capsys.readouterr().out == "4×5 重み\n"


def test_forms_of_hostile_names_are_saved_shown_and_converted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in PIECES[::4]:
        result = program(Named.all(name))
        paths = lg.dump(result, tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted(paths) and len(paths) == 7
        for path in paths:
            assert len(path.read_bytes().decode("utf-8").splitlines()) == path.read_bytes().count(b"\n")
        for form in lg.stages(result):
            form.show()
            assert capsys.readouterr().out == f"{form}\n"
            assert repr(form).isprintable()
        vertices = result.graph().to_networkx().nodes(data=True)
        assert all(data["origin"].isprintable() for _, data in vertices)


def test_messages_that_name_a_place_are_one_line() -> None:
    result = program(Named.all("\n\r\ud800"))
    result.numpy()
    program(Named.all("\n\r\ud800"), 9).numpy()
    assert all(line.isprintable() for line in lg.explain_cache_miss().split("\n"))
