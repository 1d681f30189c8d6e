"""Texts of tensors that may be on a device."""

from __future__ import annotations

import re

import lazygrad

_DEVICE = re.compile(r",\s+device='[^']*'")
_REMARK = re.compile(r",\s+(?=(?:size|nnz|dtype|layout|grad_fn|requires_grad)=)")


def without_device(text: str) -> str:
    """What remains of either framework's text where the default device is not the CPU: all but the name of the device.

    Remarks after the numbers are put on one line, because the name pushes them to the next. A text on the CPU stays.
    """
    if lazygrad.get_default_device().type == "cpu":
        return text
    return _REMARK.sub(", ", _DEVICE.sub("", text))
