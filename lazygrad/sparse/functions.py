"""Functions of the top-level namespace that also take sparse tensors: each calls the method when one is among them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from lazygrad.ops import public
from lazygrad.sparse.arithmetic import ZERO_STAYS
from lazygrad.sparse.products import addmm as _sparse_addmm
from lazygrad.sparse.tensor import SparseTensor

Function = TypeVar("Function", bound=Callable[..., Any])

_NAMES = [*ZERO_STAYS, *"add matmul mm mul mv sub sum t transpose".split()]


def _either(function: Function, sparse_form: Callable[..., Any]) -> Function:
    @functools.wraps(function)
    def either(*args: Any, **kwargs: Any) -> Any:
        for argument in args:
            if type(argument) is SparseTensor:
                return sparse_form(*args, **kwargs)
        return function(*args, **kwargs)

    return cast(Function, either)


for _name in _NAMES:
    globals()[_name] = _either(getattr(public, _name), getattr(SparseTensor, _name))
addmm = _either(public.addmm, _sparse_addmm)
spmm = dsmm = globals()["mm"]  # PyTorch's names for products with a sparse matrix

__all__ = [*_NAMES, "addmm", "dsmm", "spmm"]
