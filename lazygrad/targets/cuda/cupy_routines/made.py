"""What a routine gives back, and the shapes that routines of matrices work on."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple


class Made(NamedTuple):
    """What a routine computed.

    Attributes:
        results: arrays with as many elements as the call's results have, in their order.
        refused: an array of one truth value, or one, that says whether an operand was refused.
    """

    results: Sequence[Any]
    refused: Any = False


def matrices(array: Any) -> Any:
    """The batch as one axis."""
    return array.reshape(prod(array.shape[:-2]), *array.shape[-2:])
