"""``functorch.experimental``: transforms that have become ordinary ones since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.func import functionalize, hessian, jacfwd, jvp, replace_all_batch_norm_modules_, vmap

__all__ = ["chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"]


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable[..., Any]:
    """`vmap` of as many examples at once as make a number of chunks.

    Args:
        func, in_dims, out_dims, randomness: see `vmap`.
        chunks: how many; 1 is `vmap` itself.
    """
    if chunks == 1:
        return vmap(func, in_dims, out_dims, randomness)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        count = next(arg.shape[dim] for arg, dim in zip(args, dims, strict=True) if dim is not None)
        size = -(-count // chunks)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=size)(*args, **kwargs)

    return wrapped
