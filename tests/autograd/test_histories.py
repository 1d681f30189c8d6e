"""Histories that several backward calls share, in part and in any order, give each its gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def variables(t: Any, count: int) -> list[Any]:
    draws = np.random.default_rng(0)
    return [t.tensor(draws.standard_normal((3, 3)), requires_grad=True) for _ in range(count)]


def gradients_before_backward(t: Any) -> list[Any]:
    w, v = variables(t, 2)
    loss = ((w @ v).tanh() * v).square().mean()
    earlier = t.autograd.grad(loss, [w, v], retain_graph=True)
    loss.backward()
    del loss
    return [w.grad, v.grad, *earlier]


def two_calls_into_different_leaves(t: Any) -> list[Any]:
    w, v = variables(t, 2)
    loss = (w + v).sum()
    loss.backward(inputs=[w])
    loss.backward(inputs=[v])
    del loss
    return [v.grad, w.grad]


def second_call_that_keeps_what_the_first_used_up(t: Any) -> list[Any]:
    w, v = variables(t, 2)
    loss = (w + v).sum()
    loss.backward()
    w.grad = None
    loss.backward(retain_graph=True)
    del loss
    return [v.grad, w.grad]


def two_models_in_turn(t: Any) -> list[Any]:
    g, d = variables(t, 2)
    first, second = t.optim.SGD([g], lr=0.1), t.optim.SGD([d], lr=0.1)
    for step in range(4):
        first.zero_grad()
        fake = (t.full((3, 3), 0.1 * step, dtype=t.float64) + 1) @ g
        (fake @ d).square().mean().backward()
        first.step()
        second.zero_grad()
        (fake.detach() @ d).square().mean().backward()
        second.step()
    return [g, d, g.grad, d.grad]


def penalty_with_a_hook(t: Any) -> list[Any]:
    w, v, b = variables(t, 3)
    x = t.ones(2, 3, dtype=t.float64, requires_grad=True)
    (slope,) = t.autograd.grad(((x @ w).tanh() @ v + b[0]).sum(), x, create_graph=True)
    b.register_hook(lambda gradient: gradient * 0.5)
    v.register_hook(lambda gradient: gradient * 2)
    (slope.square().sum(1).sqrt() - 1).square().mean().backward()
    return [w.grad, v.grad, t.tensor(b.grad is None)]


def penalty_with_a_custom_function(t: Any) -> list[Any]:
    class Double(t.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2

    w, v = variables(t, 2)
    x = t.ones(2, 3, dtype=t.float64, requires_grad=True)
    (slope,) = t.autograd.grad((x @ w).tanh().sum(), x, create_graph=True)
    Double.apply((slope @ v).square()).sum().backward()
    return [w.grad, v.grad]


def penalty_that_a_bias_has_no_part_in(t: Any) -> list[Any]:
    w, b = variables(t, 2)
    x = t.ones(2, 3, dtype=t.float64, requires_grad=True)
    (slope,) = t.autograd.grad(((x @ w) ** 3 + b[0]).sum(), x, create_graph=True)
    penalty = slope.square().sum()
    unused = t.autograd.grad(penalty, [b], allow_unused=True, retain_graph=True)
    penalty.backward()
    return [w.grad, t.tensor(b.grad is None), t.tensor(unused[0] is None)]


def leaf_read_before_and_after_a_write(t: Any) -> list[Any]:
    (w,) = variables(t, 1)
    before = w.sum() * 2
    with t.no_grad():
        w.add_(1)
    loss = before + (w * 3).sum()
    (gradient,) = t.autograd.grad(loss, w, retain_graph=True)
    loss.backward(inputs=[w])
    return [gradient, w.grad]


def leaf_that_a_computed_and_used_up_history_does_not_reach(t: Any) -> list[Any]:
    w, v = variables(t, 2)
    inner = w.exp()
    loss = inner.sum()
    loss.backward()
    read = [t.tensor(value.tolist()) for value in (inner, loss, w.grad)]
    unused = t.autograd.grad(loss, [v], allow_unused=True)
    used = t.autograd.grad((loss * v).sum(), [v])
    return [*read, t.tensor(unused[0] is None), *used]


def second_backward_through_a_computed_sum(t: Any) -> list[Any]:
    w, v = variables(t, 2)
    inner = w + v.t()
    loss = inner.reshape(9)[2:].sum()
    loss.backward()
    read = [t.tensor(value.tolist()) for value in (w.grad, v.grad, inner, loss)]
    loss.backward()
    return [*read, w.grad, v.grad]


def second_backward_from_above_what_the_first_used_up(t: Any) -> list[Any]:
    (w,) = variables(t, 1)
    inner = w.exp()
    outer = inner + 1
    loss = outer.sum()
    loss.backward()
    return [w.grad, *t.autograd.grad(loss, [inner])]


PROGRAMS = [
    gradients_before_backward, two_calls_into_different_leaves, second_call_that_keeps_what_the_first_used_up,
    two_models_in_turn, penalty_with_a_hook, penalty_with_a_custom_function, penalty_that_a_bias_has_no_part_in,
    leaf_read_before_and_after_a_write, leaf_that_a_computed_and_used_up_history_does_not_reach,
    second_backward_through_a_computed_sum, second_backward_from_above_what_the_first_used_up,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_gradients_are_those_of_torch(program: Callable[[Any], list[Any]]) -> None:
    have, want = ([np.asarray(value.detach()) for value in program(t)] for t in (lg, torch))
    assert len(have) == len(want)
    for ours, theirs in zip(have, want, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def again_through_a_product(t: Any) -> None:
    (w,) = variables(t, 1)
    loss = (w * w).sum()
    loss.backward()
    loss.tolist(), w.grad.tolist()
    loss.backward()


def again_by_a_leaf_that_the_first_call_left_out(t: Any) -> None:
    w, v = variables(t, 2)
    loss = (w.exp() * v.exp()).sum()
    loss.backward(inputs=[w])
    loss.tolist(), w.grad.tolist()
    t.autograd.grad(loss, [v])


def again_by_a_value_on_the_way_that_the_first_call_left_out(t: Any) -> None:
    w, v = variables(t, 2)
    inner = v.exp()
    loss = (w.exp() * inner).sum()
    loss.backward(inputs=[w])
    loss.tolist(), w.grad.tolist()
    t.autograd.grad(loss, [inner])


def again_through_what_a_second_call_used_up(t: Any) -> None:
    w, v = variables(t, 2)
    inner = w.exp()
    inner.sum().backward()
    inner.tolist(), w.grad.tolist()
    loss = (inner * v).sum()
    loss.backward(inputs=[v])
    loss.tolist(), v.grad.tolist()
    t.autograd.grad(loss, [w])


def again_below_a_younger_leaf(t: Any) -> None:
    (w,) = variables(t, 1)
    inner = w.exp()
    inner.sum().backward()
    inner.tolist(), w.grad.tolist()
    (v,) = variables(t, 1)
    (inner * v).sum().backward()


@pytest.mark.parametrize("library", [lg, torch], ids=["lazygrad", "torch"])
@pytest.mark.parametrize(
    "program",
    [
        again_through_a_product,
        again_by_a_leaf_that_the_first_call_left_out,
        again_by_a_value_on_the_way_that_the_first_call_left_out,
        again_through_what_a_second_call_used_up,
        again_below_a_younger_leaf,
    ],
)
def test_a_history_that_is_used_up_is_refused(program: Callable[[Any], None], library: Any) -> None:
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        program(library)


SAVE_NOTHING: dict[str, Callable[[Any, Any], Any]] = {
    "mean": lambda t, x: x.mean(),
    "means of rows": lambda t, x: x.mean(1, keepdim=True).sum(),
    "means of columns": lambda t, x: x.mean(0)[1:].mean(),
    "mean in 16 bits": lambda t, x: x.bfloat16().mean().float(),
    "running sum": lambda t, x: x.cumsum(0).sum(),
    "cat": lambda t, x: t.cat([x, x.neg()]).sum(),
    "stack": lambda t, x: t.stack([x, x], 1).mean(),
    "pad": lambda t, x: t.nn.functional.pad(x, (1, 1)).sum(),
    "roll": lambda t, x: x.roll(1).sum(),
    "rounded": lambda t, x: (x.round() + x.floor() + x.ceil() + x.trunc()).sum(),
    "complex": lambda t, x: t.view_as_complex(x.view(3, 2)).real.sum(),
}
SAVE: dict[str, Callable[[Any, Any], Any]] = {
    "sum over a number": lambda t, x: x.sum() / 5,
    "mean of an exponential": lambda t, x: x.exp().mean(),
    "exponential of a mean": lambda t, x: x.mean().exp(),
    "cat of a product": lambda t, x: t.cat([x, x * x]).sum(),
}


@pytest.mark.parametrize("is_updated", [False, True])
@pytest.mark.parametrize("name", [*SAVE_NOTHING, *SAVE])
def test_backward_again_where_nothing_is_saved(name: str, is_updated: bool) -> None:
    found = []
    for t in (lg, torch):
        x = t.arange(6.0).reshape(2, 3).requires_grad_()
        y = {**SAVE_NOTHING, **SAVE}[name](t, x)
        y.backward()
        if is_updated:
            x.grad.tolist()
            with t.no_grad():
                x.sub_(x.grad)
        try:
            y.backward()
        except RuntimeError as error:
            assert "backward through the graph a second time" in str(error)
            found.append("refused")
        else:
            found.append(x.grad.tolist())
    assert found[0] == found[1]
    assert (found[0] == "refused") is (name in SAVE)


def test_an_anomaly_is_looked_for_in_second_derivatives() -> None:
    w, v = variables(lg, 2)
    with lg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="nan"):
        (slope,) = lg.autograd.grad((w.abs() ** 1.5 * v).sum(), w, create_graph=True)
        (slope * 0 * (v * 0).sqrt()).sum().backward()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_an_anomaly_names_the_line_that_made_the_first_nan() -> None:
    """The backward pass meets it at the product first; the forward pass had it since the root."""
    w = lg.tensor([-1.0, 4.0], requires_grad=True)
    names = {"w": w, "lg": lg}
    exec(compile("root = lg.sqrt(w)\ntwice = root * 2\nloss = (twice * twice).sum()", "walk.py", "exec"), names)
    with lg.autograd.detect_anomaly(), pytest.raises(RuntimeError) as caught:
        names["loss"].backward()
    assert str(caught.value) == (
        "Function 'MulBackward0' returned nan values in its 0th output. It was recorded at walk.py:3. "
        "The first NaN of the forward pass is that of 'sqrt', recorded at walk.py:1."
    )
    v = lg.tensor([0.0, 4.0], requires_grad=True)
    with lg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match=r"recorded at test_histories.py:\d+\.$"):
        (v.sqrt() * 0).sum().backward()  # only the derivative is NaN
    with lg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="The forward pass was given NaN"):
        (v * lg.tensor([lg.nan, 1.0])).sum().backward()


def test_gradients_that_are_there_are_not_remembered() -> None:
    from lazygrad.autograd import used_up

    w = lg.ones(3, requires_grad=True)
    y = (w * w).sum()
    for _ in range(300):
        lg.autograd.grad(y, w, retain_graph=True)[0].tolist()
    assert len(used_up._kept._gradients) <= 65
