"""What both frameworks' tensors hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def values(tensor: Any) -> NDArray[Any]:
    """The elements of either framework's tensor."""
    return np.array(tensor.detach().numpy())
