"""Forward mode: `jvp` and `linearize`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.func._recorded import Recorded
from lazygrad.pytree import flatten, leaves_of
from lazygrad.tensor import Tensor


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of ``func(*primals)`` and its derivative in the direction of ``tangents``.

    It costs about as much as ``func`` once more. Operations under `no_grad` inside ``func`` count as constant, unlike
    PyTorch's, where only reverse mode looks at it.

    Args:
        func: of tensors in nested containers, returning tensors in nested containers.
        primals: a tuple of its arguments.
        tangents: the directions, in the structure and shapes of ``primals``.
        strict: refuse outputs that do not depend on the primals, instead of giving zeros.
        has_aux: whether ``func`` returns ``(output, aux)``, of which the first is differentiated.

    Returns:
        ``(output, jvp_out)`` or ``(output, jvp_out, aux)``; ``jvp_out`` has the structure of ``output``.

    Raises:
        RuntimeError: primals and tangents that do not fit each other; something that is no tensor.
        ValueError: a primal that is not floating.
    """
    name = "jvp(f, primals, tangents)"
    directions = _checked(name, primals, tangents)
    recorded = Recorded(func, primals, has_aux, name)
    if strict and not all(recorded.depends):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
            "allowed with strict=True."
        )
    pushed = recorded.structure.unflatten(recorded.jvp(directions))
    return (recorded.output, pushed, recorded.aux) if has_aux else (recorded.output, pushed)


def _checked(name: str, primals: Any, tangents: Any) -> list[Tensor]:
    """The leaves of the tangents, in the primals' dtypes."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    leaves, structure = flatten(primals)
    directions, given = flatten(tangents)
    if given != structure:
        raise RuntimeError(
            f"{name}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure} and tangents with "
            f"structure {given}"
        )
    if not leaves:
        raise RuntimeError(f"{name}: Expected primals to contain at least one Tensor.")
    for what, items in (("primals", leaves), ("tangents", directions)):
        for leaf in items:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"{name}: Expected {what} to contain only Tensors, got {type(leaf)}")
    return [_direction(leaf, direction) for leaf, direction in zip(leaves, directions, strict=True)]


def _direction(primal: Tensor, tangent: Tensor) -> Tensor:
    if not primal.dtype.differentiable:
        raise ValueError(f"Expected primal to be floating point or complex, but got: {primal.dtype}")
    if primal.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(primal.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    return tangent.to(primal.dtype)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``func(*primals)``, and a function that multiplies its Jacobian with vectors.

    Args:
        func: of tensors in nested containers, returning tensors in nested containers.
        primals: its arguments.

    Returns:
        ``(output, jvp_fn)``; ``jvp_fn(*tangents)`` takes tangents in the primals' structure and shapes.

    Raises:
        RuntimeError: something that is no tensor; when ``jvp_fn`` is called, tangents that do not fit.
    """
    recorded = Recorded(func, primals, False, "linearize(f, *primals)")
    # Not the primals themselves: what is written to them later is not what was recorded.
    shapes = [(leaf.shape, leaf.dtype) for leaf in leaves_of(primals)]
    _, structure = flatten(primals)

    def jvp_fn(*tangents: Any) -> Any:
        leaves, given = flatten(tangents)
        if given != structure:
            raise RuntimeError(f"Expected the tangents {given} to have the same argspec as the primals {structure}")
        for leaf, (shape, dtype) in zip(leaves, shapes, strict=True):
            if leaf.shape != shape:
                raise RuntimeError(f"Expected a tangent of shape {list(shape)}, but got {list(leaf.shape)}")
            if leaf.dtype is not dtype:
                raise RuntimeError(f"Expected a tangent of dtype {dtype}, but got {leaf.dtype}")
        return recorded.structure.unflatten(recorded.jvp(leaves))

    return recorded.output, jvp_fn
