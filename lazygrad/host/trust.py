"""Which files another user could have written: code that comes from such a file is that user's, and is not run.

As `ssh` does with its keys, a file is trusted if it and every folder above it belong to root or to us, and nobody else
may write to them. A folder that all may write to is good enough on the way if it is sticky, as ``/tmp`` is: there,
others cannot move or replace what is ours. Since every link on the way is looked at too, nobody else can lead the path
elsewhere between this check and the use of what it returns.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_LARGEST_CHAIN = 40  # links, as the system itself allows
_OWN_FOLDER = 0o700


class UntrustedError(PermissionError):
    """Another user owns, or may write to, what was to be used. ``strerror`` says which file, and who."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(errno.EPERM, f"{path} {problem}", path)


def trusted_folder(folder: Path) -> Path:
    """The folder with all links resolved; it, and what is missing of the way to it, is made for us alone.

    Args:
        folder: an absolute path.

    Raises:
        UntrustedError: another user could have written what lies in it.
        OSError: it is no folder, or cannot be made.
    """
    parts, current, links = list(reversed(folder.parts[1:])), "/", 0
    while parts:
        _check_folder(current, sticky_will_do=True)
        part = parts.pop()
        if part == os.pardir:
            current = os.path.dirname(current)
            continue
        path = os.path.join(current, part)
        status = _made(path)
        if not stat.S_ISLNK(status.st_mode):
            current = path
            continue
        links += 1
        if links > _LARGEST_CHAIN:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        _check_owner(path, status)
        target = Path(os.readlink(path))
        current = "/" if target.is_absolute() else current
        parts += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    _check_folder(current, sticky_will_do=False)
    return Path(current)


def read_trusted(path: Path) -> bytes:
    """The content of a file in a trusted folder.

    Raises:
        FileNotFoundError: there is none.
        UntrustedError: it belongs to another user, others may write to it, we may not read it, or it is no plain file.
    """
    try:
        # A pipe that lies there must not keep us waiting.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise UntrustedError(os.fspath(path), "is no plain file") from error
        if error.errno == errno.EACCES:
            raise UntrustedError(os.fspath(path), "cannot be read by us") from error
        raise
    try:
        _check_file(os.fspath(path), os.fstat(descriptor))
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def check_file(path: Path) -> None:
    """Look at a file in a trusted folder; the errors are those of `read_trusted`."""
    _check_file(os.fspath(path), os.lstat(path))


def keep_others_from_writing(path: Path) -> None:
    """Take from a file of ours what the user's umask may have given to others."""
    os.chmod(path, stat.S_IMODE(os.lstat(path).st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))


def _made(path: str) -> os.stat_result:
    """What lies at ``path``, in a trusted folder; a folder is made if nothing does."""
    with suppress(FileExistsError):
        try:
            return os.lstat(path)
        except FileNotFoundError:
            os.mkdir(path, _OWN_FOLDER)
    return os.lstat(path)


def _check_file(path: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UntrustedError(path, "is no plain file")
    _check_owner(path, status)
    _check_writers(path, status)


def _check_folder(path: str, sticky_will_do: bool) -> None:
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    _check_owner(path, status)
    if not (sticky_will_do and status.st_mode & stat.S_ISVTX):
        _check_writers(path, status)


def _check_owner(path: str, status: os.stat_result) -> None:
    if status.st_uid not in (0, os.geteuid()):
        raise UntrustedError(path, f"belongs to another user, {_user_name(status.st_uid)}")


def _check_writers(path: str, status: os.stat_result) -> None:
    if status.st_mode & stat.S_IWOTH:
        raise UntrustedError(path, "can be written by every user")
    if status.st_mode & stat.S_IWGRP and not _has_one_member(status.st_gid, status.st_uid, path):
        raise UntrustedError(path, f"can be written by the group {_group_name(status.st_gid)}")


def _has_one_member(group: int, owner: int, path: str) -> bool:
    """Whether a group has no other member than the owner of ``path``. Many systems give each user such a group, and
    an umask by which that may write to all that the user makes."""
    import grp  # rarely needed
    import pwd

    try:
        entry, name = grp.getgrgid(group), pwd.getpwuid(owner).pw_name
        others = any(user.pw_gid == group and user.pw_uid != owner for user in pwd.getpwall())
        return entry.gr_name == name and set(entry.gr_mem) <= {name} and not others and not _has_access_list(path)
    except KeyError:
        return False


def _has_access_list(path: str) -> bool:
    """Whether an access control list may name further users; then the group's bits stand for all of them."""
    try:
        return "system.posix_acl_access" in os.listxattr(path, follow_symlinks=False)
    except OSError:
        return False  # this file system has no such lists
    except AttributeError:
        return True  # this system cannot say


def _user_name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def _group_name(group: int) -> str:
    import grp

    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)
