"""The smallest programs are computed where they are asked for, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import mul
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.ir.device import CPU
from lazygrad.ir.node import make_node
from lazygrad.ir.primitives.leaf import detach
from lazygrad.runtime import at_once
from lazygrad.runtime.composite_parts import parts_of
from lazygrad.runtime.realize import cache
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs
from lazygrad.targets.devices import device_evaluator
from lazygrad.tensor import Tensor


@pytest.fixture(autouse=True)
def by_default(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs are interpreted until a plan would have been worth it, which is at once."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    monkeypatch.setattr("lazygrad.runtime.plan_cache._PLANNING", 0.0)
    before = get_interpreted_runs()
    set_interpreted_runs(None)
    cache.clear()
    yield
    set_interpreted_runs(before)


@pytest.fixture
def x() -> Tensor:
    made = lg.arange(12.0).reshape(3, 4).clone().realize()
    cache.clear()
    return made


SMALL: dict[str, Callable[[Tensor], Tensor]] = {
    "a sum": lambda x: x.sum(),
    "a comparison": lambda x: (x == x.t().t()).all(),
    "a place": lambda x: x.argmax(1),
    "a product": lambda x: x @ x.T,
    "a gather": lambda x: (x + 1)[lg.tensor([2, 0])],
    "a padding": lambda x: lg.nn.functional.pad(x, (1, 2), value=3.0),
    "a sorting": lambda x: (-x).sort(0).values,
    "a composite": lambda x: lg.softmax(x, 1),
    "a composite of parts": lambda x: lg.logsumexp(x - 3, 1),
    "parts that have parts": lambda x: lg.nn.functional.scaled_dot_product_attention(x, x + 1, x - 1),
    "a view": lambda x: (x + 1).t()[1],
    "a number": lambda x: x * 2.5 - lg.tensor(0.25),
    "some tens of operations": lambda x: sum((x * number for number in range(2, 15)), x),
}


@pytest.mark.parametrize("program", SMALL.values(), ids=SMALL)
def test_a_small_program_is_never_planned_and_finds_what_its_plan_does(
    x: Tensor, program: Callable[[Tensor], Tensor]
) -> None:
    results = [program(x).tolist() for _ in range(5)]
    assert lg.cache_info().misses == lg.cache_info().hits == 0 and lg.cache_info().interpreted >= 5
    set_interpreted_runs(0)
    planned = program(x).tolist()
    assert lg.cache_info().misses > 0
    for result in results:
        np.testing.assert_allclose(result, planned, rtol=1e-6)


LARGE: dict[str, Callable[[Tensor], Tensor]] = {
    "many elements": lambda x: x.repeat(1000, 1),
    "many operations": lambda x: sum((x * number for number in range(2, 40)), x),
    "many bytes together": lambda x: reduce(mul, [x.repeat(250, 1)] * 30),
    "a gradient": lambda x: (x * lg.ones(4, requires_grad=True)).sum(),
}


def test_values_within_a_composite_count(x: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator = device_evaluator(CPU)
    assert evaluator is not None
    parts = parts_of(lg.logsumexp(x, 1, keepdim=True).node(), evaluator)
    assert parts is not None and parts.most_bytes == x.nbytes
    monkeypatch.setattr(at_once, "_forms", {})  # what was found before does not count
    monkeypatch.setattr("lazygrad.runtime.small_forms.parts_of", lambda *_: parts._replace(most_bytes=1 << 20))
    lg.logsumexp(x, 0).tolist()
    lg.logsumexp(x, 0).tolist()
    lg.wait_for_compiler()
    lg.logsumexp(x, 0).tolist()
    assert lg.cache_info().misses > 0


@pytest.mark.parametrize("program", LARGE.values(), ids=LARGE)
def test_others_are_planned(x: Tensor, program: Callable[[Tensor], Tensor]) -> None:
    for _ in range(2):
        program(x).tolist()
    lg.wait_for_compiler()  # which makes plans, too
    program(x).tolist()
    assert lg.cache_info().misses > 0


def test_a_loop_of_small_updates_needs_no_plan(x: Tensor) -> None:
    for _ in range(100):
        x.add_(1)
        assert bool((x > 0).all())
    assert x[0, 0].item() == 100 and lg.cache_info().misses == 0


def test_what_is_computed_on_the_way_is_kept_for_its_tensor(x: Tensor) -> None:
    y = x + 1
    assert (y * 2).sum().item() == 156
    assert y.node().value is not None and not y.node().inputs and y.tolist()[0] == [1.0, 2.0, 3.0, 4.0]


def test_a_result_does_not_lie_in_the_memory_of_another(x: Tensor) -> None:
    y = x + 1
    part = y.view(-1)[:2] * 1
    both = y.t().detach()
    assert both.tolist()[0] == [1.0, 5.0, 9.0]
    y.mul_(2)
    y[0, 0] = 7
    assert part.tolist() == [1.0, 2.0] and both.tolist()[0] == [7.0, 10.0, 18.0]


def test_a_refusal_names_its_line(x: Tensor) -> None:
    numbers = lg.arange(3).realize()
    quotient = numbers // (numbers - 1)
    with pytest.raises(RuntimeError, match=r"ZeroDivisionError.*recorded at .*test_at_once.py"):
        quotient.tolist()


def test_history_is_kept_while_tangents_may_be_asked_for(x: Tensor) -> None:
    with lg.autograd.forward_ad.dual_level():
        dual = lg.autograd.forward_ad.make_dual(x, lg.ones(3, 4))
        y = dual[0] * dual[0]
        assert y[3].item() == 9.0
        tangent = lg.autograd.forward_ad.unpack_dual(y).tangent
        assert tangent is not None and tangent.tolist() == [0.0, 2.0, 4.0, 6.0]


# A form that comes again has a function of its own, after some runs.

MANY = 8


def test_a_form_that_comes_often_computes_with_the_operands_and_numbers_of_each_program(x: Tensor) -> None:
    y = (x + 100).realize()
    for i in range(MANY):
        assert (x * x).sum().item() == 506
        assert (x * y).sum().item() == 7106
        assert (y * x - i * 1.25).sum().item() == 7106 - 12 * i * 1.25
        assert (x + 1 * (-1) ** i).sum().item() == 66 + 12 * (-1) ** i
    assert lg.cache_info().misses == 0


def test_options_tell_forms_from_each_other(x: Tensor) -> None:
    for _ in range(MANY):
        assert x.sum(0).tolist() == [12.0, 15.0, 18.0, 21.0] and x.sum(1).tolist() == [6.0, 22.0, 38.0]
        assert x.long().sum().dtype is lg.int64 and x.double().sum().dtype is lg.float64
        assert (x == 0).sum().item() == 1 and (x == 0).any().item() is True and (x < 0).any().item() is False


def test_a_form_that_comes_often_keeps_what_belongs_to_a_tensor_and_nothing_else(x: Tensor) -> None:
    for i in range(MANY):
        y = x + float(i + 5.5)
        total = (y * 2).sum()
        assert total.item() == 132 + 24 * (i + 5.5)
        assert y.node().value is not None and not y.node().inputs and not total.node().inputs
        y[0, 0] = 1000.0
        assert total.item() == 132 + 24 * (i + 5.5) and y[0, 0].item() == 1000.0 and x[0, 0].item() == 0.0


def test_what_a_network_answers_without_gradients_is_kept_for_its_tensor(x: Tensor) -> None:
    """It is cut off from what computes it, whose node is nobody's: a loss and a count of hits compute it once."""
    layer = lg.nn.Linear(4, 2)
    weight, bias = layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()
    for i in range(MANY):
        with lg.no_grad():
            answer = layer(x + float(i))
            wanted = (x + float(i)).numpy() @ weight.T + bias
            loss = answer.square().sum()
            assert loss.item() == pytest.approx(float((wanted**2).sum()), rel=1e-5)
        assert answer.node().value is not None and not answer.node().inputs and not answer.requires_grad
        answer[0, 0] = 50.0
        again = layer(x + float(i)).detach()
        assert answer[0, 0].item() == 50.0 and again.tolist() == [pytest.approx(row, rel=1e-5) for row in wanted]


def test_two_that_are_cut_off_from_one_node_do_not_share_memory(x: Tensor) -> None:
    weight = lg.ones(4, 2).realize().requires_grad_()
    for _ in range(MANY):
        with lg.no_grad():
            product = x @ weight
        first, second = (lg.Tensor.from_node(make_node(detach, product.node().inputs, (), None)) for _ in range(2))
        assert (first + second).sum().item() == 264.0
        first.add_(1)
        assert second.tolist() == [[6.0, 6.0], [22.0, 22.0], [38.0, 38.0]] and first[0, 0].item() == 7.0


def test_results_of_a_form_do_not_share_memory(x: Tensor) -> None:
    sums = [x.sum(1) for _ in range(MANY)]
    for total in sums:
        total.realize()
    sums[-1].add_(1)
    sums[-2][0] = 100.0
    assert [total.tolist() for total in sums[:-2]] == [[6.0, 22.0, 38.0]] * (MANY - 2)
    parts = [(x + 1).t().contiguous().view(-1) for _ in range(MANY)]
    parts[-1].realize()
    assert all(part.tolist() == [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12] for part in parts)


def test_a_refusal_names_its_line_however_often_the_form_came(x: Tensor) -> None:
    numbers = lg.arange(3).realize()
    for _ in range(MANY):
        assert (numbers // (numbers + 1)).tolist() == [0, 0, 0]
        with pytest.raises(RuntimeError, match=r"ZeroDivisionError.*recorded at .*test_at_once.py"):
            (numbers // (numbers - 1)).tolist()


def test_numpy_warns_of_nothing_and_keeps_its_settings(x: Tensor) -> None:
    with np.errstate(all="raise"):
        for _ in range(MANY):
            assert (x / 0).sum().isnan().item() is True
        with pytest.raises(FloatingPointError):
            np.float32(1) / np.float32(0)


def test_forms_are_forgotten_when_there_are_many(x: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazygrad.runtime.at_once._MOST_FORMS", 3)
    for size in range(1, 9):
        assert (x.view(-1)[:size] + 1).sum().item() == size * (size + 1) / 2
    from lazygrad.runtime.at_once import _forms

    assert len(_forms) <= 3


def test_forms_of_many_nodes_are_forgotten_earlier(x: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_once, "_MOST_NODES_OF_FORMS", 20)
    monkeypatch.setattr(at_once, "_forms", {})
    for size in range(1, 9):
        for _ in range(5):  # the last ones by a function of their own
            assert reduce(mul, [x.view(-1)[:size]] * 6).sum().item() == sum([i**6 for i in range(size)])
        assert sum([len(form.order) for form in at_once._forms.values() if form is not None]) <= 20


# A line asks for what it asked for before, until it does not.


def _total(tensor: Tensor) -> Tensor:
    """The one line that records the sums below."""
    return (tensor * 2).sum()


def test_a_line_that_knows_a_form_finds_out_that_a_program_has_another(x: Tensor) -> None:
    for _ in range(MANY):
        assert _total(x).item() == 132
    assert _total(x[0]).item() == 12 and _total(x.t()).item() == 132 and _total(x.double()).dtype is lg.float64
    assert _total(x + 1).item() == 156 and _total(x.long()).tolist() == 132 and _total(x[1, 1]).item() == 10
    weight = lg.ones(3, 4, requires_grad=True)
    total = _total(x * weight)
    assert total.item() == 132
    total.backward()
    assert weight.grad is not None and weight.grad.tolist() == (2 * x).tolist()
    assert lg.func.grad(_total)(x).tolist() == [[2.0] * 4] * 3
    with lg.autograd.forward_ad.dual_level():
        dual = _total(lg.autograd.forward_ad.make_dual(x, lg.ones(3, 4)))
        assert dual.item() == 132
        assert lg.autograd.forward_ad.unpack_dual(dual).tangent.item() == 24


def test_a_line_knows_several_forms(x: Tensor) -> None:
    for _ in range(MANY):
        for size in range(1, 7):  # more than are known of a line
            assert _total(x.view(-1)[:size]).item() == size * (size - 1)


def _difference(first: Tensor, second: Tensor) -> Tensor:
    return (first * 3 - second * 2).sum()


def test_a_line_tells_one_operand_from_two_and_what_is_pending_from_what_is_computed(x: Tensor) -> None:
    y = (x + 1).realize()
    for _ in range(MANY):
        assert _difference(x, y).item() == 66 - 24 and _difference(x, x).item() == 66
    z = x * 1 + 5
    assert _difference(z, z).item() == 126
    assert z.node().value is not None
    assert _difference(x + 5, x + 1).item() == 378 - 156 and _difference(x + 5, x).item() == 378 - 132


def test_what_is_kept_for_a_tensor_in_one_program_is_nobodys_in_the_next(x: Tensor) -> None:
    kept = []
    for i in range(2 * MANY):
        part = x + i
        total = part.sum()
        if i % 2:
            kept.append((i, part))
        del part
        assert total.item() == 66 + 12 * i
    assert all(part.sum().item() == 66 + 12 * i for i, part in kept)


def test_a_refusal_is_one_on_a_line_that_knows_the_form(x: Tensor) -> None:
    numbers = lg.arange(3).realize()
    for divisor in [1] * MANY + [0]:
        quotient = numbers // (numbers + divisor)
        if divisor:
            assert quotient.tolist() == [0, 0, 0]
        else:
            with pytest.raises(RuntimeError, match=r"ZeroDivisionError.*recorded at .*test_at_once.py"):
                quotient.tolist()
            assert quotient.node().value is None


def test_a_line_is_planned_once_that_is_asked_for(x: Tensor) -> None:
    for _ in range(MANY):
        assert _total(x).item() == 132
    assert lg.cache_info().misses == 0
    with lg.backend("c"):
        assert _total(x).item() == 132
    assert lg.cache_info().misses == 1
    set_interpreted_runs(0)
    assert _total(x).item() == 132 and lg.cache_info().hits + lg.cache_info().misses >= 2


def test_a_view_shares_its_memory_on_a_line_that_computes_others(x: Tensor) -> None:
    def seen(tensor: Tensor) -> Tensor:
        return tensor.view(-1)

    for _ in range(MANY):
        assert seen(x + 1).tolist()[-1] == 12.0
    y = (x + 1).realize()
    view = seen(y)
    view.realize()
    y[2, 3] = 5.0
    assert view[-1].item() == 5.0


FOLDS: dict[str, Callable[[Tensor], Tensor]] = {
    "all": lambda x: x.amax(),
    "rows": lambda x: x.amin(1),
    "columns": lambda x: x.amax(0),
    "kept": lambda x: x.amax(1, keepdim=True),
    "truth": lambda x: (x > 0).any(),
    "truth of rows": lambda x: (x > 0).all(1),
    "sum": lambda x: x.sum(1),
    "integers": lambda x: x.long().amax(1),
    "half": lambda x: x.half().sum(1),
    "bfloat16": lambda x: x.bfloat16().amax(1),
    "product": lambda x: x.prod(0),
    "the larger": lambda x: lg.maximum(x, x.flip(0)).half(),
    "the larger half": lambda x: lg.maximum(x.half(), x.flip(0).half()),
    "complex": lambda x: lg.complex(x, x).sum(1),
    "real part": lambda x: lg.complex(x, x).real.double(),
    "truth of complex": lambda x: lg.complex(x, x).bool(),
    "casts": lambda x: x.bool().float().sum(),
}


@pytest.mark.parametrize("program", FOLDS.values(), ids=FOLDS)
@pytest.mark.parametrize("shape", [(2, 3), (100, 3), (3, 100), (1, 1), (0, 3)])
def test_the_function_of_a_form_finds_the_same_bits(
    program: Callable[[Tensor], Tensor], shape: tuple[int, ...]
) -> None:
    lg.manual_seed(0)
    numbers = lg.randn(shape) * lg.randint(-1, 2, shape)  # zeros of both signs among them
    numbers.realize()
    results = []
    try:
        for _ in range(MANY):
            result = program(numbers)
            array = result.array()
            results.append((result.dtype, array.shape, array.dtype, array.tobytes()))
    except (IndexError, RuntimeError):
        assert 0 in shape and not results
    assert len(set(results)) <= 1


# What a training looks at: truths about values that gradients flow through.


def test_a_truth_about_a_value_with_a_gradient_needs_no_plan_once_that_is_computed(x: Tensor) -> None:
    weight = lg.ones(4, requires_grad=True)
    for _ in range(MANY):
        loss = (x * weight).sum(1)  # a view of the sum that keeps the axis
        assert loss.tolist() == [6.0, 22.0, 38.0]
        misses, hits = lg.cache_info().misses, lg.cache_info().hits
        assert not lg.isinf(loss).any() and lg.isfinite(loss).all() and not lg.isnan(loss).any() and (loss > 5).all()
        assert (lg.cache_info().misses, lg.cache_info().hits) == (misses, hits)
        weight.grad = None
        loss.sum().backward()
        assert weight.grad is not None and weight.grad.tolist() == [12.0, 15.0, 18.0, 21.0]


def test_a_view_with_a_gradient_that_a_truth_reads_through_keeps_its_history(x: Tensor) -> None:
    weight = lg.ones(3, 4, requires_grad=True)
    product = (x * weight).realize()
    for _ in range(MANY):
        turned = product.t()
        assert (turned >= 0).all()
        assert turned.requires_grad and turned.grad_fn is not None
        (gradient,) = lg.autograd.grad(turned.sum(), weight, retain_graph=True)
        assert gradient.tolist() == x.tolist()


@pytest.mark.parametrize("name", ["isinf", "isfinite", "isnan"])
def test_truths_about_floats_are_pytorchs(name: str, torch: Any) -> None:
    numbers = [0.0, -0.0, 1.5, float("inf"), -float("inf"), float("nan")]
    for dtype in ("float32", "float16", "float64"):
        mine, theirs = [
            getattr(library, name)(library.tensor(numbers, dtype=getattr(library, dtype), requires_grad=True))
            for library in (lg, torch)
        ]
        assert mine.tolist() == theirs.tolist() and not mine.requires_grad
    assert lg.func.vmap(getattr(lg, name))(lg.tensor([numbers, numbers])).tolist() == [mine.tolist()] * 2
