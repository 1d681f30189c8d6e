"""Operations on lists of tensors, ``torch._foreach_add_(parameters, gradients, alpha=-lr)``, which optimizers use.

Each is the tensors' own operation, one after another: what is recorded so becomes one plan anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.ops.pointwise.powers import pow as power
from lazygrad.ops.reductions.vector_norm import vector_norm
from lazygrad.tensor import Tensor

Tensors = Sequence[Tensor]

_OF_ONE = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
_WITH_OPERANDS = "add sub mul div maximum minimum clamp_max clamp_min pow addcmul addcdiv lerp".split()
# Methods of one tensor that have no operand of these names.
_METHODS = {"maximum": "clamp_min", "minimum": "clamp_max"}


def _checked(name: str, tensors: Any) -> list[Tensor]:
    """The list itself.

    Raises:
        TypeError: no list or tuple of tensors.
        RuntimeError: it is empty.
    """
    if not isinstance(tensors, (list, tuple)) or not all([isinstance(each, Tensor) for each in tensors]):
        raise TypeError(f"{name}(): argument 'self' must be a list or tuple of Tensors, not {type(tensors).__name__}")
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return list(tensors)


def _each(operand: Any, count: int) -> list[Any]:
    """An operand for each of ``count`` tensors: those of a list, or the same one for all.

    Raises:
        RuntimeError: a list of another length.
    """
    if not isinstance(operand, (list, tuple)):
        return [operand] * count
    if len(operand) == count:
        return list(operand)
    if isinstance(operand[0] if operand else None, Tensor):
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(operand)}")
    raise RuntimeError("Tensor list must have same number of elements as scalar list.")


def _scalars(operand: Any) -> Any:
    """``value=`` of `addcmul` and `addcdiv` may be a tensor with a number for each."""
    return operand.tolist() if isinstance(operand, Tensor) and operand.ndim == 1 else operand


def _listed(name: str, method: str, ending: str) -> Callable[..., Any]:
    """The function of lists called ``name`` for a tensor's ``method``; with an ``ending`` it writes into its first."""
    run = getattr(Tensor, _METHODS.get(method, method) + ending)
    takes_value = method in ("addcmul", "addcdiv")

    def function(self: Tensors, *operands: Any, **options: Any) -> Any:
        tensors = _checked(name, self)
        count = len(tensors)
        named = {key: _each(_scalars(value), count) for key, value in options.items()}
        if takes_value and len(operands) == 3:
            *operands, value = operands  # type: ignore[assignment]
            named["value"] = _each(_scalars(value), count)
        columns = [_each(operand, count) for operand in operands]
        results = [
            run(tensor, *[column[i] for column in columns], **{key: values[i] for key, values in named.items()})
            for i, tensor in enumerate(tensors)
        ]
        return list(self) if ending else tuple(results)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{method}{ending}`` of each tensor; operands are lists of tensors or numbers, or one for all."
    return function


def _foreach_pow(self: Any, exponent: Any) -> tuple[Tensor, ...]:
    """Each tensor to a power, or one number to the power of each tensor."""
    if isinstance(self, (list, tuple)):
        tensors = _checked("_foreach_pow", self)
        return tuple([power(x, y) for x, y in zip(tensors, _each(exponent, len(tensors)), strict=True)])
    return tuple([power(self, each) for each in _checked("_foreach_pow", exponent)])


def _foreach_norm(self: Tensors, ord: float = 2, dtype: DType | None = None) -> tuple[Tensor, ...]:
    """The vector norm of each tensor, 0-dim."""
    return tuple([vector_norm(each, ord, dtype=dtype) for each in _checked("_foreach_norm", self)])


def _foreach_powsum(self: Tensors, ord: float = 2, dtype: DType | None = None) -> tuple[Tensor, ...]:
    """Σ|x|ᵒʳᵈ of each tensor, 0-dim."""
    return tuple([each.abs().pow(ord).sum(dtype=dtype) for each in _checked("_foreach_powsum", self)])


def _foreach_max(self: Tensors) -> tuple[Tensor, ...]:
    """The largest element of each tensor, 0-dim."""
    return tuple([each.max() for each in _checked("_foreach_max", self)])


def _foreach_mm(self: Tensors, mat2: Tensors) -> tuple[Tensor, ...]:
    """The product of each pair of matrices."""
    tensors = _checked("_foreach_mm", self)
    return tuple([x.mm(y) for x, y in zip(tensors, _each(mat2, len(tensors)), strict=True)])


def _foreach_clone(self: Tensors) -> tuple[Tensor, ...]:
    """A copy of each tensor."""
    return tuple([each.clone() for each in _checked("_foreach_clone", self)])


def _foreach_copy_(self: Tensors, src: Tensors, non_blocking: bool = False) -> list[Tensor]:
    """Set each tensor to its like in ``src``."""
    tensors = _checked("_foreach_copy_", self)
    for target, source in zip(tensors, _each(src, len(tensors)), strict=True):
        target.copy_(source, non_blocking)
    return tensors


def _foreach_zero_(self: Tensors) -> list[Tensor]:
    """Set all elements of each tensor to 0."""
    tensors = _checked("_foreach_zero_", self)
    for each in tensors:
        each.zero_()
    return tensors


_MADE = [
    (f"_foreach_{method}{ending}", method, ending) for method in (*_OF_ONE, *_WITH_OPERANDS) for ending in ("", "_")
]
globals().update({name: _listed(name, method, ending) for name, method, ending in _MADE if name not in globals()})

__all__ = sorted(name for name in globals() if name.startswith("_foreach_"))
