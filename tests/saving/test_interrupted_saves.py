"""Saves that do not come to their end, or that several do at once: what is at the path is always a whole file."""

from __future__ import annotations

import os
import secrets
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.saving.replacing import replacing

_ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks, signals and limits of POSIX systems")


def _run(folder: Path, program: str) -> str:
    """What a program prints that runs in a process of its own, with ``folder`` as its only argument."""
    environment = {**os.environ, "LAZYGRAD_BACKEND": "numpy", "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path])}
    command = [sys.executable, "-c", textwrap.dedent(program), str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@posix
def test_killed_while_saving(tmp_path: Path) -> None:
    """A child is killed at a line of the code: at each that replaces the file, at some of those that write it."""
    _run(tmp_path, """
        import os, signal, sys
        from pathlib import Path
        import lazygrad as lg

        path = Path(sys.argv[1]) / "file.pt"
        old, new = lg.full((100,), 1.0).realize(), lg.full((100,), 2.0).realize()

        def was_killed(files, number):
            lines = 0
            def count(frame, event, argument):
                nonlocal lines
                if not frame.f_code.co_filename.endswith(files):
                    return None
                lines += 1
                if lines == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                return count
            child = os.fork()
            if child == 0:
                sys.settrace(count)
                lg.save(new, path)
                os._exit(0)
            return os.waitpid(child, 0)[1] != 0

        for files, step, least in (("replacing.py", 1, 20), (("saving/writing.py", "zipfile.py"), 40, 300)):
            number, seen = 1, set()
            lg.save(old, path)
            while was_killed(files, number):
                values = set(lg.load(path).tolist())
                assert values in ({1.0}, {2.0}), values
                seen |= values
                if values == {2.0}:
                    lg.save(old, path)
                number += step
            assert lg.load(path).tolist() == [2.0] * 100
            assert number > least and 1.0 in seen and (2.0 in seen or step > 1), (number, seen)
    """)  # fmt: skip


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """The system refuses to make files longer than the limit, as a full disk does."""
    _run(tmp_path, """
        import os, resource, sys
        from pathlib import Path
        import lazygrad as lg

        folder = Path(sys.argv[1])
        path, new = folder / "file.pt", lg.full((50_000,), 2.0).realize()
        lg.save(lg.full((50_000,), 1.0), path)
        for limit in (0, 1, 40, 300, 4096, 100_000, 200_000, 200_300, 200_500):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                lg.save(new, path)
            except OSError:
                pass
            else:
                raise AssertionError(f"a file of more than {limit} bytes was written")
            assert set(lg.load(path).tolist()) == {1.0} and os.listdir(folder) == ["file.pt"]
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        lg.save(new, path)
        assert set(lg.load(path).tolist()) == {2.0} and os.listdir(folder) == ["file.pt"]
    """)  # fmt: skip


def test_threads_that_save_to_one_path(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    contents = [lg.full((20_000,), float(number)).realize() for number in range(6)]
    lg.save(contents[0], path)
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(15):
                lg.save(contents[number], path)
                values = set(lg.load(path).tolist())
                assert len(values) == 1, values
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and [found.name for found in tmp_path.iterdir()] == ["file.pt"]


@posix
def test_processes_that_save_to_one_path(tmp_path: Path) -> None:
    _run(tmp_path, """
        import os, sys
        from pathlib import Path
        import lazygrad as lg

        folder = Path(sys.argv[1])
        children = []
        for number in range(4):
            child = os.fork()
            if child == 0:
                content = lg.full((5_000,), float(number)).realize()
                for _ in range(20):
                    lg.save(content, folder / "file.pt")
                    if len(set(lg.load(folder / "file.pt").tolist())) != 1:
                        os._exit(1)
                os._exit(0)
            children.append(child)
        assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
        assert os.listdir(folder) == ["file.pt"]
    """)  # fmt: skip


def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither under a name that can be known, nor under one that was guessed."""
    victim, path = tmp_path / "victim", tmp_path / "file.pt"
    victim.write_text("precious")
    drawn = iter(["00", "11", "22"])
    monkeypatch.setattr(secrets, "token_hex", lambda count: next(drawn))
    planted = [tmp_path / f"file.pt.{name}.part" for name in (str(os.getpid()), "00", "11")]
    for link in planted:
        link.symlink_to(victim)
    lg.save(lg.ones(2), path)
    assert victim.read_text() == "precious" and lg.load(path).tolist() == [1, 1]
    assert sorted(found.name for found in tmp_path.iterdir()) == sorted(
        ["victim", "file.pt", *(p.name for p in planted)]
    )


def test_a_file_that_lies_at_a_drafts_name_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["00", "11"])
    monkeypatch.setattr(secrets, "token_hex", lambda count: next(drawn))
    (tmp_path / "file.pt.00.part").write_text("another's")
    lg.save(lg.ones(2), tmp_path / "file.pt")
    assert (tmp_path / "file.pt.00.part").read_text() == "another's" and len(list(tmp_path.iterdir())) == 2


@posix
def test_a_draft_is_as_private_as_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(b"")
    for mode in (0o600, 0o640, 0o444):
        path.chmod(mode)
        with replacing(path) as file:
            drafts = [found for found in tmp_path.iterdir() if found != path]
            assert [stat.S_IMODE(draft.stat().st_mode) for draft in drafts] == [0o600]
            file.write(b"new")
        assert stat.S_IMODE(path.stat().st_mode) == mode and path.read_bytes() == b"new"


@posix
def test_a_new_file_has_the_permissions_that_the_mask_leaves(tmp_path: Path) -> None:
    earlier = os.umask(0o027)
    try:
        lg.save(lg.ones(2), tmp_path / "file.pt")
    finally:
        os.umask(earlier)
    assert stat.S_IMODE((tmp_path / "file.pt").stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, MemoryError])
def test_an_error_removes_the_draft(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(b"old")
    with pytest.raises(error), replacing(path) as file:
        file.write(b"half of")
        raise error
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_long_names_and_dangling_links(tmp_path: Path) -> None:
    for name in ("n" * 250 + ".pt", "\u0394" * 120 + ".pt"):
        lg.save(lg.ones(2), tmp_path / name)
        assert lg.load(tmp_path / name).tolist() == [1, 1]
    (tmp_path / "latest").symlink_to(tmp_path / "made.pt")
    lg.save(lg.ones(3), tmp_path / "latest")
    assert (tmp_path / "latest").is_symlink() and lg.load(tmp_path / "made.pt").tolist() == [1, 1, 1]


def test_what_is_written_while_it_is_read(tmp_path: Path) -> None:
    """A reader that has opened the old file reads it to its end."""
    path = tmp_path / "file.pt"
    lg.save(lg.ones(1000), path)
    with open(path, "rb") as file:
        lg.save(lg.zeros(1000), path)
        old: Any = lg.load(file)
    assert old.sum().item() == 1000 and lg.load(path).sum().item() == 0
