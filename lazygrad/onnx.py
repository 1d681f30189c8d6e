"""``lazygrad.onnx``: programs are not exported; `lazygrad.dump` writes their sources down."""

from __future__ import annotations

from lazygrad.left_out import stand_in

__all__ = ["export", "is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """Whether a program is being exported: False."""
    return False


export = stand_in(
    "onnx.export",
    "programs are not exported; lazygrad.save(module.state_dict(), path) writes a file that PyTorch can load",
)
