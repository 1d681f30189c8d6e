"""Saving objects that hold tensors, in the file format of `torch.save`, and loading files of either framework.

Such a file is a zip archive: ``data.pkl`` is a pickle of the object, in which tensors refer to storages by number, and
``data/0``, ``data/1``, … are the bytes of the storages. Tensors that share memory share it again after loading.
PyTorch's older format is in `legacy`, numpy's archives of arrays are in `npz`.
"""

from lazygrad.saving.npz import load_npz, save_npz
from lazygrad.saving.reading import MapLocation as MAP_LOCATION
from lazygrad.saving.reading import get_unsafe_globals_in_checkpoint, load
from lazygrad.saving.safe_globals import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from lazygrad.saving.storage_types import location_tag, normalize_storage_type
from lazygrad.saving.writing import DEFAULT_PROTOCOL, save

__all__ = [
    "DEFAULT_PROTOCOL",
    "MAP_LOCATION",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "load_npz",
    "location_tag",
    "normalize_storage_type",
    "safe_globals",
    "save",
    "save_npz",
]
