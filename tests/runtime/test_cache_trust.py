"""The cache of compiled code: nothing is loaded that another user could have written, and nothing that is not whole."""

from __future__ import annotations

import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lazygrad.host import cache_folder, disk_cache
from lazygrad.targets.c.build import BuildError, build, working_toolchain
from lazygrad.targets.c.toolchain import toolchain
from tests.runtime.other_users import OTHER, as_root
from tests.runtime.toolchains import compiler_script, forget, fresh_process, logging_compiler, needs_compiler

ADD = "int add(int a, int b) { return a + b; }\n"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    with fresh_process(monkeypatch, tmp_path / "cache"), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def writable_by_all(path: Path) -> None:
    path.chmod(0o666)


def given_away(path: Path) -> None:
    os.chown(path, OTHER, OTHER)


def a_link(path: Path) -> None:
    shutil.move(path, path.parent.parent / "target")
    path.symlink_to(path.parent.parent / "target")


planted_by = pytest.mark.parametrize(
    "plant", [writable_by_all, pytest.param(given_away, marks=as_root), a_link], ids=lambda plant: plant.__name__
)


@needs_compiler
@planted_by
def test_a_planted_object_is_not_loaded(plant: Callable[[Path], None]) -> None:
    path = build(ADD, "add")
    evil = b"evil code with a checksum that is right"
    path.write_bytes(evil + disk_cache._trailer(evil))
    plant(path)
    with pytest.warns(RuntimeWarning, match=r"add-.*\.so (can be|belongs to|is no).*find out who") as warned:
        assert build(ADD, "add") == path
    assert len(warned) == 1
    assert not path.is_symlink() and evil not in path.read_bytes()
    assert path.stat().st_uid == os.geteuid() and not path.stat().st_mode & 0o022
    build(ADD, "add")  # is found, without a warning


@needs_compiler
@planted_by
def test_a_planted_toolchain_record_is_not_believed(plant: Callable[[Path], None], tmp_path: Path) -> None:
    first = toolchain()
    (record,) = (tmp_path / "cache").glob("toolchain-*.json")
    plant(record)
    forget()
    with pytest.warns(RuntimeWarning, match=r"toolchain-.*find out who"):
        assert toolchain() == first
    assert not record.is_symlink() and stat.S_IMODE(record.stat().st_mode) == 0o600


@needs_compiler
@pytest.mark.parametrize(
    "change",
    [
        {"command": ["/bin/evil"]},
        {"flags": ["-O3"]},
        {"flags": [["-O3"]]},
        {"flags": "-O3"},
        {"version": 3},
        {"version": None},
        {"target": "elsewhere"},
        {"refused": ["-O3"]},
        {"more": 1},
    ],
    ids=str,
)
def test_a_record_that_makes_no_sense_is_not_believed(
    change: dict[str, object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv("CC", str(logging_compiler(tmp_path / "cc", log)))
    first = toolchain()
    (record,) = (tmp_path / "cache").glob("toolchain-*.json")
    fields = json.loads(record.read_text())
    record.write_text(json.dumps(fields | change))
    log.unlink()
    forget()
    assert toolchain() == first and log.exists(), "the compiler was examined again"
    assert json.loads(record.read_text()) == fields


@needs_compiler
@pytest.mark.parametrize("extra", ["-fplugin=/tmp/evil.so", "-O3", 3, None, ["-O3"]], ids=str)
def test_no_flag_of_a_record_reaches_the_compiler_that_is_not_ours(extra: object, tmp_path: Path) -> None:
    first = toolchain()
    (record,) = (tmp_path / "cache").glob("toolchain-*.json")
    fields = json.loads(record.read_text())
    record.write_text(json.dumps(fields | {"flags": [*fields["flags"], extra]}))
    forget()
    assert toolchain() == first


@needs_compiler
def test_a_record_of_a_compiler_that_refused_a_flag_is_believed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    body = f'echo >> {log}; case " $* " in *" -O3 "*|*" -fopenmp-simd "*) exit 1;; esac; exec "$REAL" "$@"'
    monkeypatch.setenv("CC", str(compiler_script(tmp_path / "cc", body)))
    first = toolchain()
    assert first is not None and first.refused == ("-O3", "-fopenmp-simd") and "-O2" in first.flags
    log.unlink()
    forget()
    assert toolchain() == first and not log.exists()


@needs_compiler
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770], ids=oct)
def test_a_folder_that_others_can_write_to_is_not_used(mode: int, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    if mode == 0o770:
        if os.geteuid():
            pytest.skip("only root can give files to another group")
        os.chown(tmp_path / "cache", 0, OTHER)
    (tmp_path / "cache").chmod(mode)
    with pytest.warns(RuntimeWarning, match=r"cache can be written by .*set LAZYGRAD_CACHE_DIR to a folder") as warned:
        path = build(ADD, "add")
        build(ADD + "int more;", "add")
    assert len(warned) == 1
    assert path.parent != tmp_path / "cache" and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list((tmp_path / "cache").iterdir()) == []


@needs_compiler
@as_root
def test_another_users_folder_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    os.chown(tmp_path / "cache", OTHER, OTHER)
    with pytest.warns(RuntimeWarning, match=f"cache belongs to another user, {OTHER}"):
        assert build(ADD, "add").parent != tmp_path / "cache"


@needs_compiler
def test_what_we_keep_nobody_else_can_write_to(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        build(ADD, "add")
    finally:
        os.umask(previous)
    files = list((tmp_path / "cache").iterdir())
    assert len(files) == 4
    assert not any(file.stat().st_mode & 0o022 for file in [*files, tmp_path / "cache"])
    forget()
    build(ADD, "add")  # believes what it finds


@needs_compiler
def test_a_planted_lock_is_not_followed(tmp_path: Path) -> None:
    path = build(ADD, "add")
    path.unlink()
    path.with_suffix(".lock").unlink()
    (tmp_path / "precious").write_text("content")
    path.with_suffix(".lock").symlink_to(tmp_path / "precious")
    with pytest.warns(RuntimeWarning, match="lock is no plain file"):
        build(ADD, "add")
    assert (tmp_path / "precious").read_text() == "content"


@needs_compiler
def test_names_of_drafts_cannot_be_foreseen(tmp_path: Path) -> None:
    assert toolchain()
    (record,) = (tmp_path / "cache").glob("toolchain-*.json")
    (tmp_path / "precious").write_text("content")
    record.unlink()
    record.with_suffix(f".{os.getpid()}").symlink_to(tmp_path / "precious")
    forget()
    assert toolchain() and record.exists()
    assert (tmp_path / "precious").read_text() == "content"


@needs_compiler
def test_the_folder_disappears_while_the_program_runs(tmp_path: Path) -> None:
    build(ADD, "add")
    shutil.rmtree(tmp_path / "cache")
    assert build(ADD, "add").exists()
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_a_private_folder_that_disappears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_CACHE", "0")
    monkeypatch.setattr(cache_folder, "_private", [])
    folder = cache_folder.cache_folder()
    assert cache_folder.cache_folder() == folder
    folder.rmdir()
    assert cache_folder.cache_folder().is_dir()


def test_a_folder_for_temporary_files_in_which_others_can_move_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "runtime").mkdir()
    monkeypatch.setenv("LAZYGRAD_CACHE", "0")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "open"))
    monkeypatch.setattr(cache_folder, "_private", [])
    assert cache_folder.cache_folder().parent == tmp_path / "runtime"
    assert list((tmp_path / "open").iterdir()) == []


@pytest.mark.parametrize("relative", ["caches", "."])
def test_a_relative_path_of_the_desktops_standard_is_ignored(
    relative: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LAZYGRAD_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", relative)
    assert cache_folder.chosen_folder() == tmp_path / ".cache" / "lazygrad"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert cache_folder.chosen_folder() == tmp_path / "caches" / "lazygrad"


def test_our_own_variable_may_be_relative(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAZYGRAD_CACHE_DIR", "here")
    assert cache_folder.cache_folder() == tmp_path / "here"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LAZYGRAD_CACHE_DIR", "~/there")
    assert cache_folder.chosen_folder() == tmp_path / "there"


@as_root
def test_a_user_without_a_home(tmp_path: Path) -> None:
    """As in a container that was started with a number for a user."""
    program = f"""if True:
        import os, pwd, tempfile, warnings
        from lazygrad.host.cache_folder import cache_folder
        for name in ("HOME", "XDG_CACHE_HOME", "LAZYGRAD_CACHE_DIR"):
            os.environ.pop(name, None)
        os.setgid({OTHER})
        os.setuid({OTHER})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            folder = cache_folder()
            assert folder == cache_folder()
        assert os.access(folder, os.W_OK)
        print(len(caught), caught[0].message)
        """
    (tmp_path / "temporary").mkdir()
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("1 the cache folder cannot be used (the user has no home folder)")


BAD_COMPILERS = {
    "half a file": '"$REAL" "$@" && head -c 9000 "$output" > "$output.half" && mv "$output.half" "$output"',
    "zeros from the middle on": '"$REAL" "$@" && size=$(stat -c %s "$output") && truncate -s 9000 "$output" '
    '&& truncate -s $size "$output"',
    "an empty file": '"$REAL" "$@" && : > "$output"',
    "a text file": 'echo text > "$output"',
    "nothing": "true",
    "an object that is not linked": '"$REAL" "$@" -shared -r -nostdlib',
}


@needs_compiler
@pytest.mark.parametrize("fault", BAD_COMPILERS)
def test_a_compiler_that_fails_and_does_not_say_so(fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    body = f'case "$*" in *object.c*) {BAD_COMPILERS[fault]}; exit 0;; esac; exec "$REAL" "$@"'
    monkeypatch.setenv("CC", str(compiler_script(tmp_path / "cc", body)))
    with pytest.raises(BuildError, match=r"the compiler reported no error, but (left|its object)"):
        build(ADD, "add")
    assert not list((tmp_path / "cache").glob("*.so"))


@needs_compiler
@pytest.mark.parametrize("fault", ["half a file", "zeros from the middle on"])
@pytest.mark.parametrize("when", ["probe", "object"])
def test_the_program_goes_on_with_numpy(fault: str, when: str, tmp_path: Path) -> None:
    body = f'case "$*" in *{when}*) {BAD_COMPILERS[fault]}; exit 0;; esac; exec "$REAL" "$@"'
    program = """if True:
        import lazygrad as lg
        for _ in range(3):
            print(lg.tensor([1.0, 2.0]).exp().sum().item())
        """
    environment = os.environ | {
        "CC": str(compiler_script(tmp_path / "cc", body)),
        "LAZYGRAD_BACKEND": "auto",
        "LAZYGRAD_WAIT_FOR_COMPILER": "1",
    }
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, f"{run.returncode} {run.stderr}"
    assert len(run.stdout.split()) == 3 and set(run.stdout.split()) == {run.stdout.split()[0]}
    assert run.stderr.count("RuntimeWarning") == 1 and "cannot be loaded" in run.stderr


@needs_compiler
def test_files_may_not_grow(tmp_path: Path) -> None:
    """A limit on the size of files stops compilers as a full disk does, or with a signal."""
    working_toolchain()
    program = f"""if True:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        from lazygrad.targets.c.build import BuildError, build
        try:
            build({ADD!r}, "add")
        except BuildError as error:
            print("refused:", error)
        """
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and run.stdout.startswith("refused:"), run.stderr
    assert not list((tmp_path / "cache").glob("*.so")) and not list((tmp_path / "cache").glob(".building-*"))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096
