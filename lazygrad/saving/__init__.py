"""Saving objects that hold tensors, in the file format of `torch.save`, and loading files of either framework.

A file is a zip archive: ``data.pkl`` is a pickle of the object, in which tensors refer to storages by number, and
``data/0``, ``data/1``, … are the bytes of the storages. Tensors that share memory share it again after loading.
"""

from lazygrad.saving.reading import load
from lazygrad.saving.writing import save

__all__ = ["load", "save"]
