"""Evaluators of the factorizations: numpy and scipy's own functions, one matrix at a time, parts packed row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from lazygrad.ir.node import Node

Array = np.ndarray


def _each(compute: Callable[..., tuple[Any, ...]]) -> Callable[..., Array]:
    """``compute(node, *matrices)`` for every element of the batch, its parts joined into a vector."""

    def evaluate(node: Node, *inputs: Array) -> Array:
        batch = node.shape[:-1]
        result = np.zeros(node.shape, complex if node.op.name == "eig" else inputs[0].dtype)
        for place in np.ndindex(batch):
            found = compute(node, *[x[place] for x in inputs])
            result[place] = np.concatenate([np.ravel(part) for part in found])
        return result

    return evaluate


def _cholesky(node: Node, a: Array) -> tuple[Any, ...]:
    lower = a.conj().T if node["upper"] else a
    return np.linalg.cholesky(lower), 0


def _lu(node: Node, a: Array) -> tuple[Any, ...]:
    factors, pivots = scipy.linalg.lu_factor(a)
    return factors, pivots + 1, 0


def _ldl(node: Node, a: Array) -> tuple[Any, ...]:
    factors, pivots, _ = scipy.linalg.lapack.dsytrf(a, lower=1)
    return np.tril(factors), pivots, 0


def _lstsq(node: Node, a: Array, b: Array) -> tuple[Any, ...]:
    solution, _, rank, values = np.linalg.lstsq(a, b, rcond=node["rcond"])
    return solution, rank, values


def _ldl_solve(node: Node, factors: Array, pivots: Array, b: Array) -> Array:
    """By multiplying out, for pivots that exchange nothing: D is the diagonal, L what lies below it."""
    assert (pivots == np.arange(1, factors.shape[-1] + 1)).all()
    size = np.eye(factors.shape[-1])
    lower = np.tril(factors, -1) + size
    return np.linalg.solve(lower @ (factors * size) @ lower.swapaxes(-2, -1), b)


def _qr(node: Node, a: Array) -> tuple[Any, ...]:
    found = np.linalg.qr(a, mode=node["mode"])
    return tuple(found) if isinstance(found, tuple) else (found,)


def _pivot_order(node: Node, pivots: Array) -> Array:
    result = np.broadcast_to(np.arange(node["rows"]), node.shape).copy()
    for place in np.ndindex(node.shape[:-1]):
        for position, other in enumerate(pivots[place]):
            row = result[place]
            row[position], row[other - 1] = row[other - 1], row[position]
    return result


def _triangular_solve(node: Node, a: Array, b: Array) -> Array:
    triangle = np.triu(a) if node["upper"] else np.tril(a)
    if node["unitriangular"]:
        diagonal = np.arange(a.shape[-1])
        triangle = np.array(triangle)
        triangle[..., diagonal, diagonal] = 1
    return np.linalg.solve(triangle, b)


EVALUATORS: dict[str, Callable[..., Any]] = {
    "cholesky": _each(_cholesky),
    "lu": _each(_lu),
    "qr": _each(_qr),
    "svd": _each(lambda node, a: np.linalg.svd(a, node["full_matrices"])),
    "eigh": _each(lambda node, a: np.linalg.eigh(a, "U" if node["upper"] else "L")),
    "eig": _each(lambda node, a: np.linalg.eig(a)),
    "ldl": _each(_ldl),
    "ldl_solve": _ldl_solve,
    "geqrf": _each(lambda node, a: scipy.linalg.lapack.dgeqrf(a)[:2]),
    "lstsq": _each(_lstsq),
    "svdvals": lambda node, a: np.linalg.svd(a, compute_uv=False),
    "eigvalsh": lambda node, a: np.linalg.eigvalsh(a, "U" if node["upper"] else "L"),
    "eigvals": lambda node, a: np.linalg.eigvals(a),
    "pivot_order": _pivot_order,
    "triangular_solve": _triangular_solve,
    "matrix_exp": lambda node, a: scipy.linalg.expm(a),
}
