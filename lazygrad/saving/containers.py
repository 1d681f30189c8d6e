"""Python's own classes in a file that is not trusted: which it may name, and how their objects are made.

A pickle makes some objects by calling their class. Classes take much more than pickle gives them (``bytearray(2**33)``,
``list(range(2**40))``), so what is called here takes what pickle writes and nothing else.
"""

from __future__ import annotations

import builtins
import collections
import pickle
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.ir.memory_format import Layout
from lazygrad.tensor import Tensor

_BUILTINS = "bool bytearray bytes complex dict float frozenset int list range set slice str tuple".split()
_COLLECTIONS = ("OrderedDict", "Counter", "defaultdict", "deque")

DICTS = (dict, OrderedDict, Counter, defaultdict)

# Classes by their names; the range of Python 3 is written as xrange by protocol 2.
NAMES: dict[str, Any] = {
    **{f"{module}.{name}": getattr(builtins, name) for name in _BUILTINS for module in ("builtins", "__builtin__")},
    **{f"collections.{name}": getattr(collections, name) for name in _COLLECTIONS},
    "__builtin__.xrange": range,
}

_WITHOUT_PARTS = (str, bytes, float, complex, type(None), DType, Device, Layout, type, range, Tensor)
_LARGEST_KEY = 1 << 16
_DEEPEST_KEY = 100  # Python's hash of nested tuples calls itself without asking how much of the stack is left


def cost_of_hashing(key: Any) -> int:
    """How much work it is to hash a key of a dict or an element of a set; of one with few parts, none worth counting.

    Raises:
        pickle.UnpicklingError: an object that cannot be one, or too many tuples inside each other.
    """
    if type(key) is str:
        return 0
    cost, waiting = 1, [(key, 0)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, (tuple, frozenset)):
            cost += len(part)
            if cost > _LARGEST_KEY or depth == _DEEPEST_KEY:
                raise pickle.UnpicklingError("load: a key of a dict has too many parts")
            if isinstance(part, tuple):  # a frozenset has the hashes of its elements
                waiting += [(inner, depth + 1) for inner in part]
        elif isinstance(part, int):
            cost += part.bit_length() >> 6
        elif not isinstance(part, _WITHOUT_PARTS):
            raise pickle.UnpicklingError(f"load: {type(part).__name__} is no key of a dict and no element of a set")
    return cost >> 3


def _require(condition: bool, name: str) -> None:
    if not condition:
        raise pickle.UnpicklingError(f"load: the file makes a {name} of what cannot be one")


def _elements(kind: type[Any], spend: Callable[[int], None], items: tuple[Any, ...]) -> Any:
    _require(not items or (len(items) == 1 and isinstance(items[0], (list, tuple))), kind.__name__)
    for item in items[0] if items else ():
        spend(cost_of_hashing(item))
    return kind(*items)


def set_of(spend: Callable[[int], None], *items: Any) -> set[Any]:
    """A set of a list's elements."""
    found: set[Any] = _elements(set, spend, items)
    return found


def frozenset_of(spend: Callable[[int], None], *items: Any) -> frozenset[Any]:
    """A frozenset of a list's elements."""
    found: frozenset[Any] = _elements(frozenset, spend, items)
    return found


def ordered_dict_of(spend: Callable[[int], None], *items: Any) -> OrderedDict[Any, Any]:
    """An empty one; or one of a list of pairs, as Python 2 wrote it."""
    _require(not items or (len(items) == 1 and isinstance(items[0], (list, tuple))), "OrderedDict")
    for pair in items[0] if items else ():
        _require(isinstance(pair, (list, tuple)) and len(pair) == 2, "OrderedDict")
        spend(cost_of_hashing(pair[0]))
    return OrderedDict(*items)


def default_dict_of(spend: Callable[[int], None], factory: Any = None) -> defaultdict[Any, Any]:
    """An empty one with a factory that is a class of this file."""
    _require(factory is None or any(factory is known for known in NAMES.values()), "defaultdict")
    return defaultdict(factory)


def counter_of(spend: Callable[[int], None], counts: Any = None) -> Counter[Any]:
    """A Counter of a dict of counts."""
    _require(counts is None or type(counts) is dict, "Counter")
    return Counter(counts)


def deque_of(spend: Callable[[int], None], items: Any = (), longest: Any = None) -> deque[Any]:
    """A deque of a list's elements, or an empty one."""
    _require(isinstance(items, (list, tuple)) and (longest is None or type(longest) is int), "deque")
    return deque(items, longest)


def bytes_of(spend: Callable[[int], None], *content: Any) -> bytes:
    """No bytes: pickle writes others in other ways."""
    _require(not content, "bytes")
    return b""


def bytearray_of(spend: Callable[[int], None], *content: Any) -> bytearray:
    """A bytearray of bytes, or of text in latin-1."""
    match content:
        case ():
            return bytearray()
        case (bytes() as whole,):
            return bytearray(whole)
        case (str() as text, "latin-1" | "latin1"):
            return bytearray(text, "latin-1")
    raise pickle.UnpicklingError("load: the file makes a bytearray of what cannot be one")


def complex_of(spend: Callable[[int], None], real: Any, imaginary: Any) -> complex:
    """A complex number of its parts."""
    _require(type(real) is float and type(imaginary) is float, "complex")
    return complex(real, imaginary)


def range_of(spend: Callable[[int], None], start: Any, stop: Any, step: Any) -> range:
    """A range of three integers."""
    _require(all(type(number) is int for number in (start, stop, step)), "range")
    return range(start, stop, step)


def slice_of(spend: Callable[[int], None], start: Any, stop: Any, step: Any) -> slice:
    """A slice of three integers or None."""
    _require(all(number is None or type(number) is int for number in (start, stop, step)), "slice")
    return slice(start, stop, step)


# What is called in place of a class. The first argument is told how many steps each call takes beyond the file's bytes.
CALLABLE: dict[Any, Callable[..., Any]] = {
    set: set_of, frozenset: frozenset_of, OrderedDict: ordered_dict_of, defaultdict: default_dict_of,
    Counter: counter_of, deque: deque_of, bytes: bytes_of, bytearray: bytearray_of, complex: complex_of,
    range: range_of, slice: slice_of,
}  # fmt: skip
