"""Who could have written a file: owners and modes of it and of every folder and link on the way."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from lazygrad.host.trust import UntrustedError, keep_others_from_writing, read_trusted, trusted_folder
from tests.runtime.other_users import OTHER, as_root


def refused(folder: Path, problem: str) -> None:
    with pytest.raises(UntrustedError, match=problem):
        trusted_folder(folder)


def test_a_folder_is_made_with_all_that_is_missing_and_for_us_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        found = trusted_folder(tmp_path / "a" / "b")
    finally:
        os.umask(previous)
    assert found == tmp_path / "a" / "b"
    assert [stat.S_IMODE(os.stat(each).st_mode) for each in (found, found.parent)] == [0o700, 0o700]


def test_a_folder_that_others_can_write_to(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    refused(folder, r"open can be written by every user")
    refused(folder / "inner", r"open can be written by every user")
    assert not (folder / "inner").exists()
    folder.chmod(0o1777)
    refused(folder, r"open can be written by every user")
    assert trusted_folder(folder / "inner") == folder / "inner", "nobody can replace what is ours in a sticky folder"


@as_root
def test_a_folder_of_another_user(tmp_path: Path) -> None:
    (tmp_path / "theirs" / "inner").mkdir(parents=True)
    os.chown(tmp_path / "theirs", OTHER, OTHER)
    refused(tmp_path / "theirs", f"theirs belongs to another user, {OTHER}")
    refused(tmp_path / "theirs" / "inner", f"theirs belongs to another user, {OTHER}")


@as_root
def test_a_group_that_can_write(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    os.chown(tmp_path / "shared", 0, OTHER)
    (tmp_path / "shared").chmod(0o770)
    refused(tmp_path / "shared", f"shared can be written by the group {OTHER}")


def test_the_group_that_has_only_its_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import grp
    import pwd

    group, user = os.getegid(), os.geteuid()
    people = [pwd.struct_passwd(("me", "x", user, group, "", "/", "/bin/sh"))]
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: people[0])
    monkeypatch.setattr(pwd, "getpwall", lambda: people)
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group(("me", "x", gid, [])))
    folder = tmp_path / "umask-002"
    folder.mkdir()
    folder.chmod(0o770)
    assert trusted_folder(folder) == folder
    people.append(pwd.struct_passwd(("you", "x", user + 1, group, "", "/", "/bin/sh")))
    refused(folder, "can be written by the group me")
    people.pop()
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group(("me", "x", gid, ["you"])))
    refused(folder, "can be written by the group me")
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group(("users", "x", gid, [])))
    refused(folder, "can be written by the group users")


def test_links_are_followed_where_nobody_else_can_turn_them(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "absolute").symlink_to(tmp_path / "real")
    (tmp_path / "relative").symlink_to(Path("absolute", "..", "real"))
    for link in ("absolute", "relative"):
        assert trusted_folder(tmp_path / link / "inner") == tmp_path / "real" / "inner"
        assert trusted_folder(tmp_path / link) == tmp_path / "real"
    assert trusted_folder(tmp_path / "real" / ".." / "real") == tmp_path / "real"


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        trusted_folder(tmp_path / "a")


@as_root
def test_a_link_that_another_user_made(tmp_path: Path) -> None:
    (tmp_path / "sticky").mkdir()
    (tmp_path / "sticky").chmod(0o1777)
    (tmp_path / "ours").mkdir()
    (tmp_path / "sticky" / "link").symlink_to(tmp_path / "ours")
    os.lchown(tmp_path / "sticky" / "link", OTHER, OTHER)
    refused(tmp_path / "sticky" / "link", f"link belongs to another user, {OTHER}")


def test_a_link_to_where_others_can_write(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "open")
    refused(tmp_path / "link", "open can be written by every user")


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "inner"):
        with pytest.raises(FileExistsError):
            trusted_folder(path)


def test_a_file_of_ours_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "file").chmod(0o644)
    assert read_trusted(tmp_path / "file") == b"content"
    with pytest.raises(FileNotFoundError):
        read_trusted(tmp_path / "missing")


def test_files_that_are_not_plain(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    (tmp_path / "link").symlink_to("plain")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "folder", "pipe"):
        with pytest.raises(UntrustedError, match=f"{name} is no plain file"):
            read_trusted(tmp_path / name)


def test_a_file_that_others_can_write_to(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o666)
    with pytest.raises(UntrustedError, match="file can be written by every user"):
        read_trusted(file)
    keep_others_from_writing(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644 and read_trusted(file) == b""


@as_root
def test_a_file_of_another_user(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.chown(tmp_path / "file", OTHER, OTHER)
    with pytest.raises(UntrustedError, match=f"file belongs to another user, {OTHER}"):
        read_trusted(tmp_path / "file")
