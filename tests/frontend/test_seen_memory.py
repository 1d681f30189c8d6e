"""Memory that code outside has seen stays where it is: in-place writes land in it, as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import snapshots
from tests.oracle.comparing import assert_alike

on_the_host = pytest.mark.host_memory("numpy is shown the memory of tensors")
torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def array_of_a_tensor(t: Any) -> Any:
    x = t.ones(4)
    array, pending = x.numpy(), x * 10
    x.add_(1)
    x[1] = 7
    x[2:].mul_(3)
    return array, pending, x


def tensor_of_an_array(t: Any) -> Any:
    array = np.zeros((3, 4))
    x = t.from_numpy(array)
    x[:, 0] = 5
    x.add_(1)
    array[2, 2] = 9
    copy, wide = x.clone(), x.float()
    array[0, 0] = 77
    return array.copy(), x, copy, wide, x[:, 0] * 2, x.T @ x


def strided_array(t: Any) -> Any:
    array = np.arange(12.0).reshape(3, 4)
    x = t.from_numpy(array[:, ::2])
    x.mul_(10)
    x[1] = -1
    return array, x


def view_of_an_array(t: Any) -> Any:
    array = np.arange(6.0).reshape(2, 3)
    x = t.from_numpy(array)
    column = x[:, 1]
    before = (column * 2).tolist()
    array[:] = 0
    return before, column * 2, column


def copied_into_another(t: Any) -> Any:
    array, x = np.arange(3.0), t.zeros(3, dtype=t.float64)
    leaf = t.zeros(3, dtype=t.float64, requires_grad=True)
    x.copy_(t.from_numpy(array))
    leaf.data.copy_(t.from_numpy(array))
    array[0] = 50
    return x, leaf


def recorded_before_it_was_seen(t: Any) -> Any:
    x = t.ones(3)
    y, z = x * 2, x.clone()
    x.numpy()[0] = 5
    w = x + 1
    x.numpy()[1] = 5
    return y, z, w, x


def shared_through_dlpack(t: Any) -> Any:
    x = t.arange(3.0)
    array = np.from_dlpack(x)
    x.neg_()
    return array


def transposed(t: Any) -> Any:
    x = t.arange(6.0).reshape(2, 3)
    array = x.t().numpy()
    x.neg_()
    x.t()[0, 0] = 4
    return array


def bytes_of_a_buffer(t: Any) -> Any:
    buffer = bytearray(8)
    t.frombuffer(buffer, dtype=t.uint8).fill_(3)
    return list(buffer)


def view_of_a_forgotten_array(t: Any) -> Any:
    x = t.ones(3)
    rest = x.numpy()[1:]
    x.zero_()
    return rest


def through_an_alias(t: Any) -> Any:
    x = t.ones(3)
    array = x.detach().numpy()
    x.detach().add_(1)
    x.view(3, 1)[0] = 9
    return array, x


def parts_of_complex_numbers(t: Any) -> Any:
    x = t.zeros(2, dtype=t.complex64)
    array = t.view_as_real(x).numpy()
    x.add_(1 + 2j)
    x.real.mul_(3)
    return array


def part_of_complex_numbers_that_is_written_to(t: Any) -> Any:
    z = t.arange(12.0).reshape(3, 4) + 1j
    array = z.imag.numpy()
    array[0, 0] = 100
    return z, array.strides


def weights_that_are_trained(t: Any) -> Any:
    seen = []
    for optimizer in (t.optim.SGD, t.optim.Adam):
        p = t.nn.Parameter(t.ones(3))
        array, step = p.detach().numpy(), optimizer([p], lr=0.1)
        for _ in range(3):
            step.zero_grad()
            (p * p).sum().backward()
            step.step()
            seen.append(array.copy())
    return seen


def gradient_that_is_accumulated(t: Any) -> Any:
    p = t.nn.Parameter(t.ones(3))
    (p * 2).sum().backward()
    array = p.grad.numpy()
    (p * 3).sum().backward()
    return array


def frozen_and_changed(t: Any) -> Any:
    p = t.nn.Parameter(t.ones(3))
    array = p.detach().numpy()
    p.requires_grad_(False)
    p[0] = 4
    p.requires_grad_(True)
    with t.no_grad():
        p.add_(1)
    return array, p


def filled_at_random(t: Any) -> Any:
    t.manual_seed(0)
    x = t.zeros(5)
    array = x.numpy()
    x.uniform_()
    return array


def gradient_of_a_result_that_was_looked_at(t: Any) -> Any:
    x = t.ones(3, requires_grad=True)
    y = x * 3
    loss = (y * y).sum()
    y.detach().numpy()
    (gradient,) = t.autograd.grad(loss, y, retain_graph=True)
    loss.backward()
    return gradient, x.grad


def tensor_over_an_array_of_a_tensor(t: Any) -> Any:
    x = t.ones(3)
    y = t.from_numpy(x.numpy())
    y.add_(1)
    x.mul_(3)
    return x, y


# What was recorded reads what was there when it was recorded.


def written_while_a_result_is_pending(t: Any) -> Any:
    array = np.arange(6.0).reshape(2, 3)
    x = t.from_numpy(array)
    sums, products, whole = x + 1, x.T @ x, x.sum()
    array[:] = 5
    return sums, products, whole, x * 2


def written_while_a_gradient_is_pending(t: Any) -> Any:
    array, w = np.zeros(3), t.ones(3, dtype=t.float64, requires_grad=True)
    for i in range(4):
        array[:] = i
        loss = (w * t.from_numpy(array)).sum()
        loss.item()
        loss.backward()
    array[:] = 50
    return w.grad


def written_between_batches_of_one_tensor(t: Any) -> Any:
    array, w = np.ones((4, 3)), t.ones(3, dtype=t.float64, requires_grad=True)
    x, losses = t.from_numpy(array), []
    for i in range(4):
        array += i
        loss = ((x @ w) * x[:, 0]).sum() + (x * x).mean()
        losses.append(loss.detach())
        loss.backward()
    array[:] = 50
    return w.grad, *losses


def written_while_views_are_pending(t: Any) -> Any:
    array = np.arange(24.0).reshape(2, 3, 4)
    x = t.from_numpy(array)
    column, row, turned = x[:, 1], x[1, 2], x.permute(2, 0, 1)
    pending = column * 2, row + 1, turned.sum(0), x.detach()[0] * 3, x.reshape(6, 4)[::2] - 1
    array[:] = -1
    return *pending, column * 2, row, turned


def written_while_a_gather_is_pending(t: Any) -> Any:
    array, places = np.arange(12.0).reshape(4, 3), np.array([3, 1])
    x, index = t.from_numpy(array), t.from_numpy(places)
    taken, chosen, masked = x[index], t.gather(x, 0, index.view(1, 2)), x[x[:, 0] > 4]
    array[:], places[:] = -1, 0
    return taken, chosen, masked, x[index]


def array_of_a_pending_operand(t: Any) -> Any:
    x = t.arange(4.0)
    array = x.numpy()
    doubled, capsule = x * 2, np.from_dlpack(x)
    array[1] = 9
    trebled = x * 3
    capsule[2] = 9
    return doubled, trebled, x * 4, x


def bytes_that_are_written_while_pending(t: Any) -> Any:
    data = bytearray(4)
    x = t.frombuffer(data, dtype=t.uint8)
    y = x + 1
    data[:] = bytes([7, 8, 9, 10])
    return y, x + 1


def copied_and_then_written(t: Any) -> Any:
    array, x = np.arange(3.0), t.zeros(3, dtype=t.float64)
    source = t.from_numpy(array)
    copies = source.clone(), source.float(), source.to(t.float64, copy=True), t.stack([source, source])
    x[:] = source
    y = t.zeros(2, 3, dtype=t.float64).copy_(source)
    array[:] = 50
    return *copies, x, y


def strided_array_that_is_written_while_pending(t: Any) -> Any:
    array = np.arange(12.0).reshape(3, 4)
    x = t.from_numpy(array[:, ::2])
    y = x * 2
    array[:] = 0
    return y, x


def parts_that_are_written_while_pending(t: Any) -> Any:
    array = np.arange(4) * (1 + 2j)
    z = t.from_numpy(array)
    pending = z.imag * 2, z.real + 1, z.conj() * z, t.view_as_real(z).sum(0)
    array[:] = 7
    return *pending, z.imag, z.conj() + 0


def trained_while_numpy_writes(t: Any) -> Any:
    array = np.ones(3)
    p = t.nn.Parameter(t.from_numpy(array))
    optimizer, seen = t.optim.SGD([p], lr=0.1, momentum=0.9), []
    for step in range(4):
        optimizer.zero_grad()
        loss = (p * p * p).sum()
        loss.backward()
        optimizer.step()
        seen += [loss.detach(), array.copy()]
        array[step % 3] = step
    return *seen, p


def weights_written_through_numpy(t: Any) -> Any:
    w = t.ones(3, requires_grad=True)
    array, results = w.detach().numpy(), []
    for i in range(3):
        y = w * w
        array[:] = i + 2
        results.append(y.detach())
        (w * 3 + w * w).sum().backward()
    return *results, w.grad, w


def leaf_over_an_array(t: Any) -> Any:
    array = np.arange(3.0)
    x = t.from_numpy(array).requires_grad_()
    y = x * 2
    array[:] = 10
    (y * x).sum().backward()
    return y, x.grad


def running_average_kept_by_numpy(t: Any) -> Any:
    p = t.nn.Parameter(t.ones(3))
    average, optimizer = p.detach().numpy().copy(), t.optim.SGD([p], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
        average *= 0.5
        average += 0.5 * p.detach().numpy()
        p.detach().numpy()[:] = average
    return average, p


def graph_that_is_kept(t: Any) -> Any:
    array, w = np.ones(3), t.full((3,), 2.0, dtype=t.float64, requires_grad=True)
    x = t.from_numpy(array)
    y = w * w + x
    array[:] = 4
    y.sum().backward(retain_graph=True)
    array[:] = 5
    (y + x).sum().backward()
    return y, w.grad


def variable_of_everything_that_asks_for_one(t: Any) -> Any:
    w = t.full((3,), 0.5, dtype=t.float64, requires_grad=True)
    array, passed = w.detach().numpy(), []
    w.register_hook(lambda gradient: passed.append(gradient.tolist()))
    first, second = (w * w).sum(), (w[1:] * w[:2]).sum()
    (alone,) = t.autograd.grad(first, w, retain_graph=True)
    first.backward()
    second.backward()
    (slope,) = t.autograd.grad((w**3).sum(), w, create_graph=True)
    (slope * slope).sum().backward()
    checked = t.from_numpy(array).clone().requires_grad_()
    kept = checked.detach().numpy()
    assert t.autograd.gradcheck(lambda a: (a * a * a).sum(), (checked,), check_forward_ad=True)
    return alone, w.grad, slope, np.array(passed), array, kept


ANYWHERE = [
    tensor_of_an_array, strided_array, view_of_an_array, copied_into_another, bytes_of_a_buffer,
    gradient_of_a_result_that_was_looked_at, written_while_a_result_is_pending, written_while_views_are_pending,
    written_while_a_gather_is_pending, bytes_that_are_written_while_pending, copied_and_then_written,
    strided_array_that_is_written_while_pending, parts_that_are_written_while_pending,
    trained_while_numpy_writes, leaf_over_an_array,
]  # fmt: skip
ON_THE_HOST = [
    array_of_a_tensor, recorded_before_it_was_seen, shared_through_dlpack, transposed,
    view_of_a_forgotten_array, through_an_alias, parts_of_complex_numbers,
    part_of_complex_numbers_that_is_written_to, weights_that_are_trained, gradient_that_is_accumulated,
    frozen_and_changed, filled_at_random, tensor_over_an_array_of_a_tensor,
    variable_of_everything_that_asks_for_one, array_of_a_pending_operand, weights_written_through_numpy,
    running_average_kept_by_numpy, written_while_a_gradient_is_pending, written_between_batches_of_one_tensor,
    graph_that_is_kept,
]  # fmt: skip
PROGRAMS = [*ANYWHERE, *[pytest.param(program, marks=on_the_host) for program in ON_THE_HOST]]


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in [*ANYWHERE, *ON_THE_HOST]])
def test_numpy_and_tensors_see_each_other_as_in_torch(program: Callable[[Any], Any]) -> None:
    assert_alike(program, torch, lg, slack=0.1, floor=0.0, numbers=1e-6)


@pytest.mark.host_memory("addresses on other devices move when a tensor is written to")
def test_addresses_do_not_move() -> None:
    p = lg.nn.Parameter(lg.ones(3))
    address, optimizer = p.data_ptr(), lg.optim.Adam([p], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (p * 2).sum().backward()
        optimizer.step()
    with lg.no_grad():
        p.uniform_(0, 1)
        p[0] = 2
        p.add_(1)
    assert p.data_ptr() == address == p.untyped_storage().data_ptr()
    assert p[1:].data_ptr() == address + 4


@on_the_host
def test_a_compiled_step_writes_where_outside_code_looks() -> None:
    p = lg.nn.Parameter(lg.ones(3))
    optimizer = lg.optim.SGD([p], lr=0.1)

    @lg.compile
    def step() -> lg.Tensor:
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    expected = np.ones(3, np.float32)
    for number in range(6):
        if number == 3:
            array = p.detach().numpy()
        step()
        expected = expected - np.float32(0.1) * (2 * expected)
        np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(array, expected, rtol=1e-6)


@on_the_host
def test_memory_that_nobody_sees_any_more_may_move() -> None:
    x = lg.ones(1 << 12, dtype=lg.int32)  # small floats are updated where they lie
    x.numpy()
    x.add_(1)
    assert type(x._storage.value.value).__name__ in ("Buffer", "NoneType")


def test_arrays_that_cannot_be_written_to_are_left_alone() -> None:
    array = np.ones(3)
    array.flags.writeable = False
    x = lg.from_numpy(array)
    x.add_(1)
    assert array.tolist() == [1, 1, 1] and x.tolist() == [2, 2, 2]


# What is copied.

_LARGE = (1 << 20) // 8 + 8  # float64 numbers, a little more than is copied where that can be helped


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of the snapshots that are made."""
    shapes: list[tuple[int, ...]] = []
    copy = snapshots._copied

    def noted(node: Any, contents: np.ndarray) -> Any:
        shapes.append(contents.shape)
        return copy(node, contents)

    monkeypatch.setattr(snapshots, "_copied", noted)
    return shapes


def test_looking_at_a_tensor_copies_nothing(copied: list[tuple[int, ...]]) -> None:
    array = np.ones((4, 3))
    x = lg.from_numpy(array)
    assert (x.shape, x.ndim, x.dtype, x.numel(), x[1:].shape) == ((4, 3), 2, lg.float64, 12, (3, 3))
    assert "1." in repr(x) and x[2].tolist() == [1, 1, 1] and x.t().numpy().shape == (3, 4) and x[0, 0].item() == 1
    assert copied == []


def test_views_copy_what_they_name_and_equal_operands_are_copied_once(copied: list[tuple[int, ...]]) -> None:
    array = np.ones((4, 3))
    x = lg.from_numpy(array)
    y = x[1] + x[1:3, 0].sum()
    z = x * x + x
    assert copied == [(2,), (3,), (4, 3)] and y.tolist() == [3, 3, 3] and z.sum().item() == 24


@on_the_host
def test_memory_that_only_the_tensor_has_is_not_copied(copied: list[tuple[int, ...]]) -> None:
    x, y = lg.from_numpy(np.ones((4, 3))), lg.ones(3)
    y.numpy()
    part = np.ones((4, 3))[1:]
    z = lg.from_numpy(part)
    del part
    results = [x * 2, y * 2, z + 1]
    assert copied == [] and [result.sum().item() for result in results] == [24, 6, 18]


@on_the_host
def test_rows_of_large_memory_are_picked_at_once(copied: list[tuple[int, ...]]) -> None:
    array = np.arange(2.0 * _LARGE).reshape(_LARGE, 2)
    x, w = lg.from_numpy(array), lg.ones(2, dtype=lg.float64, requires_grad=True)
    rows, mean = x[lg.tensor([3, 1])], x.mean()
    array[:] = 0
    loss = (rows * w).sum()
    loss.backward()
    assert copied == [] and w.grad is not None
    assert (rows.tolist(), mean.item(), w.grad.tolist()) == ([[6, 7], [2, 3]], _LARGE - 0.5, [8, 10])


@on_the_host
def test_large_memory_that_a_gradient_needs_is_copied(copied: list[tuple[int, ...]]) -> None:
    array, w = np.ones(_LARGE), lg.ones(1, dtype=lg.float64, requires_grad=True)
    (lg.from_numpy(array) * w).sum().backward()
    array[:] = 0
    assert copied == [(_LARGE,)] and w.grad is not None and w.grad.item() == _LARGE


@on_the_host
def test_a_retained_graph_keeps_the_values_it_was_recorded_with() -> None:
    array, w = np.ones(3), lg.ones(3, dtype=lg.float64, requires_grad=True)
    loss = (w * lg.from_numpy(array)).sum()
    for value in (5, 7):
        array[:] = value
        loss.backward(retain_graph=True)
    assert w.grad is not None and w.grad.tolist() == [2, 2, 2]


@pytest.mark.host_memory("arrays over the memory of tensors")
def test_memory_that_numpy_lets_go_of_stays_where_it_is() -> None:
    """Who asks for an array again and again gets the same memory, which is not copied while nobody else needs it."""
    x = lg.arange(1000.0).clone().realize()
    places = set()
    for i in range(5):
        array = x.numpy()
        places.add(array.ctypes.data)
        array[i] = -1.0
        del array
    assert len(places) == 1 and x[:6].tolist() == [-1.0] * 5 + [5.0]


@pytest.mark.host_memory("arrays over the memory of tensors")
def test_what_was_read_before_numpy_looks_again_keeps_its_values() -> None:
    x = lg.arange(4.0).clone().realize()
    x.numpy()
    pending, view, alias = x + 1, x[:2], x.detach()
    array = x.numpy()
    array[:] = 7.0
    assert pending.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert view.tolist() == [7.0, 7.0] and alias.tolist() == [7.0] * 4 and (x * 1).tolist() == [7.0] * 4


def test_a_part_is_written_where_numpy_sees_it() -> None:
    array = np.arange(4.0, dtype=np.float32)
    x = lg.from_numpy(array)
    before, pending = x._version, x + 1
    x[1] = 5.0
    x[2:] = 6.0
    assert array.tolist() == [0.0, 5.0, 6.0, 6.0] and x._version == before + 2
    assert pending.tolist() == [1.0, 2.0, 3.0, 4.0]
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    assert lg.from_numpy(fixed).tolist() == [0.0, 1.0, 2.0]
