"""What `lazygrad.onnx.export` returns; the models themselves are judged in test_onnx.py."""

from __future__ import annotations

import lazygrad as lg


def test_its_text_has_no_weights() -> None:
    found = lg.onnx.export(lambda x: x + 1, lg.zeros(3))
    assert repr(found) == f"<OnnxModel of {len(found.content):,} bytes>"
