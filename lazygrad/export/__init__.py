"""Files that other programs run: plans as modules of numpy. PyTorch's exported programs are not there."""

from typing import Any

from lazygrad.export.numpy_module import export_numpy
from lazygrad.export.program import ExportError
from lazygrad.left_out import stand_in, stand_in_class

__all__ = ["ExportError", "export_numpy"]

_INSTEAD = (
    "there is no exported program; lazygrad.export_numpy(function, example, path) writes one as a module of numpy, "
    "lazygrad.onnx.export one as an ONNX model, and lazygrad.save(module.state_dict(), path) keeps a module's values"
)
_FUNCTIONS = (
    "default_decompositions",
    "dims",
    "draft_export",
    "export",
    "load",
    "register_dataclass",
    "save",
    "unflatten",
)
_CLASSES = ("Dim", "ExportGraphSignature", "ExportedProgram", "ShapesCollection", "UnflattenedModule")


def __getattr__(name: str) -> Any:
    if name not in _FUNCTIONS and name not in _CLASSES:
        raise AttributeError(f"module 'lazygrad.export' has no attribute {name!r}")
    make = stand_in if name in _FUNCTIONS else stand_in_class
    return globals().setdefault(name, make(f"export.{name}", _INSTEAD))  # type: ignore[operator]
