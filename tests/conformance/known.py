"""Where lazygrad differs from PyTorch on purpose or for a stated reason: operation and check → why.

A check is `errors`, `out=`, a dtype (`float16`), or a dtype's gradients (`complex128 gradients`); `*` is all of them.
"""

from __future__ import annotations

from lazygrad.left_out import LEFT_OUT as LEFT_OUT

DIFFERENCES: dict[tuple[str, str], str] = {
    **dict.fromkeys(
        (("matrix_exp", "float16"), ("matrix_exp", "bfloat16")),
        "computed in float32 and rounded once: torch's intermediate results overflow to NaN",
    ),
}


def reason(operation: str, check: str) -> str | None:
    """Why this check of an operation is not made; None when it is."""
    return DIFFERENCES.get((operation, check)) or DIFFERENCES.get((operation, "*"))
