"""Files that other programs run: plans as modules of numpy."""

from lazygrad.export.numpy_module import export_numpy
from lazygrad.export.program import ExportError

__all__ = ["ExportError", "export_numpy"]
