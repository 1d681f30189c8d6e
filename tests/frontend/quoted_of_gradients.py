"""Messages of errors about gradients; see `quoted`."""

from __future__ import annotations

from typing import Any

from .quoted import Quoted


def _overwritten_leaf(t: Any) -> None:
    x = t.ones(3, requires_grad=True)
    x += 1


def _overwritten_view_of_leaf(t: Any) -> None:
    x = t.ones(3, requires_grad=True)
    x[0] = 2.0


def _backward_twice(t: Any) -> None:
    x = t.ones(3, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    y.backward()


def _closed_function(t: Any) -> None:
    class Old(t.autograd.Function):
        def forward(self, x: Any) -> Any:
            return x

    Old()(t.ones(1))


GRADIENTS = [
    Quoted(
        "no gradient",
        lambda t: t.ones(1).backward(),
        "element 0 of tensors does not require grad and does not have a grad_fn",
    ),
    Quoted(
        "not a scalar",
        lambda t: t.ones(3, requires_grad=True).backward(),
        "grad can be implicitly created only for scalar outputs",
    ),
    Quoted("backward twice", _backward_twice, "Trying to backward through the graph a second time"),
    Quoted(
        "leaf in place", _overwritten_leaf, "a leaf Variable that requires grad is being used in an in-place operation."
    ),
    Quoted(
        "view of a leaf in place",
        _overwritten_view_of_leaf,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    Quoted(
        "unused",
        lambda t: t.autograd.grad(t.ones(1, requires_grad=True).sum(), t.ones(1, requires_grad=True)),
        "appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.",
    ),
    Quoted(
        "by what has no gradient",
        lambda t: t.autograd.grad(t.ones(1, requires_grad=True).sum(), t.ones(1)),
        "One of the differentiated Tensors does not require grad",
    ),
    Quoted(
        "weight shape",
        lambda t: (t.ones(3, requires_grad=True) * 2).backward(t.ones(2)),
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of "
        "torch.Size([3]).",
    ),
    Quoted(
        "hook on a constant",
        lambda t: t.ones(1).register_hook(lambda g: g),
        "cannot register a hook on a tensor that doesn't require gradient",
    ),
    Quoted(
        "retain on a constant",
        lambda t: t.ones(1).retain_grad(),
        "can't retain_grad on Tensor that has requires_grad=False",
    ),
    Quoted(
        "flag of a result",
        lambda t: (t.ones(1, requires_grad=True) * 2).requires_grad_(False),
        "you can only change requires_grad flags of leaf variables.",
    ),
    Quoted("old function", _closed_function, "Legacy autograd function with non-static forward method is deprecated."),
    Quoted(
        "assigned gradient",
        lambda t: setattr(t.ones(2, requires_grad=True), "grad", t.ones(3)),
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and "
        "the "
        "tensor are the same size",
    ),
    Quoted(
        "assigned gradient's dtype",
        lambda t: setattr(t.ones(2, requires_grad=True), "grad", t.ones(2, dtype=t.float64)),
        "attempting to assign a gradient with dtype",
    ),
    Quoted(
        "gradient that is not",
        lambda t: setattr(t.ones(2, requires_grad=True), "grad", 1.0),
        "assigned grad expected to be a Tensor or None but got",
    ),
    Quoted(
        "out of a leaf",
        lambda t: t.add(t.ones(2, requires_grad=True), 1, out=t.ones(2)),
        "functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
        "grad.",
    ),
    Quoted(
        "write to an expanded view",
        lambda t: t.ones(1).expand(3).add_(1),
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation.",
    ),
    Quoted(
        "detach a view",
        lambda t: (t.ones(2, requires_grad=True) * 2)[:1].detach_(),
        "Can't detach views in-place. Use detach() instead",
    ),
]
