"""Whether indices lie in a range: one pass over them in C, where its functions are there."""

from __future__ import annotations

import ctypes

from lazygrad.host.buffer import Buffer, host_view
from lazygrad.runtime.backend_choice import get_backend
from lazygrad.targets.devices import host_function, want_host_functions

_WIDEST = 1 << 31  # what C's functions are exact for
_MANY = 1 << 13  # below, numpy's passes cost no more than what surrounds them
_NAMES = {4: "lg_outside_i32", 8: "lg_outside_i64"}


def all_within(value: Buffer, first: int, end: int) -> bool:
    """Whether all of at least one index are in [first, end).

    Args:
        value: int32 or int64, in host memory.
        first: 0 or negative.
        end: 0 or positive, less than 2**31.
    """
    indices = host_view(value)
    if indices.size >= _MANY and end - first < _WIDEST:
        outside = host_function(_NAMES[indices.itemsize])
        if outside is not None:
            found = ctypes.c_uint64()
            outside(value.address, indices.size, first, end - 1, ctypes.byref(found))
            return not found.value
        if get_backend() != "numpy":
            want_host_functions()
    # Read without a sign, negative numbers are the largest: where there are none, one pass is enough.
    if indices.view(f"u{indices.itemsize}").max() < end:
        return True
    return bool(indices.min() >= first and indices.max() < end)
