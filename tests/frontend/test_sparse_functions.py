"""Custom functions with sparse tensors, as layers of graph networks have them for gradients at few places."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike


def _edges(t: Any) -> tuple[Any, Any, Any]:
    edges = t.tensor([[0, 0, 1, 2, 2], [1, 2, 1, 0, 1]])
    return edges, t.tensor([0.5, -1.0, 2.0, 1.5, 3.0], requires_grad=True), t.arange(6.0).reshape(3, 2).requires_grad_()


def _made_inside(t: Any) -> list[Any]:
    """A sparse matrix that ``forward`` makes and saves: the sparse layer of graph attention networks."""

    class Product(t.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, edges: Any, values: Any, size: Any, b: Any) -> Any:
            a = t.sparse_coo_tensor(edges, values, size)
            ctx.save_for_backward(a, b)
            return t.matmul(a, b)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            a, b = ctx.saved_tensors
            places = a._indices()
            of_values = gradient.matmul(b.t()).view(-1)[places[0] * a.shape[1] + places[1]]
            return None, of_values, None, a.t().matmul(gradient)

    edges, values, b = _edges(t)
    made = Product.apply(edges, values, (3, 3), b)
    (made**2).sum().backward()
    return [made, values.grad, b.grad]


def _given(t: Any) -> list[Any]:
    """A sparse matrix among the arguments, without a gradient of its own."""

    class Product(t.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return t.mm(a, b)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            a, _ = ctx.saved_tensors
            assert ctx.needs_input_grad == (False, True)
            return None, t.mm(a.t(), gradient)

    edges, values, b = _edges(t)
    a = t.sparse_coo_tensor(edges, values.detach(), (3, 3)).coalesce()
    first = Product.apply(a, b)
    second = Product.apply(a, first.tanh())
    second.sum().backward()
    return [first, second, b.grad]


def _through_hooks(t: Any) -> list[Any]:
    """Hooks of saved tensors see the sparse one."""
    seen = []

    def pack(x: Any) -> Any:
        seen.append(bool(x.is_sparse))
        return x

    class Product(t.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a)
            return t.mm(a, b)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return None, t.mm(ctx.saved_tensors[0].t(), gradient)

    edges, values, b = _edges(t)
    with t.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        made = Product.apply(t.sparse_coo_tensor(edges, values.detach(), (3, 3)), b)
    made.sum().backward()
    return [b.grad, t.tensor(seen)]


@pytest.mark.parametrize("program", [_made_inside, _given, _through_hooks])
def test_custom_functions_keep_sparse_tensors(program: Any, torch: Any) -> None:
    assert_alike(program, torch, lg)
