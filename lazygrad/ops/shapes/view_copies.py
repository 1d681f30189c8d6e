"""Functions that give a copy where the function of the same name without ``_copy`` gives a view."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from lazygrad.ops.arguments.out import accepts_out
from lazygrad.ops.arguments.registering import method
from lazygrad.ops.shapes.parts import diagonal, narrow, select, split, unbind
from lazygrad.ops.shapes.permuting import permute, t, transpose
from lazygrad.ops.shapes.reshaping import expand, squeeze, unsqueeze, view
from lazygrad.ops.shapes.splitting import split_with_sizes
from lazygrad.ops.shapes.strided import as_strided
from lazygrad.ops.shapes.view_scatter import slice_view
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "alias_copy", "as_strided_copy", "detach_copy", "diagonal_copy", "expand_copy", "narrow_copy", "permute_copy",
    "select_copy", "slice_copy", "split_copy", "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy",
    "unbind_copy", "unfold_copy", "unsqueeze_copy", "view_copy",
]
# fmt: on


def _copying(name: str, view: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(view)
    def function(*args: Any, **kwargs: Any) -> Any:
        result = view(*args, **kwargs)
        if isinstance(result, Tensor):
            return result.contiguous().clone()
        return tuple([piece.contiguous().clone() for piece in result])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"A copy of what `{name.removesuffix('_copy')}` gives a view of."
    return accepts_out(function)


def _itself(input: Tensor) -> Tensor:
    return input


def _detached(input: Tensor) -> Tensor:
    return input.detach()


alias_copy = _copying("alias_copy", _itself)
as_strided_copy = _copying("as_strided_copy", as_strided)
detach_copy = _copying("detach_copy", _detached)
diagonal_copy = _copying("diagonal_copy", diagonal)
expand_copy = _copying("expand_copy", expand)
narrow_copy = _copying("narrow_copy", narrow)
permute_copy = _copying("permute_copy", permute)
select_copy = _copying("select_copy", select)
slice_copy = _copying("slice_copy", slice_view)
split_copy = _copying("split_copy", split)
split_with_sizes_copy = _copying("split_with_sizes_copy", split_with_sizes)
squeeze_copy = _copying("squeeze_copy", squeeze)
t_copy = _copying("t_copy", t)
transpose_copy = _copying("transpose_copy", transpose)
unbind_copy = _copying("unbind_copy", unbind)
unfold_copy = _copying("unfold_copy", Tensor.unfold)
unsqueeze_copy = _copying("unsqueeze_copy", unsqueeze)
view_copy = _copying("view_copy", view)


@method("narrow_copy")
def _narrow_copy(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A copy of what `narrow` gives a view of."""
    return narrow(input, dim, start, length).clone()
