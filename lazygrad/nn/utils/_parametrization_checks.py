"""What a parametrization may not change: a tensor's dtype and shape."""

from __future__ import annotations

from typing import Any

from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor


def check_original(original: Tensor, new: Tensor) -> None:
    for fact in ("dtype", "device"):
        before, after = getattr(original, fact), getattr(new, fact)
        if before != after:
            raise ValueError(
                f"When `right_inverse` outputs one tensor, it may not change the {fact}.\n"
                f"original.{fact}: {before}\nright_inverse(original).{fact}: {after}"
            )


def check_kept(value: Any, dtype: object, shape: object, flag: str, names: tuple[str, str]) -> None:
    """Raises ValueError unless a parametrization has returned a tensor of that dtype and shape."""
    if not isinstance(value, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
    for fact, before, after in (("dtype", dtype, value.dtype), ("shape", shape, value.shape)):
        if before != after:
            labels = [name.replace("*", fact) if "*" in name else f"{name} {fact}" for name in names]
            raise ValueError(
                f"Registering a parametrization may not change the {fact} of the tensor, unless {flag} is enabled.\n"
                f"{labels[0]}: {before}\n{labels[1]}: {after}"
            )


def check_further(module: Module, name: str, parametrization: Module) -> None:
    """Raises ValueError if one more parametrization would change dtype or shape, there or back."""
    present = getattr(module, name)
    new = parametrization(present)
    own = f"module.{name}"
    check_kept(new, present.dtype, present.shape, "the `unsafe` flag",
                (f"{own}.*", f"parametrization({own}).*"))  # fmt: skip
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(new)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for fact in ("dtype", "shape"):
        before, after = getattr(present, fact), getattr(back, fact)
        if before != after:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {fact} as {own}, unless the "
                f"`unsafe` flag is enabled.\n{own}.{fact}: {before}\nreturned {fact}: {after}"
            )
