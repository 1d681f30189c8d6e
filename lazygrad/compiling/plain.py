"""What is known about Python's own values and functions: which never change, and which calls depend on nothing else."""

from __future__ import annotations

import collections
import enum
import functools
import itertools
import math
import operator
import re
from types import CodeType, EllipsisType, NoneType, NotImplementedType
from typing import Any

import numpy as np

from lazygrad.autograd.hooks import HookRegistry
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.size import Size

_VALUES = (
    NoneType, bool, int, float, complex, str, bytes, EllipsisType, NotImplementedType, range, DType, Device,
)  # fmt: skip
_ATOMS = (*_VALUES, slice, CodeType, np.generic, np.dtype, enum.Enum, re.Pattern)
TUPLES = (tuple, Size)
DICTS = (dict, collections.OrderedDict, HookRegistry, collections.defaultdict)
CONTAINERS = (list, set, frozenset, *DICTS)

PURE_TYPES = frozenset(
    (
        int, float, bool, complex, str, bytes, list, tuple, dict, set, frozenset, range, slice, enumerate, zip,
        reversed, map, filter, collections.OrderedDict, itertools.chain, itertools.islice, itertools.product,
        itertools.repeat, itertools.accumulate, itertools.combinations, itertools.permutations,
        itertools.zip_longest, itertools.starmap,
    )
)  # fmt: skip
PURE_FUNCTIONS = frozenset(
    [abs, min, max, sum, sorted, round, divmod, pow, any, all, len, callable, chr, ord, iter, next, functools.reduce]
    + [each for name, each in vars(math).items() if callable(each)]
    + [
        getattr(operator, name)
        for name in "add sub mul truediv floordiv mod pow matmul neg pos abs eq ne lt le gt ge and_ or_ xor not_ truth "
        "index invert lshift rshift contains".split()
    ]
)
# Of these, the first argument is a function to be called; a function given as key= is called by all.
CALLING = frozenset((map, filter, itertools.starmap, functools.reduce))
# These take the items of their arguments, and do nothing else with them.
ITERATING = frozenset(
    (list, tuple, set, frozenset, enumerate, zip, map, filter, itertools.chain, sorted, sum, any, all)
)
READING_METHODS = frozenset(
    "get items keys values copy index count union intersection difference isdisjoint issubset issuperset "
    "__len__ __iter__ __contains__ __getitem__ __reversed__".split()
)
NEW_FROM_METHODS = frozenset("items keys values copy union intersection difference __iter__ __reversed__".split())


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def is_heap_type(cls: type) -> bool:
    """Whether a class was made by a class statement; others never change."""
    return bool(cls.__flags__ & _HEAP_TYPE)


def is_record(value: Any) -> bool:
    """Whether a value is an instance of a dataclass, and of no other class, that holds all it has in a dictionary."""
    kind = type(value)
    return (
        type(kind) is type
        and "__dataclass_fields__" in vars(kind)
        and kind.__bases__ == (object,)
        and kind.__dictoffset__ != 0
        and "__slots__" not in vars(kind)
    )


def is_plain(value: Any) -> bool:
    """Whether a value can never change, and computing with it runs no code but Python's and numpy's."""
    kind = type(value)
    if kind in _VALUES or isinstance(value, (np.generic, np.dtype)):
        return True
    if kind is slice:
        return is_plain(value.start) and is_plain(value.stop) and is_plain(value.step)
    return kind in TUPLES and all(map(is_plain, value))


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
