"""Functions of the top-level namespace that also take sparse tensors: the method answers when one is among them.

Most functions ask when they have failed (`lazygrad.ops.arguments.elsewhere`); those that no decorator stands around
look at their arguments here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from lazygrad.ops import public
from lazygrad.ops.arguments.elsewhere import DECORATED, FAILED, Form, Others, answered_elsewhere
from lazygrad.sparse.joining import cat, stack, zeros_like
from lazygrad.sparse.products import addmm, addmm_, bmm, linear
from lazygrad.sparse.tensor import SparseTensor

Function = TypeVar("Function", bound=Callable[..., Any])

_NAMES = "conj isinf isnan t transpose".split()
# Functions whose first argument is no tensor, or need not be the sparse one.
_FUNCTIONS: dict[str, Form] = {
    "addmm": addmm,
    "addmm_": addmm_,
    "bmm": bmm,
    "cat": cat,
    "empty_like": zeros_like,
    "linear": linear,
    "stack": stack,
    "zeros_like": zeros_like,
}


def _has_sparse(arguments: Sequence[Any]) -> bool:
    for argument in arguments:
        if type(argument) is SparseTensor:
            return True
        if isinstance(argument, (list, tuple)) and any([type(part) is SparseTensor for part in argument]):
            return True
    return False


def _sparse_form(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Form | None:
    """The function or method that answers a call with a sparse tensor; None without one, or where there is none."""
    if not _has_sparse(args) and not _has_sparse([*kwargs.values()]):
        return None
    name = function.__name__
    form: Form | None = _FUNCTIONS.get(name) or vars(SparseTensor).get(name)
    return form


Others.asked.append(_sparse_form)


def _either(function: Function, sparse_form: Callable[..., Any]) -> Function:
    @functools.wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        for argument in args:
            if type(argument) is SparseTensor:
                return sparse_form(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except FAILED:
            return answered_elsewhere(DECORATED[function], args, kwargs)

    DECORATED[function] = either
    return cast(Function, either)


for _name in _NAMES:
    globals()[_name] = _either(getattr(public, _name), getattr(SparseTensor, _name))
spmm = dsmm = public.mm  # PyTorch's names for products with a sparse matrix

__all__ = [*_NAMES, "dsmm", "spmm"]
