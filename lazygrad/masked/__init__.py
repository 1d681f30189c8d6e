"""``torch.masked``: reductions and normalizations of the elements that a mask lets through.

The masks are arguments. Tensors that carry a mask with them are not there.
"""

from __future__ import annotations

from typing import Any

from lazygrad.left_out import stand_in, stand_in_class
from lazygrad.masked._normalizations import cumprod, cumsum, log_softmax, normalize, softmax, softmin
from lazygrad.masked._reductions import (
    amax,
    amin,
    argmax,
    argmin,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    prod,
    std,
    sum,
    var,
)

__all__ = [
    "MaskedTensor", "amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum", "is_masked_tensor",
    "log_softmax", "logaddexp", "logsumexp", "masked_tensor", "mean", "median", "norm", "normalize", "prod", "softmax",
    "softmin", "std", "sum", "var",
]  # fmt: skip

_INSTEAD = "give the mask to a function of torch.masked, as mask="
MaskedTensor = stand_in_class("masked.MaskedTensor", _INSTEAD)
masked_tensor = stand_in("masked.masked_tensor", _INSTEAD)
as_masked_tensor = stand_in("masked.as_masked_tensor", _INSTEAD)


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether something is a tensor that carries a mask: False."""
    return False
