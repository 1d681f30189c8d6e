"""Where the elements of an array lie."""

from __future__ import annotations

from ctypes import addressof, c_char

import numpy as np

_first_byte = c_char.from_buffer


def address_of(array: np.ndarray) -> int:
    """The address of an array's first element.

    numpy takes a microsecond to make the object that it says this with. The buffer protocol takes a quarter of that; it
    knows neither arrays that are read-only, empty or not contiguous nor the dtypes of ml_dtypes.
    """
    try:
        return addressof(_first_byte(array))  # type: ignore[arg-type]  # mypy does not see that it is a buffer
    except (BufferError, TypeError, ValueError):
        address: int = array.__array_interface__["data"][0]
        return address
