"""Either framework under the names they share, so that one program trains on both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import lazygrad
from lazygrad import data, nn, optim


@dataclass(frozen=True)
class Framework:
    """The modules that a training script imports."""

    lib: Any
    nn: Any
    optim: Any
    data: Any


LAZYGRAD = Framework(lazygrad, nn, optim, data)
