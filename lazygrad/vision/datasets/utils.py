"""Downloads with checksums, archives, and what datasets ask of folders and arguments."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import shutil
import tarfile
import urllib.request
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tqdm import tqdm

__all__ = [
    "calculate_md5",
    "check_integrity",
    "check_md5",
    "download_and_extract_archive",
    "download_file_from_google_drive",
    "download_url",
    "extract_archive",
    "list_dir",
    "list_files",
    "verify_str_arg",
]

_CHUNK = 1 << 15
_DRIVE = "https://drive.usercontent.google.com/download?export=download&confirm=t&id="
_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_TAR = (".tar", ".tgz", ".tbz", ".tbz2", ".tar.gz", ".tar.bz2", ".tar.xz")


def calculate_md5(fpath: Any, chunk_size: int = 1 << 20) -> str:
    """The MD5 sum of a file, in hexadecimal digits."""
    found = hashlib.md5(usedforsecurity=False)
    with open(fpath, "rb") as file:
        while chunk := file.read(chunk_size):
            found.update(chunk)
    return found.hexdigest()


def check_md5(fpath: Any, md5: str, **kwargs: Any) -> bool:
    """Whether a file has this MD5 sum."""
    return md5 == calculate_md5(fpath, **kwargs)


def check_integrity(fpath: Any, md5: str | None = None) -> bool:
    """Whether a file is there, and has this MD5 sum."""
    return os.path.isfile(fpath) and (md5 is None or check_md5(fpath, md5))


def download_url(url: str, root: Any, filename: Any = None, md5: str | None = None, max_redirect_hops: int = 3) -> None:
    """Fetches a file, with a progress bar, unless it is there already; it takes its place when its checksum is right.

    Args:
        url: from where.
        root: the folder it comes to.
        filename: its name there; as in the address if None.
        md5: its checksum.
        max_redirect_hops: unused: Python's limit of redirections holds.

    Raises:
        OSError: it cannot be fetched.
        RuntimeError: its checksum is another.
    """
    folder = os.path.expanduser(root)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, filename or os.path.basename(url))
    if check_integrity(path, md5):
        return
    unfinished = f"{path}.{os.getpid()}.part"
    try:
        _retrieve(url, unfinished)
        if not check_integrity(unfinished, md5):
            raise RuntimeError(f"File not found or corrupted: {url} has not the checksum {md5}.")
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)


def download_file_from_google_drive(file_id: str, root: Any, filename: Any = None, md5: str | None = None) -> None:
    """`download_url` of what Google Drive keeps under an id; the file is called like that if it has no name."""
    download_url(_DRIVE + file_id, root, filename or file_id, md5)


def _retrieve(url: str, path: str) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": "lazygrad"})
    with (
        urllib.request.urlopen(request) as response,
        open(path, "wb") as file,
        tqdm(total=response.length, unit="B", unit_scale=True, desc=os.path.basename(url)) as bar,
    ):
        while chunk := response.read(_CHUNK):
            file.write(chunk)
            bar.update(len(chunk))


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpacks what stays in the folder: files and folders, where Python (before 3.11.4) has no filter for the rest.

    Raises:
        RuntimeError: it holds something else, or something that lies elsewhere.
    """
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
        return
    root = folder.resolve()
    for member in archive.getmembers():
        if not (member.isfile() or member.isdir()) or not (root / member.name).resolve().is_relative_to(root):
            raise RuntimeError(f"{member.name!r} in the archive is no file of it, or lies outside the folder")
        member.mode &= 0o755
    archive.extractall(folder)


def extract_archive(from_path: Any, to_path: Any = None, remove_finished: bool = False) -> Any:
    """Unpacks a tar or zip archive, or a single compressed file.

    Args:
        from_path: the file.
        to_path: the folder; that of the file if None.
        remove_finished: delete the file then.

    Returns:
        The folder, or the file that was compressed.

    Raises:
        RuntimeError: no known suffix.
    """
    source = os.fspath(from_path)
    folder = os.fspath(to_path) if to_path is not None else os.path.dirname(source)
    suffix = Path(source).suffix
    made = folder
    if source.endswith(_TAR):
        with tarfile.open(source) as archive:
            _unpack(archive, Path(folder))
    elif suffix == ".zip":
        with zipfile.ZipFile(source) as archive:
            archive.extractall(folder)
    elif suffix in _OPENERS:
        made = os.path.join(folder, Path(source).stem)
        with _OPENERS[suffix](source, "rb") as packed, open(made, "wb") as file:
            shutil.copyfileobj(packed, file)
    else:
        raise RuntimeError(f"Unknown compression or archive type: {suffix!r} of {source}")
    if remove_finished:
        os.remove(source)
    return made if isinstance(from_path, str) else Path(made)


def download_and_extract_archive(
    url: str,
    download_root: Any,
    extract_root: Any = None,
    filename: Any = None,
    md5: str | None = None,
    remove_finished: bool = False,
) -> None:
    """`download_url`, and `extract_archive` of what came, to ``extract_root`` or where it is."""
    folder = os.path.expanduser(download_root)
    name = filename or os.path.basename(url)
    download_url(url, folder, name, md5)
    extract_archive(os.path.join(folder, name), extract_root or folder, remove_finished)


def list_dir(root: Any, prefix: bool = False) -> list[str]:
    """The folders in a folder; ``prefix`` puts its path before their names."""
    folder = os.path.expanduser(root)
    return [_named(folder, name, prefix) for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))]


def list_files(root: Any, suffix: str, prefix: bool = False) -> list[str]:
    """The files in a folder whose names end in ``suffix``; ``prefix`` puts its path before them."""
    folder = os.path.expanduser(root)
    names = [name for name in os.listdir(folder) if name.endswith(suffix)]
    return [_named(folder, name, prefix) for name in names if os.path.isfile(os.path.join(folder, name))]


def _named(folder: str, name: str, prefix: bool) -> str:
    return os.path.join(folder, name) if prefix else name


def verify_str_arg(
    value: Any,
    arg: str | None = None,
    valid_values: Collection[str] | None = None,
    custom_msg: str | None = None,
) -> Any:
    """``value``, a text that is one of ``valid_values``.

    Args:
        value: what somebody gave for an argument.
        arg: the argument's name.
        valid_values: None allows any text.
        custom_msg: what to say of a text that is not allowed.

    Raises:
        ValueError: it is no text, or not allowed.
    """
    if not isinstance(value, str):
        of = f" for argument {arg}" if arg is not None else ""
        raise ValueError(f"Expected type str{of}, but got type {type(value)}.")
    if valid_values is not None and value not in valid_values:
        known = ", ".join(valid_values)
        raise ValueError(custom_msg or f"Unknown value '{value}' for argument {arg}. Valid values are {{{known}}}.")
    return value
