"""From source to a loaded object: what shares one, what makes a new one; disks and compilers that fail."""

from __future__ import annotations

import ctypes
import dataclasses
import errno
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from lazygrad.host import disk_cache
from lazygrad.host.cache_folder import cache_folder
from lazygrad.host.file_lock import file_lock
from lazygrad.targets.c import build as c_build
from lazygrad.targets.c.build import BuildError, build, cache_key, without_comments, working_toolchain
from lazygrad.targets.c.toolchain import Toolchain
from tests.runtime.toolchains import compiler_script, fresh_process, logging_compiler, needs_compiler

ADD = "int add(int a, int b) { return a + b; }\n"
TOOLS = Toolchain(("/bin/cc",), "cc 1", ("-O3",), (), "here")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    with fresh_process(monkeypatch, tmp_path / "cache"), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def added(path: Path) -> int:
    """2 + 3, computed by the object in a process of its own (a loader knows an object by its path)."""
    program = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).add(2, 3))"
    run = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    return int(run.stdout)


@needs_compiler
class TestBuild:
    def test_an_object_computes(self, tmp_path: Path) -> None:
        path = build(ADD, "add")
        assert ctypes.CDLL(str(path)).add(2, 3) == 5
        assert path.parent == tmp_path / "cache" and path.name.startswith("add-")
        assert path.with_suffix(".c").read_text() == ADD

    def test_the_cache_answers_the_second_time(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("CC", str(logging_compiler(tmp_path / "cc", tmp_path / "log")))
        path = build(ADD, "add")
        (tmp_path / "log").write_text("")
        assert build(ADD, "add") == path
        assert build("/* train.py:12 */\n" + ADD + "// the end\n", "add") == path
        assert (tmp_path / "log").read_text() == ""

    def test_own_flags_come_last(self) -> None:
        source = "int seven(void) { return SEVEN; }"
        assert ctypes.CDLL(str(build(source, "seven", ["-DSEVEN=7"]))).seven() == 7
        assert ctypes.CDLL(str(build(source, "seven", ["-DSEVEN=8"]))).seven() == 8

    def test_headers_are_found(self) -> None:
        source = '#include "library/library.h"\ni64 size(void) { return sizeof(array); }'
        assert ctypes.CDLL(str(build(source, "size"))).size() > 0

    def test_nothing_else_is_left_in_the_folder(self) -> None:
        path = build(ADD, "add")
        kept = {each.suffix for each in path.parent.iterdir()}
        assert kept == {".so", ".c", ".lock", ".json"}

    def test_a_source_that_does_not_compile(self) -> None:
        with pytest.raises(BuildError, match=r"exit status 1: .*error") as caught:
            build("int f(void) { return undeclared; }", "f")
        assert "undeclared" in caught.value.output
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("damage", ["truncated", "emptied", "flipped"])
    def test_a_damaged_object_is_compiled_again(self, damage: str) -> None:
        path = build(ADD, "add")
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes({"truncated": content[:1000], "emptied": b"", "flipped": bytes(content)}[damage])
        with pytest.warns(RuntimeWarning, match=r"add-.*\.so was damaged") as warned:
            assert build(ADD, "add") == path
        assert len(warned) == 1
        assert disk_cache.is_intact(path.read_bytes()) and added(path) == 5

    def test_an_object_removed_meanwhile_is_compiled_again(self) -> None:
        path = build(ADD, "add")
        path.unlink()
        assert added(build(ADD, "add")) == 5

    def test_two_processes_compile_once(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        compiler = logging_compiler(tmp_path / "cc", log, seconds=0.5)
        program = f"from lazygrad.targets.c.build import build; print(build({ADD!r}, 'add'))"
        environment = os.environ | {"CC": str(compiler)}
        command = [sys.executable, "-c", program]
        processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        outputs = [process.communicate(timeout=60)[0] for process in processes]
        assert [process.returncode for process in processes] == [0, 0, 0]
        assert len(set(outputs)) == 1 and added(Path(outputs[0].strip())) == 5
        assert sum("object.c" in line for line in log.read_text().splitlines()) == 1

    def test_a_lock_that_is_never_given_back_costs_only_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(c_build, "_PLAN_SECONDS", 1.0)
        key = cache_key(working_toolchain(), [ADD], ())
        with file_lock(cache_folder() / f"add-{key}.lock", 0) as is_held:
            assert is_held
            assert added(build(ADD, "add")) == 5

    def test_a_hanging_compiler_is_waited_for_once(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        body = 'case "$*" in *object.c*) sleep 100;; esac; exec "$REAL" "$@"'
        monkeypatch.setenv("CC", str(compiler_script(tmp_path / "cc", body)))
        monkeypatch.setattr(c_build, "_PLAN_SECONDS", 0.5)
        start = time.monotonic()
        for source in (ADD, ADD + "int more;"):
            with pytest.raises(BuildError, match=r"did not end within 0.5 s"):
                build(source, "add")
        assert time.monotonic() - start < 10

    def test_a_full_disk(self, monkeypatch: pytest.MonkeyPatch) -> None:
        working_toolchain()

        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(Path, "write_text", full)
        with pytest.raises(BuildError, match=r"cannot be stored .*No space left"):
            build(ADD, "add")

    def test_a_disk_too_full_to_remember_the_compiler(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr("lazygrad.targets.c.toolchain._remember", full)
        assert working_toolchain()

    def test_a_folder_that_cannot_be_used(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        monkeypatch.setenv("LAZYGRAD_CACHE_DIR", str(tmp_path / "file"))
        with pytest.warns(RuntimeWarning, match="cannot be used .*File exists.* LAZYGRAD_CACHE_DIR") as warned:
            path = build(ADD, "add")
            build(ADD + ADD.replace("add", "also"), "add")
        assert len(warned) == 1
        assert added(path) == 5

    def test_a_folder_on_a_read_only_disk(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        working_toolchain()
        monkeypatch.setenv("LAZYGRAD_CACHE_DIR", str(tmp_path / "read-only"))
        access = os.access  # a mode does not keep root, who may run this, from writing
        monkeypatch.setattr(os, "access", lambda path, mode: "read-only" not in str(path) and access(path, mode))
        with pytest.warns(RuntimeWarning, match="read-only cannot be used .it cannot be written"):
            assert added(build(ADD, "add")) == 5

    def test_without_a_cache_objects_last_as_long_as_the_process(self, tmp_path: Path) -> None:
        program = f"from lazygrad.targets.c.build import build; p = build({ADD!r}, 'add'); print(p, p.exists())"
        environment = os.environ | {"LAZYGRAD_CACHE": "0", "TMPDIR": str(tmp_path)}
        command = [sys.executable, "-W", "error", "-c", program]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        path, existed = run.stdout.split()
        assert existed == "True" and path.startswith(str(tmp_path))
        assert list(tmp_path.iterdir()) == []


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    with pytest.raises(BuildError, match="no C compiler that works"):
        build(ADD, "add")


@pytest.mark.parametrize(
    "changed",
    [
        dataclasses.replace(TOOLS, command=("/bin/gcc",)),
        dataclasses.replace(TOOLS, version="cc 2"),
        dataclasses.replace(TOOLS, flags=("-O2",)),
        dataclasses.replace(TOOLS, target="elsewhere"),
    ],
)
def test_whatever_decides_the_code_is_in_the_key(changed: Toolchain) -> None:
    assert cache_key(changed, [ADD], ()) != cache_key(TOOLS, [ADD], ())


def test_an_included_file_is_in_the_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(c_build, "include_folder", lambda: tmp_path)
    monkeypatch.setattr(c_build, "_included", c_build._included.__wrapped__)
    keys = set()
    for name in ("header.h", "part.inc", "README"):
        (tmp_path / name).write_text("content")
        keys.add(cache_key(TOOLS, [ADD], ()))
    assert len(keys) == 2, "a README is not included"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a /* b */ c", "a   c"),
        ("a/**/b", "a b"),
        ("a // b\nc", "a\nc"),
        ("a // b \\\n still b\nc", "a\nc"),
        ("a /* b // c */ d", "a   d"),
        ("a // b /* c\nd /* e */", "a\nd"),
        ("/* a\n * b\n */ c\n\n", "c"),
        ("#define A \\\n\nB", "#define A\nB"),
        ('"/* kept */"', '"/* kept */"'),
        ('"// kept" // not kept', '"// kept"'),
        (r'"\"/* kept */"', r'"\"/* kept */"'),
        (r"'\'' /* b */ '/'", r"'\''   '/'"),
        ("'\"' /* b */ '\"'", "'\"'   '\"'"),
        ('"two  spaces"', '"two  spaces"'),
        ("a / b * c /d", "a / b * c /d"),
        ("/* unclosed", "/* unclosed"),
    ],
)
def test_comments_are_told_from_literals(source: str, expected: str) -> None:
    assert without_comments(source) == expected


def test_the_least_recently_used_objects_are_removed(tmp_path: Path) -> None:
    for age, name in enumerate("abcd"):
        for suffix, size in ((".so", 100), (".c", 20)):
            file = tmp_path / (name + suffix)
            file.write_bytes(bytes(size))
            os.utime(file, (1e9 - age, 1e9 - age))
    (tmp_path / "toolchain.json").write_bytes(bytes(10))
    disk_cache.trim(tmp_path, limit=490)
    assert len(list(tmp_path.iterdir())) == 9, "there was room"
    disk_cache.trim(tmp_path, limit=400)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.c", "a.so", "b.c", "b.so", "toolchain.json"]
    assert disk_cache.usage(tmp_path) == (2, 250)


def test_what_dead_processes_left_is_removed(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.lock").touch()
        (tmp_path / f".building-{name}").mkdir()
        (tmp_path / f".building-{name}" / "object.c").touch()
    for old in ("old.lock", ".building-old"):
        os.utime(tmp_path / old, (0, 0))
    disk_cache.trim(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == [".building-new", "new.lock"]


def test_using_an_object_keeps_it(tmp_path: Path) -> None:
    path = disk_cache.cached("entry", lambda folder: (folder / "object.so").write_bytes(b"code") and None, 1)
    os.utime(path, (0, 0))
    disk_cache.cached("entry", lambda folder: pytest.fail("it is there"), 1)
    assert path.stat().st_mtime > time.time() - 100
