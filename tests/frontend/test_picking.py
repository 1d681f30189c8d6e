"""Elements that computed indices name of computed tensors are picked and placed now, as PyTorch has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import Tensor
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

NUMBERS = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
Make = Callable[[Any], Any]

INDICES: dict[str, Callable[[Any], Any]] = {
    "a vector": lambda t: t.tensor([3, 0, -1, 3]),
    "a matrix": lambda t: t.tensor([[3, 0], [1, -5]]),
    "32 bits": lambda t: t.tensor([1, 2], dtype=t.int32),
    "none": lambda t: t.tensor([], dtype=t.int64),
    "a list": lambda t: [2, -1],
    "a mask": lambda t: t.tensor([True, False, False, True, True]),
    "a mask of nothing": lambda t: t.tensor([False] * 5),
    "a mask of two dimensions": lambda t: t.tensor(np.arange(20).reshape(5, 4) % 3 == 0),
    "a mask of all": lambda t: t.tensor(np.arange(60).reshape(5, 4, 3) % 7 == 0),
    "two vectors": lambda t: (t.tensor([3, 0]), t.tensor([-1, 2])),
    "vectors that broadcast": lambda t: (t.tensor([[3], [0]]), t.tensor([-1, 2, 1])),
    "behind a slice": lambda t: (slice(None), t.tensor([3, 0, 0])),
    "around a slice": lambda t: (t.tensor([3, 0]), slice(None), t.tensor([2, 1])),
    "with a step": lambda t: (slice(1, None, 2), t.tensor([3, 0]), slice(0, 2)),
    "a new dimension": lambda t: (None, t.tensor([3, 0]), None),
    "a mask behind a slice": lambda t: (slice(None), t.tensor([True, False, False, True])),
    "a mask and a vector": lambda t: (t.tensor([True, False, False, True, False]), t.tensor([1, 3])),
}
INPUTS: dict[str, Callable[[Any], Any]] = {
    "all": lambda x: x,
    "transposed": lambda x: x.transpose(0, 2).transpose(0, 1).transpose(0, 1).transpose(0, 2),
    "every second of more": lambda x: x.repeat_interleave(2, 0)[::2],
    "without gradient": lambda x: x.detach(),
}


def _computed(x: Any) -> Any:
    return x.realize() if isinstance(x, Tensor) else x


@pytest.mark.host_memory("what numpy picks and places at once")
@pytest.mark.parametrize("see", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_elements_are_picked(index: Make, see: Make) -> None:
    found, expected = (see(_computed(t.tensor(NUMBERS)))[index(t)] for t in (lg, torch))
    assert found.shape == expected.shape and found.dtype is lg.float32
    np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert found.node().op is buffer  # a value, and no part of a program


@pytest.mark.parametrize("see", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
@pytest.mark.parametrize("write", ["number", "tensor", "augmented"])
def test_elements_are_placed(index: Make, see: Make, write: str) -> None:
    results = []
    for t in (lg, torch):
        whole = _computed(t.tensor(NUMBERS) * 1)
        x, where = see(whole), index(t)
        if write == "number":
            x[where] = 7
        elif write == "tensor":
            x[where] = _computed(x[where] * 2 + 1)
        else:
            x[where] += 1
        results.append((x, whole))
    (found, whole), (expected, whole_expected) = results
    np.testing.assert_array_equal(found.numpy(), expected.numpy())
    np.testing.assert_array_equal(whole.numpy(), whole_expected.numpy())


WRONG: dict[str, Callable[[Any], Any]] = {
    "too large": lambda t: t.tensor([0, 5]),
    "too small": lambda t: t.tensor([0, -6]),
    "behind a slice": lambda t: (slice(None), t.tensor([4])),
    "too many": lambda t: tuple([t.tensor([0])] * 4),
    "a mask of another shape": lambda t: t.tensor([True, False]),
    "shapes that do not broadcast": lambda t: (t.tensor([0, 1]), t.tensor([0, 1, 2])),
    "floats": lambda t: t.tensor([0.0]),
    "a list of what is too large": lambda t: [5],
}


@pytest.mark.host_memory("what numpy picks and places at once")
@pytest.mark.parametrize("index", WRONG.values(), ids=WRONG)
def test_what_is_refused_changes_nothing(index: Make) -> None:
    with pytest.raises(IndexError):
        torch.tensor(NUMBERS)[index(torch)]
    x = lg.tensor(NUMBERS)
    with pytest.raises(IndexError):
        x[index(lg)]
    with pytest.raises((IndexError, RuntimeError)):
        x[index(lg)] = 1.0
        x.tolist()
    np.testing.assert_array_equal(lg.tensor(NUMBERS).numpy(), NUMBERS)


def test_a_step_backwards_is_refused() -> None:
    with pytest.raises(ValueError):
        lg.tensor(NUMBERS)[::-1, lg.tensor([0])]


def test_a_value_of_another_shape_or_dtype_is_refused() -> None:
    for value in (torch.zeros(3, 4, 3), torch.zeros(2, 4, 3, dtype=torch.float64)):
        x, y = torch.tensor(NUMBERS), lg.tensor(NUMBERS)
        with pytest.raises(RuntimeError):
            x[torch.tensor([0, 1])] = value
        with pytest.raises(RuntimeError):
            y[lg.tensor([0, 1])] = lg.tensor(value.numpy())
        np.testing.assert_array_equal(y.numpy(), NUMBERS)


@pytest.mark.host_memory("what numpy picks and places at once")
def test_a_gradient_that_flows_is_recorded() -> None:
    x = lg.tensor(NUMBERS, requires_grad=True)
    x[lg.tensor([3, 0, 3])].sum().backward()
    assert x.grad is not None and x.grad[:, 0, 0].tolist() == [1.0, 0.0, 0.0, 2.0, 0.0]
    with lg.no_grad():
        part = x[lg.tensor([1])]
        assert not part.requires_grad and part.node().op is buffer
    y = (x * 2).detach()
    y.realize()
    assert y[lg.tensor([1])].node().op is buffer


def test_a_part_is_another_tensor_than_what_it_was_picked_from() -> None:
    x = lg.tensor(NUMBERS)
    part = x[lg.tensor([0, 1])]
    part.zero_()
    assert x[0, 0, 1].item() == 1.0
    x[1] = -1.0
    assert part.sum().item() == 0.0


def test_a_write_counts_as_one_and_leaves_what_others_need() -> None:
    x = lg.tensor(NUMBERS)
    before, doubled, view = x._version, x * 2, x[1]
    x[lg.tensor([True, True, False, False, False])] = 0.0
    assert x._version == before + 1
    assert doubled[1, 0].tolist() == [24.0, 26.0, 28.0] and view.sum().item() == 0.0
    x[lg.tensor([1])] = 5.0
    assert x._version == before + 2 and view.sum().item() == 60.0


def test_a_write_over_what_backward_needs_is_refused() -> None:
    w = lg.ones(5, 4, 3, requires_grad=True)
    x = lg.tensor(NUMBERS)
    product = (w * x).sum()
    x[lg.tensor([0])] = 1.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_indices_and_values_that_lie_in_the_same_memory() -> None:
    for t in (lg, torch):
        y = _computed(t.arange(6) + 0)
        y[t.tensor([1, 2, 3])] = y[:3].clone()
        assert y.tolist() == [0, 0, 1, 2, 4, 5]
    z = _computed(lg.arange(6) + 0)
    z[lg.tensor([1, 2, 3])] = z[:3]
    assert z.tolist() == [0, 0, 1, 2, 4, 5]
    x = _computed(lg.arange(6) + 0)
    x[x] = x.flip(0)
    assert x.tolist() == [5, 4, 3, 2, 1, 0]
    flags = _computed(lg.tensor([True, False, True]) & True)
    flags[flags] = False
    assert flags.tolist() == [False, False, False]


@pytest.fixture
def by_default(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small programs are computed where they are asked for."""
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    before = get_interpreted_runs()
    set_interpreted_runs(None)
    with lg.backend("numpy"):
        yield
    set_interpreted_runs(before)


@pytest.mark.host_memory("what numpy picks and places at once")
@pytest.mark.usefixtures("by_default")
def test_indices_that_are_pending_and_small_are_computed() -> None:
    x = lg.tensor(NUMBERS)
    assert x[lg.arange(5) % 2 == 1].shape == (2, 4, 3)
    picked = x[lg.arange(3) + 1]
    assert picked.node().op is buffer and picked[0, 0, 0].item() == 12.0
    x[lg.arange(3) + 1] = lg.ones(3, 4, 3) * 2
    x[lg.arange(2)] += 1
    assert x[:, 0, 0].tolist() == [1.0, 3.0, 2.0, 2.0, 48.0]
    rows = x.index_select(0, lg.arange(2) * 4)
    assert rows.node().op is buffer and rows[1, 0, 0].item() == 48.0


def test_a_large_part_is_recorded() -> None:
    x = lg.zeros(200, 100).clone().realize()
    assert x[lg.arange(150).realize()].node().value is None


@pytest.mark.host_memory("what numpy picks and places at once")
def test_numpy_sees_what_is_placed() -> None:
    array = NUMBERS.copy()
    x = lg.from_numpy(array)
    x[lg.tensor([0, 4])] = 0.5
    assert array[0, 0, 0] == array[4, 3, 2] == 0.5
    array[1] = 9.0
    assert x[lg.tensor([1])].unique().tolist() == [9.0]


def test_numbers_that_do_not_fit_are_refused() -> None:
    x = lg.zeros(3, dtype=lg.uint8).clone().realize()
    for index in (lg.tensor([0]), lg.tensor([True, False, False])):
        with pytest.raises(RuntimeError, match="overflow"):
            x[index] = 256
    assert x.tolist() == [0, 0, 0]


# Along one dimension.


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_rows_are_selected_gathered_and_scattered(dim: int) -> None:
    rows = [1, 0, 1]
    places = np.arange(12).reshape(2, 3, 2) % 3
    results = []
    for t in (lg, torch):
        x, index = _computed(t.tensor(NUMBERS) * 1), t.tensor(places)
        selected = x.index_select(dim, t.tensor(rows))
        gathered, along = x.gather(dim, index), t.take_along_dim(x[:2, :3, :2], index[:, :, :2] % 2 - 1, dim)
        scattered = x.scatter(dim, index, -1.0)
        added = x.scatter_add(dim, index, gathered * 1)
        x.scatter_(dim, index, _computed(gathered + 0.5))
        results.append([selected, gathered, along, scattered, added, x])
    for found, expected in zip(*results, strict=True):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.host_memory("what numpy picks and places at once")
def test_indices_out_of_range_along_a_dimension_are_refused() -> None:
    x = lg.tensor(NUMBERS)
    for place in (-1, 5):
        with pytest.raises(IndexError):
            x.index_select(0, lg.tensor([place]))
        with pytest.raises(RuntimeError):
            x.gather(0, lg.full((1, 1, 1), place)).tolist()
        with pytest.raises(RuntimeError):
            x.scatter(0, lg.full((1, 1, 1), place), 1.0).tolist()
    with pytest.raises(RuntimeError):
        x.gather(0, lg.zeros(1, 1, 1)).tolist()
    with pytest.raises(RuntimeError):
        x.scatter(0, lg.zeros(1, 1, 1, dtype=lg.int64), lg.zeros(1, 1, 1, dtype=lg.float64)).tolist()


# All elements.


@pytest.mark.host_memory("what numpy picks and places at once")
def test_small_memory_is_filled_and_copied_over_where_it_lies() -> None:
    x = lg.tensor(NUMBERS).clone().realize()
    view, place, version = x[1, :2], id(x.node().value), x._version
    x.zero_()
    assert x._version == version + 1 and id(x.node().value) == place and view.sum().item() == 0.0
    x.fill_(2.5)
    view.fill_(1)
    assert x.sum().item() == 54 * 2.5 + 6
    view.copy_(lg.arange(3.0))
    x[2:].copy_(lg.tensor(NUMBERS[2:]))
    assert view[1].tolist() == [0.0, 1.0, 2.0] and x[4, 3, 2].item() == 59.0
    with pytest.raises(TypeError):
        x.fill_("one")  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="overflow"):
        x.fill_(1e300)


def test_filling_leaves_what_others_need() -> None:
    x = lg.tensor(NUMBERS).clone().realize()
    pending, alias = x + 1, x.detach()
    x.zero_()
    assert pending[0, 0].tolist() == [1.0, 2.0, 3.0] and alias.sum().item() == 0.0
    leaf = lg.ones(3, requires_grad=True)
    for write in (leaf.zero_, lambda: leaf.copy_(lg.zeros(3)), lambda: leaf.fill_(1.0)):
        with pytest.raises(RuntimeError, match="leaf"):
            write()
    wide = lg.zeros(1).clone().realize().expand(4)
    wide.fill_(3.0)
    assert wide.tolist() == [3.0] * 4


def test_inside_a_transform_and_a_compiled_function_indexing_is_part_of_it() -> None:
    x = lg.tensor(NUMBERS[:, :, 0])
    index = lg.tensor([[0, 1], [1, 3], [2, 2], [3, 0], [0, 0]])
    np.testing.assert_array_equal(
        lg.func.vmap(lambda row, places: row[places])(x, index).numpy(), np.take_along_axis(x.numpy(), index.numpy(), 1)
    )
    compiled = lg.compile(lambda table, places: table[places] * 2)
    for places in ([0, 1], [2, 3], [4, 0]):
        np.testing.assert_array_equal(compiled(x, lg.tensor(places)).numpy(), x.numpy()[places] * 2)


def test_scattering_in_place_is_pytorchs() -> None:
    places = np.arange(6).reshape(2, 3, 1) % 4
    results = []
    for t in (lg, torch):
        x, index = _computed(t.tensor(NUMBERS) * 1), t.tensor(places)
        before = x._version
        x.scatter_(1, index, 2.5)
        x.scatter_(-2, index, t.tensor(-NUMBERS))  # of which a part is used
        x[1:4].scatter_(0, index[:, :, :1] % 3, value=-0.5)
        x.scatter_(0, t.tensor([[[4], [4]]]), t.tensor([[[7.0], [8.0]]]))
        x.scatter_(2, index % 3, 3.0, reduce="add")
        assert x._version == before + 5
        results.append(x.numpy())
    np.testing.assert_array_equal(*results)


def test_scattering_in_place_what_does_not_fit_is_refused() -> None:
    x = lg.tensor(NUMBERS)
    index = lg.zeros(1, 1, 1, dtype=lg.int64)
    for dim, where, value in [(3, index, 1.0), (0, index - 1, 1.0), (0, index + 5, 1.0), (0, index[0], 1.0),
                              (0, lg.zeros(1, 9, 1, dtype=lg.int64), 1.0), (0, index, lg.zeros(1, 1, 0)),
                              (0, index, lg.zeros(1, 1, 1, dtype=lg.float64))]:  # fmt: skip
        with pytest.raises((IndexError, RuntimeError)):
            x.clone().realize().scatter_(dim, where, value).tolist()
    leaf = lg.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        leaf.scatter_(0, lg.zeros(1, 1, dtype=lg.int64), 1.0)
    pending = x * 2
    x.scatter_(0, index, 100.0)
    assert pending[0, 0, 0].item() == 0.0 and x[0, 0, 0].item() == 100.0


@pytest.mark.host_memory("what numpy picks and places at once")
def test_a_mask_of_the_same_shape_selects_now() -> None:
    mask = NUMBERS % 7 == 0
    found = lg.tensor(NUMBERS).masked_select(lg.tensor(mask))
    assert found.node().op is buffer
    np.testing.assert_array_equal(found.numpy(), NUMBERS[mask])
    with pytest.raises(RuntimeError):
        lg.tensor(NUMBERS).masked_select(lg.tensor(mask).long())
