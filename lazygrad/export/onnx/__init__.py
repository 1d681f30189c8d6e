"""Inference programs as ONNX models."""

from lazygrad.export.onnx import calls, composites, elementwise, movement  # noqa: F401, they fill the table
from lazygrad.export.onnx.export import OnnxModel, export

__all__ = ["OnnxModel", "export"]
