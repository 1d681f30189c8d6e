"""Reverse mode: `vjp`, and `grad` for functions with one number as result."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from lazygrad.func._arguments import ArgNums, checked_argnums, chosen, of_chosen, with_aux
from lazygrad.func._recorded import Recorded
from lazygrad.ir.dtype import Category
from lazygrad.pytree import flatten
from lazygrad.tensor import Tensor


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of ``func(*primals)``, and a function that multiplies vectors with its Jacobian from the left.

    Args:
        func: of tensors in nested containers, returning tensors in nested containers.
        primals: its arguments; every leaf a floating or complex tensor.
        has_aux: whether ``func`` returns ``(output, aux)``, of which the first is differentiated.

    Returns:
        ``(output, vjp_fn)`` or ``(output, vjp_fn, aux)``. ``vjp_fn(cotangents)`` takes cotangents in the output's
        structure and returns a tuple with one gradient per primal, in the primals' structure.

    Raises:
        ValueError: a primal that is not a tensor.
        RuntimeError: a primal that is not floating; an output that is not a floating tensor.
    """
    recorded = Recorded(func, primals, has_aux, "vjp(f, *primals)")
    for output in recorded.outputs:
        if not output.dtype.differentiable:
            raise RuntimeError(
                f"vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{output.dtype}"
            )
    _, structure = flatten(primals)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        """One gradient per primal; the arguments beside ``cotangents`` are PyTorch's and change nothing."""
        leaves, given = flatten(cotangents)
        if given != recorded.structure or not all(isinstance(leaf, Tensor) for leaf in leaves):
            raise RuntimeError(
                f"Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {given}, primal output: {recorded.structure}"
            )
        for i, (leaf, output) in enumerate(zip(leaves, recorded.outputs, strict=True)):
            if leaf.shape != output.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {leaf.shape} and output[{i}] has a shape of "
                    f"{output.shape}."
                )
        weights = [leaf.to(output.dtype) for leaf, output in zip(leaves, recorded.outputs, strict=True)]
        return structure.unflatten(recorded.pull_back(weights))

    if has_aux:
        return recorded.output, vjp_fn, recorded.aux
    return recorded.output, vjp_fn


def grad_and_value(func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func`` and its value.

    Args:
        func: returns a 0-dim tensor, or a pair of one and something else if ``has_aux``.
        argnums: which positional arguments to differentiate by.
        has_aux: whether ``func`` returns ``(output, aux)``.

    Returns:
        A function with ``func``'s parameters that returns ``(gradients, value)`` or ``(gradients, (value, aux))``.
        Gradients have the structure of the argument that ``argnums`` names, or are a tuple of such.

    Raises:
        RuntimeError: when called: bad ``argnums``; ``func`` returns something else than one 0-dim tensor of
            real numbers.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        positions = checked_argnums(argnums, len(args))
        name = "grad_and_value(f)(*args)"
        wanted = chosen(args, positions)
        primals = wanted if isinstance(positions, tuple) else (wanted,)
        partial = of_chosen(func, args, kwargs, positions)

        def scalar(*varied: Any) -> Any:
            output, aux = with_aux(partial(*varied), has_aux, name)
            _require_scalar(output)
            return output, aux

        recorded = Recorded(scalar, primals, True, name)
        gradients = recorded.pull_back([recorded.outputs[0].detach().new_ones(())])
        result = flatten(wanted)[1].unflatten(gradients)
        return result, (recorded.output, recorded.aux) if has_aux else recorded.output

    return wrapper


def _require_scalar(output: Any) -> None:
    if not isinstance(output, Tensor):
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
    if output.ndim:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
            f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )
    if output.dtype.category is Category.COMPLEX:
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")


def grad(func: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func``; with ``has_aux``, ``(gradients, aux)``.

    Parameters, structure of the gradients and errors are those of `grad_and_value`.
    """
    with_value = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradients, value = with_value(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return wrapper
