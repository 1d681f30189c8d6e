"""Plain Python values: which can be compared, and when two are the same for every program that reads them."""

from __future__ import annotations

import enum
import re
from types import CodeType, EllipsisType, NoneType, NotImplementedType
from typing import Any

import numpy as np

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType

_ATOMS = (
    NoneType, bool, int, float, complex, str, bytes, EllipsisType, NotImplementedType, range, slice, CodeType,
    np.generic, np.dtype, DType, Device, enum.Enum, re.Pattern,
)  # fmt: skip


def is_atom(value: Any) -> bool:
    """Whether a value can never change, and refers to nothing that can."""
    return (isinstance(value, _ATOMS) and not hasattr(value, "__dict__")) or isinstance(value, enum.Enum)


def same(now: Any, before: Any) -> bool:
    """Whether no program can tell two values apart, but for asking for their identities."""
    if now is before:
        return True
    if type(now) is not type(before):
        return False
    if isinstance(now, tuple):
        return len(now) == len(before) and all(map(same, now, before))
    return is_atom(now) and bool(token(now) == token(before))


def token(value: Any) -> Any:
    """What equal atoms of one type have in common, and only they: 0.0 and −0.0 differ, NaN equals itself."""
    if type(value) is float:
        return value.hex()
    if type(value) in (complex, slice):
        return repr(value)
    if isinstance(value, np.generic):
        return value.dtype.str, value.tobytes()
    return value
