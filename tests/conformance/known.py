"""Where lazygrad differs from PyTorch on purpose or for a stated reason: operation and check → why.

A check is `errors`, `out=`, a dtype (`float16`), or a dtype's gradients (`complex128 gradients`); `*` is all of them.
"""

from __future__ import annotations

from lazygrad.left_out import LEFT_OUT as LEFT_OUT

_NO_COMPLEX_HALF = "there is no complex dtype of two 16-bit parts"
_ROUNDED_ONCE = "computed in float32 and rounded once: torch's intermediate results overflow to NaN"

DIFFERENCES: dict[tuple[str, str], str] = {
    ("chalf", "*"): _NO_COMPLEX_HALF,
    ("complex", "float16"): _NO_COMPLEX_HALF,
    ("view_as_complex", "float16"): _NO_COMPLEX_HALF,
    ("matrix_exp", "float16"): _ROUNDED_ONCE,
    ("matrix_exp", "bfloat16"): _ROUNDED_ONCE,
}


def reason(operation: str, check: str) -> str | None:
    """Why this check of an operation is not made; None when it is."""
    return DIFFERENCES.get((operation, check)) or DIFFERENCES.get((operation, "*"))
