"""``lazygrad.hub``: lazygrad downloads nothing and runs no code from elsewhere; it loads files that are there."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from lazygrad.left_out import stand_in
from lazygrad.saving import load as _load_file

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
"""Finds the hash in the name of a file of weights."""

_MODEL = "nothing is downloaded; make the model in Python, and give it the state dict of a file with lazygrad.load"
_FILE = "nothing is downloaded; fetch the file with a tool of your choice, then use lazygrad.load"

load = stand_in("hub.load", _MODEL)
list = stand_in("hub.list", _MODEL)
help = stand_in("hub.help", _MODEL)
download_url_to_file = stand_in("hub.download_url_to_file", _FILE)

_chosen: str | None = None


def _get_torch_home() -> str:
    """The folder in which PyTorch keeps what it has downloaded: ``TORCH_HOME``, else ``torch`` in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder whose ``checkpoints`` hold files of weights: what `set_dir` chose, else ``hub`` in ``TORCH_HOME``."""
    return os.path.join(_get_torch_home(), "hub") if _chosen is None else _chosen


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose another folder for this process."""
    global _chosen
    _chosen = os.path.expanduser(d)


def load_state_dict_from_url(
    url: str,
    model_dir: str | os.PathLike[str] | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> Any:
    """What the file holds that PyTorch would have downloaded; it has to be there.

    Args:
        url: its last part names the file.
        model_dir: where it is; ``checkpoints`` in `get_dir` if None.
        map_location: see `lazygrad.load`.
        progress: accepted, as ``check_hash`` is.
        check_hash: accepted; the hash is not looked at.
        file_name: another name for the file.
        weights_only: see `lazygrad.load`.

    Raises:
        FileNotFoundError: the file is not there; says where it should be.
    """
    folder = Path(get_dir(), "checkpoints") if model_dir is None else Path(model_dir)
    path = folder / (file_name or os.path.basename(urlparse(url).path))
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is not there: lazygrad downloads nothing. Fetch {url} and put it there, or make the model without "
            "weights and give load_state_dict what lazygrad.load makes of a file"
        )
    return _load_file(path, map_location=map_location, weights_only=weights_only)
