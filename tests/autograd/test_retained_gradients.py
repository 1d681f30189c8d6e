"""`retain_grad`: what is kept is the gradient of what the tensor last was, in whatever way it was written to since."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

Program = Callable[[Any, Any, Any], list[Any]]
"""Given the framework, a result that retains its gradient, and the leaf: tensors of which gradients are reported."""


def _written(t: Any, x: Any, write: Callable[[Any, Any], Any]) -> list[Any]:
    write(t, x)
    (x * 5).sum().backward()
    return [x]


def _twice(t: Any, x: Any) -> list[Any]:
    x.mul_(2)
    x.retain_grad()
    x.mul_(3)
    x.sum().backward()
    return [x]


def _read_before(t: Any, x: Any) -> list[Any]:
    y = x * 7
    x.mul_(2)
    (x.sum() + y.sum()).backward()
    return [x]


def _backward_twice(t: Any, x: Any) -> list[Any]:
    x.add_(1)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    return [x]


def _hooks(t: Any, x: Any) -> list[Any]:
    seen: list[Any] = []
    x.register_hook(lambda gradient: gradient * 10)
    x.mul_(2)
    x.register_hook(lambda gradient: seen.append(gradient.clone()))
    x.sum().backward()
    return [x, *seen]


def _view(t: Any, x: Any, read: Callable[[Any, Any], Any]) -> list[Any]:
    """A retained view whose base is written."""
    view = x[:2]
    view.retain_grad()
    x.mul_(2)
    read(x, view).backward()
    return [x, view]


def _view_read_before_the_write(t: Any, x: Any) -> list[Any]:
    view = x.view(3)
    view.retain_grad()
    y = view * 4
    x.add_(2)
    (y.sum() + x.sum()).backward()
    return [x, view]


def _view_that_is_written(t: Any, x: Any, reads_view: bool) -> list[Any]:
    view = x[:2]
    view.retain_grad()
    view.mul_(2)
    ((x * 5).sum() + (view.sum() if reads_view else 0)).backward()
    return [x, view]


def _base_through_other_view(t: Any, x: Any) -> list[Any]:
    view = x[:2]
    view.retain_grad()
    x[1:].mul_(3)
    (view * t.tensor([1.0, 2.0])).sum().backward()
    return [x, view]


def _asked_for_another(t: Any, x: Any) -> list[Any]:
    """`autograd.grad` fills the gradients retained on its way, too."""
    x.mul_(2)
    return [x, t.autograd.grad(x.sum(), x)[0]]


def _copied_into(t: Any, x: Any) -> list[Any]:
    y = t.zeros(3)
    y.copy_(x)
    y.retain_grad()
    y.mul_(2)
    y.sum().backward()
    return [x, y]


def _cut_off(t: Any, x: Any) -> list[Any]:
    x.detach_()
    x.requires_grad_()
    (x * 3).sum().backward()
    return [x]


_WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "multiplied": lambda t, x: x.mul_(2),
    "zeroed": lambda t, x: x.zero_(),
    "an element set": lambda t, x: x.__setitem__(0, 5.0),
    "a view multiplied": lambda t, x: x[:2].mul_(2),
    "filled where": lambda t, x: x.masked_fill_(x > 1, 0.0),
    "an alias written": lambda t, x: x.detach().mul_(2),
    "written without gradient": lambda t, x: t.no_grad()(x.mul_)(2),
    "not written": lambda t, x: None,
}
_READS: dict[str, Callable[[Any, Any], Any]] = {
    "the base": lambda x, view: x.sum(),
    "the view": lambda x, view: view.sum(),
    "both": lambda x, view: x.sum() + view.sum() * 3,
}
PROGRAMS: dict[str, Callable[[Any, Any], list[Any]]] = {
    **{f"the result is {name}": partial(_written, write=write) for name, write in _WRITES.items()},
    "the result is written twice": _twice,
    "the result is read before it is written": _read_before,
    "backward runs twice": _backward_twice,
    "hooks hang on the result before and after": _hooks,
    **{
        f"the base of a view is written and then {name} read": partial(_view, read=read)
        for name, read in _READS.items()
    },
    "a view is read before its base is written": _view_read_before_the_write,
    "a view is written and its base read": partial(_view_that_is_written, reads_view=False),
    "a view is written and both are read": partial(_view_that_is_written, reads_view=True),
    "the base is written through another view": _base_through_other_view,
    "a gradient is asked for": _asked_for_another,
    "a value is copied into the result": _copied_into,
    "the result becomes a leaf": _cut_off,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_that_is_kept(name: str, torch: Any) -> None:
    def gradients(t: Any) -> list[Any]:
        w = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
        x = w * 1
        x.retain_grad()
        found = PROGRAMS[name](t, x)
        tensors = [w, *found]
        return [tensor.grad if tensor.requires_grad else tensor for tensor in tensors] + [x.retains_grad]

    for _ in range(3):
        assert_alike(gradients, torch, lg)


def test_what_is_kept_goes_with_the_tensor() -> None:
    """A tensor that is gone is no target, and nothing holds it."""
    w = lg.ones(3, requires_grad=True)
    x = w * 2
    x.retain_grad()
    y = x * 3
    del x
    y.sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [6.0, 6.0, 6.0]
