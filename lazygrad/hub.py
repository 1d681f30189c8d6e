"""``lazygrad.hub``: lazygrad downloads nothing and runs no code from elsewhere; it loads files that are there."""

from __future__ import annotations

from lazygrad.left_out import stand_in

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

_MODEL = "nothing is downloaded; make the model in Python, and give it the state dict of a file with lazygrad.load"
_FILE = "nothing is downloaded; fetch the file with a tool of your choice, then use lazygrad.load"

load = stand_in("hub.load", _MODEL)
list = stand_in("hub.list", _MODEL)
help = stand_in("hub.help", _MODEL)
load_state_dict_from_url = stand_in("hub.load_state_dict_from_url", _FILE)
download_url_to_file = stand_in("hub.download_url_to_file", _FILE)
get_dir = stand_in("hub.get_dir", _FILE)
set_dir = stand_in("hub.set_dir", _FILE)
