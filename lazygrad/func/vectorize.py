"""`vmap`: a function of one example becomes a function of stacks of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from lazygrad.autograd.vmapping import RANDOMNESS, VmapLevel
from lazygrad.levels import running
from lazygrad.ops.shapes.joining import cat
from lazygrad.pytree import Structure, broadcast, flatten
from lazygrad.tensor import Tensor


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that applies ``func`` to each example of its arguments at once.

    ``func`` is recorded once, on one example; every recorded operation is then replaced by one on whole stacks. Its
    results cannot decide what it does: asking for a value inside it raises RuntimeError.

    Args:
        func: of tensors in nested containers, returning tensors in nested containers.
        in_dims: the dimension that counts examples, for all positional arguments or as a container that matches
            them; None for what all examples share. Keyword arguments are mapped over dimension 0.
        out_dims: likewise where it lies in the results; None for results that are the same for all examples.
        randomness: whether random operations raise (``"error"``), draw for each example (``"different"``), or draw
            once for all (``"same"``).
        chunk_size: how many examples at once, in one chunk by default.

    Raises:
        RuntimeError: another ``randomness``; when called, what ``func`` may not do.
        ValueError: a bad ``chunk_size``; when called, ``in_dims`` or ``out_dims`` that do not fit.
    """
    if randomness not in RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        mapped = _Mapped(func, in_dims, out_dims, args)
        return mapped.run(kwargs, randomness, chunk_size)

    return wrapped


class _Mapped:
    """One call of a vmapped function: its arguments taken apart and checked."""

    def __init__(self, func: Callable[..., Any], in_dims: Any, out_dims: Any, args: tuple[Any, ...]) -> None:
        self.func, self.out_dims = func, out_dims
        self.name = getattr(func, "__name__", repr(func))
        if not isinstance(in_dims, int | tuple):
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially "
                f"nested) tuple matching the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                f"vmap over a function with no inputs. The latter is unsupported."
            )
        self.leaves, self.structure = flatten(args)
        dims = broadcast(in_dims, self.structure)
        if dims is None:
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of "
                f"`inputs`. in_dims has structure {flatten(in_dims)[1]} but inputs has structure {self.structure}."
            )
        complaint = f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim="
        self.dims = [_dimension(complaint, leaf, dim) for leaf, dim in zip(self.leaves, dims, strict=True)]
        self.size = self._batch_size()

    def _batch_size(self) -> int:
        pairs = zip(self.leaves, self.dims, strict=True)
        sizes = [leaf.shape[dim] for leaf, dim in pairs if dim is not None]
        if not sizes:
            raise ValueError(f"vmap({self.name})(<inputs>): at least one input must be mapped over (in_dims not None)")
        if len(set(sizes)) > 1:
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
                f"mapped dimension"
            )
        size: int = sizes[0]
        return size

    def run(self, kwargs: dict[str, Any], randomness: str, chunk_size: int | None) -> Any:
        if chunk_size is None or chunk_size >= self.size:
            outputs, structure, _ = self._run(self.leaves, self.size, kwargs, randomness)
            return structure.unflatten(outputs)
        chunks = []
        for start in range(0, self.size, chunk_size):
            length = min(chunk_size, self.size - start)
            leaves = [
                leaf if dim is None else leaf.narrow(dim, start, length)
                for leaf, dim in zip(self.leaves, self.dims, strict=True)
            ]
            chunks.append(self._run(leaves, length, kwargs, randomness))
        _, structure, dims = chunks[0]
        columns = zip(*[outputs for outputs, _, _ in chunks], strict=True)
        joined = [parts[0] if dim is None else cat(parts, dim) for parts, dim in zip(columns, dims, strict=True)]
        return structure.unflatten(joined)

    def _run(
        self, leaves: list[Any], size: int, kwargs: dict[str, Any], randomness: str
    ) -> tuple[list[Tensor], Structure, list[int | None]]:
        level = VmapLevel(size, randomness)
        examples = [
            leaf if dim is None else Tensor.from_node(level.one_of(leaf.movedim(dim, 0).node()))
            for leaf, dim in zip(leaves, self.dims, strict=True)
        ]
        with running(level):
            raw = self.func(*self.structure.unflatten(examples), **kwargs)
        outputs, structure = flatten(raw)
        dims = self._output_dims(outputs, structure)
        results = self._stacked(level, outputs, dims)
        for leaf, dim, example in zip(leaves, self.dims, examples, strict=True):
            if dim is not None and example._storage.version > 0:
                self._write_back(level, leaf, dim, example)
        return results, structure, dims

    def _output_dims(self, outputs: list[Any], structure: Structure) -> list[int | None]:
        for output in outputs:
            if not isinstance(output, Tensor):
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(output)}. Did you "
                    f"mean to set out_dims= to None for output?"
                )
        dims = broadcast(self.out_dims, structure)
        if dims is None and isinstance(self.out_dims, tuple) and len(self.out_dims) == 1:
            dims = broadcast(self.out_dims[0], structure)
        if dims is None:
            raise ValueError(
                f"vmap({self.name}, ..., out_dims={self.out_dims})(<inputs>): out_dims is not compatible with the "
                f"structure of `outputs`. out_dims has structure {flatten(self.out_dims)[1]} but outputs has structure "
                f"{structure}."
            )
        if not all(dim is None or isinstance(dim, int) for dim in dims):
            raise ValueError(
                f"vmap({self.name}, ..., out_dims={self.out_dims}): `out_dims` must be an int, None or a container of "
                f"these that says where the examples are counted."
            )
        return dims

    def _stacked(self, level: VmapLevel, outputs: list[Tensor], dims: list[int | None]) -> list[Tensor]:
        results = []
        for (node, is_stack), dim in zip(level.results([output.node() for output in outputs]), dims, strict=True):
            value = Tensor.from_node(node)
            if dim is None and is_stack:
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None"
                )
            if dim is not None:
                value = (value if is_stack else value.expand(level.size, *value.shape)).movedim(0, dim)
            results.append(value)
        return results

    def _write_back(self, level: VmapLevel, leaf: Tensor, dim: int, example: Tensor) -> None:
        """What the function wrote to its example belongs into the argument."""
        (stack,) = level.whole([example.node()])
        leaf.assign(Tensor.from_node(stack).movedim(0, dim).node(), "vmap")


def _dimension(complaint: str, leaf: Any, dim: Any) -> int | None:
    """A mapped dimension of an argument, counted from the front."""
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(f"{complaint}{dim} for an input but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{complaint}{dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor "
            f"arguments, please use None as the respective in_dim"
        )
    if not -leaf.ndim <= dim < leaf.ndim:
        raise ValueError(
            f"{complaint}{dim} for some input, but that input is a Tensor of dimensionality {leaf.ndim} so expected "
            f"in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}."
        )
    return dim % leaf.ndim
