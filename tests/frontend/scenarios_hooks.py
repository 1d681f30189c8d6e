"""Grad modes and hooks."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

CASES: list[Case] = []
scenario = scenarios(CASES)


def _leaf(t: Any, *values: float) -> Any:
    return t.tensor(values or (1.0, 2.0, 3.0), requires_grad=True)


@scenario
def modes_as_contexts(t: Any) -> list[Any]:
    x = _leaf(t)
    seen = [t.is_grad_enabled()]
    with t.no_grad():
        seen += [t.is_grad_enabled(), (x * 2).requires_grad, (x * 2).is_leaf]
        with t.enable_grad():
            seen += [t.is_grad_enabled(), (x * 2).requires_grad]
        with t.set_grad_enabled(True):
            seen += [(x * 2).requires_grad]
        seen += [t.is_grad_enabled(), t.ones(2, requires_grad=True).requires_grad]
    with t.set_grad_enabled(False):
        seen += [(x * 2).requires_grad]
    with t.inference_mode():
        seen += [(x * 2).requires_grad]
    return [*seen, t.is_grad_enabled(), (x * 2).requires_grad]


@scenario
def set_grad_enabled_as_function(t: Any) -> list[Any]:
    x = _leaf(t)
    seen = []
    try:
        t.set_grad_enabled(False)
        seen += [t.is_grad_enabled(), (x * 2).requires_grad]
    finally:
        t.set_grad_enabled(True)
    return [*seen, t.is_grad_enabled()]


@scenario
def modes_as_decorators(t: Any) -> list[Any]:
    x = _leaf(t)

    @t.no_grad()
    def without(y: Any) -> Any:
        """Doubles."""
        return y * 2

    @t.no_grad
    def bare(y: Any) -> Any:
        return y * 2

    @t.enable_grad()
    def within(y: Any) -> Any:
        return y * 2

    @t.set_grad_enabled(False)
    def switched(y: Any) -> Any:
        return y * 2

    t.set_grad_enabled(True)  # the decorator call above is a statement as well
    with t.no_grad():
        inside = within(x).requires_grad
    outside = [without(x).requires_grad, bare(x).requires_grad, switched(x).requires_grad, (x * 2).requires_grad]
    return [inside, outside, without.__name__, without.__doc__]


@scenario
def modes_on_generators(t: Any) -> list[Any]:
    x = _leaf(t)

    @t.no_grad()
    def steps() -> Any:
        for factor in range(3):
            yield (x * factor).requires_grad

    return [(inside, t.is_grad_enabled()) for inside in steps()]


@scenario
def modes_are_restored_after_errors(t: Any) -> list[Any]:
    def failing() -> None:
        with t.no_grad():
            raise ValueError("stop")

    return [raised(failing), t.is_grad_enabled()]


@scenario
def results_made_without_grad(t: Any) -> list[Any]:
    x = _leaf(t)
    with t.no_grad():
        y = x * 2
    (x * y).sum().backward()
    return [x.grad, y.requires_grad, y.grad_fn is None]


@scenario
def hooks_see_gradients(t: Any) -> list[Any]:
    x = _leaf(t)
    middle = x * 2
    seen: list[Any] = []
    middle.register_hook(lambda gradient: seen.append(gradient.clone()))
    x.register_hook(lambda gradient: seen.append(gradient.clone()))
    (middle**2).sum().backward()
    return [seen, x.grad]


@scenario
def hooks_change_gradients(t: Any) -> list[Any]:
    x = _leaf(t)
    middle = x * 2
    middle.register_hook(lambda gradient: gradient * 10)
    middle.register_hook(lambda gradient: gradient + 1)
    x.register_hook(lambda gradient: gradient.clamp(max=500.0))
    (middle**2).sum().backward()
    return [x.grad]


@scenario
def hooks_can_be_removed(t: Any) -> list[Any]:
    x = _leaf(t)
    calls: list[int] = []
    handle = x.register_hook(lambda gradient: calls.append(1))
    (x * 2).sum().backward()
    handle.remove()
    (x * 2).sum().backward()
    handle.remove()
    with x.register_hook(lambda gradient: gradient * 100):
        (x * 2).sum().backward()
    (x * 2).sum().backward()
    return [len(calls), x.grad]


@scenario
def hooks_run_once_for_each_backward(t: Any) -> list[Any]:
    x = _leaf(t)
    shared = x.exp()
    seen: list[Any] = []
    shared.register_hook(lambda gradient: seen.append(gradient.clone()))
    loss = (shared * 2).sum() + (shared**2).sum() + shared[0]
    loss.backward(retain_graph=True)
    loss.backward()
    return [len(seen), seen, x.grad]


@scenario
def hooks_and_retain_grad(t: Any) -> list[Any]:
    x = _leaf(t)
    middle = x * 2
    middle.retain_grad()
    middle.register_hook(lambda gradient: gradient * 3)
    middle.sum().backward()
    return [middle.grad, x.grad]


@scenario
def hooks_act_in_autograd_grad(t: Any) -> list[Any]:
    x = _leaf(t)
    middle = x * 2
    middle.register_hook(lambda gradient: gradient * 3)
    return [*t.autograd.grad((middle**2).sum(), x), x.grad]


@scenario
def hooks_refuse(t: Any) -> list[Any]:
    x = _leaf(t)

    def wrong(_gradient: Any) -> Any:
        return t.ones(2)

    x.register_hook(wrong)
    return [raised(lambda: t.ones(2).register_hook(print)), raised((x * 2).sum().backward)]


@scenario
def hooks_after_accumulation(t: Any) -> list[Any]:
    x = _leaf(t)
    seen: list[Any] = []
    handle = x.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad.clone()))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    handle.remove()
    (x * 2).sum().backward()
    return [seen, x.grad]
