"""Jacobians and Hessians: one row or column per unit vector, all of them in one vectorized pass."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from lazygrad.func._arguments import ArgNums, checked_argnums, chosen, of_chosen, require_real
from lazygrad.func._recorded import Recorded
from lazygrad.func.vectorize import vmap
from lazygrad.ops.creation.ranges import eye
from lazygrad.pytree import flatten
from lazygrad.tensor import Tensor


def _unit_vectors(like: Tensor) -> Tensor:
    """All unit vectors of a tensor's space, stacked: of shape (numel, *like.shape)."""
    count = like.numel()
    return eye(count, dtype=like.dtype, device=like.device).reshape(count, *like.shape)


def jacrev(
    func: Callable[..., Any],
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func``, computed row by row in reverse mode.

    Args:
        func: of tensors in nested containers, returning tensors in nested containers.
        argnums: which positional arguments to differentiate by.
        has_aux: whether ``func`` returns ``(output, aux)``, of which the first is differentiated.
        chunk_size: how many rows at once; all by default.
        _preallocate_and_copy: accepted as PyTorch does; memory is planned either way.

    Returns:
        A function whose result has the structure of ``func``'s output and inside that the structure of the arguments;
        leaves are of shape (*output, *argument). With ``has_aux``, a pair of that and ``aux``.

    Raises:
        ValueError: ``chunk_size`` is not positive.
        RuntimeError: when called, complex arguments or outputs.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        positions = checked_argnums(argnums, len(args))
        wanted = chosen(args, positions)
        primals = wanted if isinstance(positions, tuple) else (wanted,)
        arguments, structure = flatten(wanted)
        require_real(arguments, "jacrev", "inputs")
        recorded = Recorded(of_chosen(func, args, kwargs, positions), primals, has_aux, "vjp(f, *primals)")
        require_real(recorded.outputs, "jacrev", "outputs")
        jacobians = [
            structure.unflatten(_rows(recorded, i, arguments, chunk_size)) for i in range(len(recorded.outputs))
        ]
        result = recorded.structure.unflatten(jacobians)
        return (result, recorded.aux) if has_aux else result

    return wrapper


def _rows(recorded: Recorded, number: int, arguments: list[Tensor], chunk_size: int | None) -> list[Tensor]:
    """The Jacobians of one output by all arguments."""
    output = recorded.outputs[number]

    def row(cotangent: Tensor) -> list[Tensor]:
        weights: list[Tensor | None] = [None] * len(recorded.outputs)
        weights[number] = cotangent
        return recorded.pull_back(weights)

    stacks = vmap(row, randomness="same", chunk_size=chunk_size)(_unit_vectors(output))
    return [stack.reshape(*output.shape, *argument.shape) for stack, argument in zip(stacks, arguments, strict=True)]


def jacfwd(
    func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func``, computed column by column in forward mode.

    Args:
        func, argnums, has_aux: as in `jacrev`, as is the result.
        randomness: what random operations inside ``func`` do, see `vmap`.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        positions = checked_argnums(argnums, len(args))
        wanted = chosen(args, positions)
        primals = wanted if isinstance(positions, tuple) else (wanted,)
        partial = of_chosen(func, args, kwargs, positions)
        leaves, structure = flatten(wanted)
        require_real(leaves, "jacfwd", "inputs")
        for leaf in leaves:
            if isinstance(leaf, Tensor) and not leaf.dtype.differentiable:
                raise ValueError(f"Expected primal to be floating point or complex, but got: {leaf.dtype}")
        columns = [_columns(partial, primals, leaves, i, has_aux, randomness) for i in range(len(leaves))]
        _, output_structure, aux = columns[0]
        per_output = zip(*[jacobians for jacobians, _, _ in columns], strict=True)
        result = output_structure.unflatten([structure.unflatten(parts) for parts in per_output])
        return (result, aux) if has_aux else result

    return wrapper


def _columns(
    func: Callable[..., Any], primals: Any, leaves: list[Tensor], number: int, has_aux: bool, randomness: str
) -> tuple[list[Tensor], Any, Any]:
    """The Jacobians of all outputs by one argument; the structure of the output; the auxiliary output."""
    found: dict[str, Any] = {}

    def column(tangent: Tensor) -> Any:
        recorded = Recorded(func, primals, has_aux, "jvp(f, primals, tangents)")
        require_real(recorded.outputs, "jacfwd", "outputs")
        found["structure"] = recorded.structure
        tangents: list[Tensor | None] = [None] * len(leaves)
        tangents[number] = tangent
        return recorded.jvp(tangents), recorded.aux

    argument = leaves[number]
    dims = (-1, None) if has_aux else (-1, 0)
    mapped = vmap(column if has_aux else lambda tangent: (column(tangent)[0], ()), out_dims=dims, randomness=randomness)
    stacks, aux = mapped(_unit_vectors(argument))
    jacobians = [stack.reshape(*stack.shape[:-1], *argument.shape) for stack in stacks]
    return jacobians, found["structure"], aux


def hessian(func: Callable[..., Any], argnums: ArgNums = 0) -> Callable[..., Any]:
    """A function that returns the Hessian of ``func``: forward over reverse, ``jacfwd(jacrev(func))``."""
    return jacfwd(jacrev(func, argnums), argnums)
