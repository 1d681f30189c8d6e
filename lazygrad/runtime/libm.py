"""The C library's elementary functions of float64 arrays, to the last bit on every processor.

numpy has functions of its own on processors with wide vectors, which round some last bits otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lazygrad.host.addresses import address_of
from lazygrad.runtime.random_engine import demand
from lazygrad.targets.devices import host_function

_WORDS_OF_A_NUMBER = 1 << 6  # numpy draws as many in the time that Python takes for one
Doubles = NDArray[np.float64]


def _outside(name: str, x: float) -> float:
    """What C gives where Python's ``math`` raises."""
    with np.errstate(all="ignore"):
        return float(getattr(np, name)(x))


def _function(name: str) -> Callable[[Doubles], Doubles]:
    of_one: Callable[[float], float] = getattr(math, name)

    def of_number(x: float) -> float:
        try:
            return of_one(x)
        except (ValueError, OverflowError):
            return _outside(name, x)

    def of_array(x: Doubles) -> Doubles:
        in_place = host_function(f"lg_{name}")
        if in_place is None:
            demand.add(_WORDS_OF_A_NUMBER * x.size)
            return np.fromiter(map(of_number, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
        values = np.array(x, order="C")
        in_place(address_of(values), values.size)
        return values

    of_array.__doc__ = f"{name} of each element, as a new array."
    return of_array


exp, log, log1p = map(_function, ("exp", "log", "log1p"))
sin, cos, tan = map(_function, ("sin", "cos", "tan"))
