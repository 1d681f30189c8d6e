"""Elements of computed tensors are read and written where they lie, unless somebody could tell the difference."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime.realize import cache
from lazygrad.tensor import Tensor

pytestmark = pytest.mark.host_memory("elements lie in the CPU's memory")


def realizations() -> int:
    info = lg.cache_info()
    return info.hits + info.misses + info.interpreted


@pytest.fixture
def x() -> Tensor:
    made = lg.arange(12.0).reshape(3, 4).clone().realize()
    cache.clear()
    return made


def test_reading_elements_runs_no_program(x: Tensor) -> None:
    assert x[1, 2].item() == x[1][2].item() == float(x[-2][-2]) == 6.0
    assert [int(number) for number in x[2]] == [8, 9, 10, 11] and x[:, 1].tolist() == [1.0, 5.0, 9.0]
    assert x[1:, ::2].tolist() == [[4.0, 6.0], [8.0, 10.0]] and len(x[0]) == 4 and x[0].shape == (4,)
    assert x.view(2, 6)[1, 0].item() == 6.0 and x[0, None].shape == (1, 4)
    assert realizations() == 0


def test_writing_elements_runs_no_program_and_stays_in_memory(x: Tensor) -> None:
    row, place = lg.tensor([1.0, 2.0, 3.0, 4.0]), x.node().value.address
    x[0, 1] = 7
    x[1] = row
    x[2] = x[0]
    x[:, 3] = -1.5
    x.view(-1)[0] = 9
    assert x.tolist() == [[9.0, 7.0, 2.0, -1.5], [1.0, 2.0, 3.0, -1.5], [0.0, 7.0, 2.0, -1.5]]
    assert realizations() == 0 and x.node().value.address == place and x._version == 5


def test_overlapping_rows_are_read_before_they_are_written(x: Tensor) -> None:
    x[1:] = x[:-1]
    assert x[:, 0].tolist() == [0.0, 0.0, 4.0]


KEPT: dict[str, Callable[[Tensor], Any]] = {
    "a pending operation": lambda x: x * 1,
    "a pending operation on a view": lambda x: x.t() * 1,
    "a copy": lambda x: x.clone(),
    "a copy of a part": lambda x: x[0].clone(),
    "a joined row": lambda x: lg.stack([x[0], x[0]]),
}


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_what_was_recorded_before_a_write_keeps_what_it_read(x: Tensor, kept: Callable[[Tensor], Any]) -> None:
    recorded = kept(x)
    x[0, 0] = 100
    assert 100 not in recorded.reshape(-1).tolist() and x[0, 0].item() == 100
    x[0, 0] = 200
    assert 100 not in recorded.reshape(-1).tolist() and x[0].sum().item() == 206


def test_all_views_see_a_write(x: Tensor) -> None:
    row, column, flat = x[0], x.t()[1], x.view(-1)
    before = (row * 1, column * 1, flat * 1)
    x[0, 1] = 100
    assert row.tolist()[1] == column.tolist()[0] == flat[1].item() == (row * 1)[1].item() == 100
    row[1] = 50
    column.data[0] += 1
    assert x[0, 1].item() == (flat * 1)[1].item() == 51
    assert [part.sum().item() for part in before] == [6.0, 15.0, 66.0]


def test_a_gradient_needs_what_was_there(x: Tensor) -> None:
    w = lg.ones(3, 4, requires_grad=True)
    loss = (w * x).sum()
    loss.item()
    x[0, 0] = 5
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_leaf_is_written_through_a_node() -> None:
    w = lg.ones(3, requires_grad=True)
    y = (w * w).sum()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        w[0] = 2
    with lg.no_grad():
        w[0] = 2
    assert w.tolist() == [2.0, 1.0, 1.0] and w.is_leaf and w.requires_grad
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_gradient_flows_to_a_written_value(x: Tensor) -> None:
    v = lg.ones(4, requires_grad=True)
    x[1] = v
    x.sum().backward()
    assert v.grad is not None and v.grad.tolist() == [1.0] * 4


def test_a_view_that_was_made_before_requires_grad_has_no_gradient(x: Tensor) -> None:
    before, part = x[0], x[1:]
    x.requires_grad_()
    assert not before.requires_grad and not (part * 2).requires_grad and x[0].requires_grad
    with lg.no_grad():
        assert not x[0].requires_grad and x[0, 1].item() == 1.0


def test_a_write_to_what_numpy_sees_lands_in_its_memory(x: Tensor) -> None:
    array = x.numpy()
    for number in (3.0, 4.0):
        x[0, 0] = number
        assert array[0, 0] == number and x[0].tolist()[0] == number
    y = x * 1
    x[0, 0] = 5.0
    array[0, 1] = 6.0
    assert y[0].tolist()[:2] == [4.0, 1.0] and x[0].tolist()[:2] == array[0].tolist()[:2] == [5.0, 6.0]


@pytest.mark.parametrize(
    ("dtype", "value", "written"),
    [
        (lg.int64, 2.75, 2),
        (lg.uint8, -1, 255),
        (lg.bool, 3, True),
        (lg.float16, 1e6, float("inf")),
        (lg.float32, float("-inf"), float("-inf")),
        (lg.bfloat16, 1.25, 1.25),
    ],
)
def test_a_number_becomes_one_of_the_dtype(dtype: Any, value: Any, written: Any) -> None:
    x = lg.zeros(3, dtype=dtype).realize()
    x[1] = value
    assert x[1].item() == written and type(x[1].item()) is type(written) and x.tolist()[1] == written


_OTHERS = [
    np.array([1e300, -1e-300, np.nan, np.inf, 0.1, -0.0]),
    np.array([2**53 + 1, -(2**63), 2**63 - 1, 16777217, 0, -1]),
    np.array([True, False, True, True, False, False]),
    np.arange(6, dtype=np.uint8),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("values", [*_OTHERS, np.ones(6, np.float32)], ids=lambda values: str(values.dtype))
def test_values_of_another_dtype_become_floats_in_memory(values: np.ndarray, dtype: str) -> None:
    """As torch has it, and as a program that casts them does."""
    torch = pytest.importorskip("torch", reason="torch is the oracle of this test, and is not installed")
    rows = lg.zeros(3, 6, dtype=getattr(lg, dtype)).realize()
    place, programs = rows.node().value.address, realizations()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows[1] = lg.tensor(values)
    assert rows.node().value.address == place and realizations() == programs
    theirs = torch.zeros(3, 6, dtype=getattr(torch, dtype))
    theirs[1] = torch.tensor(values)
    assert rows.numpy().tobytes() == theirs.numpy().tobytes()
    assert rows.numpy()[1].tobytes() == lg.tensor(values).to(getattr(lg, dtype)).numpy().tobytes()


def test_values_that_do_not_become_floats_are_written_by_a_program() -> None:
    rows = lg.zeros(2, 2, dtype=lg.int64).realize()
    rows[1] = lg.tensor([1.5, -2.5])
    assert rows.node().value is None
    assert rows.tolist() == [[0, 0], [1, -2]]


@pytest.mark.parametrize("value", [300, 1e39, 2j])
def test_a_number_that_the_dtype_does_not_hold(value: Any) -> None:
    x = lg.zeros(3, dtype=lg.uint8 if value == 300 else lg.float32).realize()
    with pytest.raises(RuntimeError, match="cannot be converted"):
        x[1] = value
    assert x.tolist() == [0, 0, 0]


def test_an_expanded_view_is_not_written(x: Tensor) -> None:
    with pytest.raises(RuntimeError, match="more than one element"):
        x[0, :1].expand(4)[0:2] = 1


def test_a_view_remembers_the_line_that_made_it(x: Tensor) -> None:
    row = x[1]
    product = row * 2
    first = test_a_view_remembers_the_line_that_made_it.__code__.co_firstlineno
    lines = [node.origin.line for node in (product.node().inputs[0], product.node()) if node.origin is not None]
    assert lines == [first + 1, first + 2]


def test_a_recorded_call_reads_the_elements_anew() -> None:
    table = lg.arange(6.0).reshape(3, 2).clone().realize()
    row = table[1]

    @lg.compile
    def scaled(v: Tensor) -> Tensor:
        return v * row + table[0, 1]

    ones = lg.ones(2).realize()
    for number in range(6):
        table[1, 0] = number
        table[0, 1] = 10 * number
        assert scaled(ones).tolist() == [number + 10.0 * number, 3.0 + 10 * number]


# Joining.


def test_computed_parts_are_joined_at_once(x: Tensor) -> None:
    assert lg.cat([x, x[:1]]).shape == (4, 4) and lg.cat([x, x], -1)[2].tolist() == [8.0, 9.0, 10.0, 11.0] * 2
    assert lg.stack([x[0], x[2]], 1).tolist()[3] == [3.0, 11.0]
    assert lg.stack([x[0, 0], x[1, 1]]).tolist() == [0.0, 5.0]
    assert realizations() == 0


def test_what_is_joined_at_once_has_no_gradient_and_no_history(x: Tensor) -> None:
    w = lg.ones(4, requires_grad=True)
    assert lg.stack([x[0], w]).requires_grad and not lg.stack([x[0], w.detach()]).requires_grad
    with lg.no_grad():
        assert not lg.stack([x[0], w]).requires_grad
    joined = lg.cat([x[0], x[1]])
    x[0, 0] = 100
    assert joined[0].item() == 0.0


@pytest.mark.parametrize("join", [lg.cat, lg.stack])
def test_parts_that_do_not_fit_are_refused(x: Tensor, join: Callable[[list[Tensor]], Tensor]) -> None:
    with pytest.raises(RuntimeError):
        join([x, x[:, :2]])
    with pytest.raises(IndexError):
        join([x, x], 7)  # type: ignore[call-arg]


def test_an_element_is_updated(x: Tensor) -> None:
    row = x[2]
    for _ in range(3):
        x[1, 1] += 2
        row.mul_(2)
    assert x[1].tolist() == [4.0, 11.0, 6.0, 7.0] and row.tolist() == [64.0, 72.0, 80.0, 88.0]


def test_an_update_of_an_element_keeps_gradients(x: Tensor) -> None:
    w = lg.ones(4, requires_grad=True)
    y = x * w
    y[0] += w
    y[1].mul_(3)
    y.sum().backward()
    assert w.grad is not None and w.grad.tolist() == [21.0, 26.0, 31.0, 36.0]
