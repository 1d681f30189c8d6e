"""Donation: an update writes over the old value's memory exactly when nobody can still see it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.tensor import Tensor
from tests.codegen.plans import plan_of

SIZE = 50_000


def address(x: Tensor) -> int:
    """Where the elements of a realized tensor are."""
    return x.array().ctypes.data


def fresh() -> Tensor:
    return lg.ones(SIZE).realize() * 3


@pytest.fixture
def weight() -> Tensor:
    return fresh().realize()


def update_keeps_address(weight: Tensor) -> bool:
    before = address(weight)
    weight -= 0.25
    weight.realize()
    assert weight[:2].tolist() == [2.75, 2.75]
    return address(weight) == before


def test_an_update_reuses_the_memory(weight: Tensor) -> None:
    assert update_keeps_address(weight)


def test_an_update_that_reads_a_gradient_reuses_the_memory(weight: Tensor) -> None:
    gradient = fresh().realize()
    before = address(weight)
    weight -= 0.1 * gradient
    weight.realize()
    assert address(weight) == before != address(gradient)
    assert gradient[0].item() == 3


def test_an_optimizer_step_keeps_parameters_and_moments_in_place() -> None:
    parameter = lg.nn.Parameter(fresh().realize())
    optimizer = lg.optim.Adam([parameter], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        (parameter * parameter).sum().backward()
        optimizer.step()
    moments = [value for value in optimizer.state[parameter].values() if isinstance(value, Tensor) and value.dim()]
    assert len(moments) == 2
    before = [address(tensor) for tensor in (parameter, *moments)]
    optimizer.zero_grad()
    (parameter * parameter).sum().backward()
    optimizer.step()
    assert [address(tensor) for tensor in (parameter, *moments)] == before


def pending_reader(weight: Tensor) -> tuple[object, Callable[[], list[float]]]:
    reader = weight * 2
    return reader, lambda: (reader / 2)[:2].tolist()


def pending_copy(weight: Tensor) -> tuple[object, Callable[[], list[float]]]:
    copy = weight.clone()
    return copy, lambda: copy[:2].tolist()


def pending_part(weight: Tensor) -> tuple[object, Callable[[], list[float]]]:
    part = weight[10 : SIZE // 2].clone()
    return part, lambda: part[:2].tolist()


def realized_reshape(weight: Tensor) -> tuple[object, Callable[[], list[float]]]:
    rows = (weight + 0).reshape(2, -1).detach()
    weight.copy_(rows.flatten())
    weight.realize()
    return rows, lambda: rows[0, :2].tolist()


HOLDERS = [pending_reader, pending_copy, pending_part, realized_reshape]


@pytest.mark.parametrize("hold", HOLDERS, ids=lambda hold: hold.__name__)
def test_whoever_holds_the_old_value_keeps_it(weight: Tensor, hold: Callable) -> None:
    holder, old_value = hold(weight)
    assert not update_keeps_address(weight)
    assert old_value() == [3.0, 3.0]
    assert holder is not None


def test_a_small_part_that_was_read_is_a_copy(weight: Tensor) -> None:
    part = weight[10:20]
    doubled = part * 2
    assert update_keeps_address(weight)
    assert doubled.tolist() == [6.0] * 10 and part.tolist() == [2.75] * 10


def test_a_detached_alias_sees_the_update_as_in_pytorch(weight: Tensor) -> None:
    alias = weight.detach()
    assert alias[:2].tolist() == [3.0, 3.0]
    update_keeps_address(weight)
    assert alias[:2].tolist() == [2.75, 2.75]


def test_a_detached_value_used_before_the_update_stays(weight: Tensor) -> None:
    before = weight.detach() + 0
    update_keeps_address(weight)
    assert before[:2].tolist() == [3.0, 3.0]


def test_memory_from_outside_is_written_where_it_is() -> None:
    array = np.full(SIZE, 3, np.float32)
    weight = lg.from_numpy(array)
    assert update_keeps_address(weight)
    np.testing.assert_array_equal(array, np.full(SIZE, 2.75, np.float32))


def test_memory_that_numpy_has_seen_is_written_where_it_is(weight: Tensor) -> None:
    array, reader = weight.numpy(), weight * 2
    assert update_keeps_address(weight)
    assert array[:2].tolist() == [2.75, 2.75] and reader[:2].tolist() == [6.0, 6.0]


def test_a_result_that_is_asked_for_together_with_its_input(weight: Tensor) -> None:
    result = weight + 1
    lg.realize_all([weight, result])
    assert address(weight) != address(result)
    assert weight[0].item() == 3


def test_swapped_values() -> None:
    first, second = fresh().realize(), (fresh() * 2).realize()
    old = first + 0
    first.copy_(second)
    second.copy_(old)
    del old
    lg.realize_all([first, second])
    assert (first[0].item(), second[0].item()) == (6.0, 3.0)


# Calls that start from a copy of their first input.

ROWS = [3, 0, 3]

IN_PLACE: dict[str, Callable[[Tensor], object]] = {
    "a slice assigned": lambda x: x.__setitem__(slice(10, 20), 7.0),
    "rows added": lambda x: x.index_add_(0, lg.tensor(ROWS), lg.ones(3)),
    "rows copied": lambda x: x.index_copy_(0, lg.tensor(ROWS), lg.ones(3)),
    "scattered": lambda x: x.scatter_(0, lg.tensor(ROWS), 5.0),
    "an element": lambda x: x.__setitem__(4, 1.0),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_what_a_call_changes_a_part_of_stays_in_place(weight: Tensor, name: str) -> None:
    expected = weight.numpy().copy()
    weight = lg.tensor(expected) * 1
    weight.realize()
    before = address(weight)
    IN_PLACE[name](weight)
    weight.realize()
    assert address(weight) == before
    other = lg.tensor(expected)
    with lg.unfused():
        IN_PLACE[name](other)
    assert weight.tolist() == other.tolist()


@pytest.mark.parametrize("name", IN_PLACE)
def test_who_holds_the_value_before_such_a_call_keeps_it(weight: Tensor, name: str) -> None:
    held = weight + 0
    held.realize()
    doubled = weight * 2
    IN_PLACE[name](weight)
    weight.realize()
    assert doubled.tolist() == [6.0] * SIZE and held.tolist() == [3.0] * SIZE


def test_a_value_shifted_into_itself_is_read_before_it_is_written() -> None:
    x = lg.arange(SIZE).realize() * 1
    x.realize()
    x[1:] = x[:-1].clone()
    assert x[:4].tolist() == [0, 0, 1, 2] and x[-1].item() == SIZE - 2


def test_a_call_that_refuses_leaves_the_memory_as_it_was(weight: Tensor) -> None:
    memory = weight.array()
    weight.index_copy_(0, lg.tensor([0, SIZE - 1]) + lg.tensor([0, 1]), lg.ones(2))
    with pytest.raises(IndexError):
        weight.realize()
    assert (memory == 3).all()


def donations(text: str) -> list[tuple[int, int]]:
    return [(donation.output, donation.input) for donation in plan_of(text).memory.donations]


HEAD = "%0: f32[8,8] = buffer slot=0\n%1: f32[8,8] = buffer slot=1\n"


def test_one_input_is_given_to_one_output() -> None:
    text = HEAD + "%2: f32[8,8] = exp %0\n%3: f32[8,8] = sin %0\nreturn %2 %3"
    assert donations(text) == [(1, 0)], "only the last reader may write over it"


@pytest.mark.parametrize("op", ["floor_div", "remainder", "fmod"])
def test_only_a_division_of_integers_may_refuse_its_operands(op: str) -> None:
    """What a failed plan has read must be as it was; a division of floats never fails."""
    assert donations(HEAD + f"%2: f32[8,8] = {op} %0 %1\nreturn %2") == [(0, 0), (0, 1)]
    assert donations(HEAD.replace("f32", "i64") + f"%2: i64[8,8] = {op} %0 %1\nreturn %2") == []


def test_a_remainder_in_place(weight: Tensor) -> None:
    before = address(weight)
    weight %= 2.0
    weight.realize()
    assert weight[:2].tolist() == [1, 1]
    assert address(weight) == before


def test_an_input_that_a_later_step_reads_is_kept() -> None:
    text = HEAD + "%2: f32[8,8] = exp %0\n%3: f32[8,8] = matmul %2 %0\nreturn %2 %3"
    assert donations(text) == []


def test_an_input_read_through_another_view_is_kept() -> None:
    text = HEAD + "%2: f32[8,8] = permute %0 axes=(1,0)\n%3: f32[8,8] = add %0 %2\nreturn %3"
    assert donations(text) == []


def test_an_input_of_another_type_is_kept() -> None:
    text = HEAD + "%2: f64[8,8] = cast %0 dtype='float64'\nreturn %2"
    assert donations(text) == []


def test_a_value_that_a_row_result_waits_for_is_kept() -> None:
    reduced = "%2: f32[8,8] = exp %0\n%3: f32[8,1] = reduce_sum %2 axes=(1,)\n"
    assert donations(HEAD + reduced + "%4: f32[8,8] = mul %0 %3\nreturn %2 %4") == [(1, 0)]


def test_an_input_that_is_also_a_result_is_kept() -> None:
    text = HEAD + "%2: f32[8,8] = exp %0\nreturn %2 %0"
    assert donations(text) == []


def test_a_buffer_that_a_pending_reader_sees_through_a_view_is_kept() -> None:
    x = fresh().realize()
    view = x.squeeze()
    first, second = -view, -view
    x += 1
    x.realize()
    before = first.numpy().copy()
    assert second.numpy().tolist() == before.tolist()


CALL = HEAD + "%2: i64[3] = buffer slot=2\n%3: f32[3,8] = buffer slot=3\n"


def test_a_call_is_given_what_it_starts_from() -> None:
    assert donations(CALL + "%4: f32[8,8] = put %0 %3 %2 accumulate=True\nreturn %4") == [(0, 0)]


@pytest.mark.parametrize(
    "text",
    [
        "%4: f32[8,8] = put %0 %0 %5 accumulate=True\nreturn %4",
        "%4: f32[8,8] = put %0 %3 %2 accumulate=True\n%6: f32[8,8] = matmul %4 %0\nreturn %4 %6",
        "%6: f32[8,8] = permute %0 axes=(1,0)\n%4: f32[8,8] = put %6 %3 %2 accumulate=True\nreturn %4",
        "%4: f32[8,8] = put %0 %3 %2 accumulate=True\n%6: f32[3,8] = take %4 %2\nreturn %4 %6",
    ],
    ids=["values", "a later reader", "a view", "a call that may refuse comes after"],
)
def test_what_is_read_otherwise_is_not_given_to_a_call(text: str) -> None:
    assert donations(CALL + "%5: i64[8] = buffer slot=4\n" + text) == []
