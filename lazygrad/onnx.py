"""``lazygrad.onnx``: inference programs as ONNX models."""

from __future__ import annotations

from lazygrad.export.onnx import OnnxModel, export

__all__ = ["OnnxModel", "export", "is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Whether a program is being exported: False, since programs are recorded as they run."""
    return False
