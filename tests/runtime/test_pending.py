"""Work that nobody asks for is computed before too much of it waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import pytest

import lazygrad as lg
from lazygrad import pending
from lazygrad.data import DataLoader, Dataset
from lazygrad.ir.graph import topological_order
from lazygrad.ir.node import Node
from lazygrad.tensor import Tensor


@pytest.fixture(autouse=True)
def nothing_waits() -> None:
    lg.realize_all([])


def waiting(x: Tensor) -> int:
    """How many nodes wait for ``x``."""
    return len(topological_order([x.node()], lambda node: node.inputs if node.value is None else ()))


def held_bytes(x: Tensor) -> int:
    order = topological_order([x.node()], lambda node: node.inputs if node.value is None else ())
    return sum(node.value.array.nbytes for node in order if node.value is not None)


def test_a_count_over_a_validation_set_keeps_few_inputs() -> None:
    correct, most = lg.zeros((), dtype=lg.int64), 0
    for _ in range(40):
        batch = lg.zeros(750, 1000).realize()  # 3 MB
        correct += (batch == 0).sum()
        del batch
        most = max(most, held_bytes(correct))
    assert most < 2 * pending.MOST_BYTES
    assert correct.item() == 40 * 750_000


def test_looks_count_each_node_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, real = [0], pending._inputs_not_counted

    def counting(node: Node) -> tuple[Node, ...]:
        asked[0] += 1
        return real(node)

    monkeypatch.setattr(pending, "_inputs_not_counted", counting)
    x = lg.zeros(4, dtype=lg.int64).realize()  # small floats are updated in their memory
    for _ in range(2000):
        x.mul_(1).add_(1)
    assert 0 < asked[0] < 5 * waiting(x)
    assert x.tolist() == [2000] * 4


def test_a_graph_that_is_older_than_the_last_look_counts() -> None:
    total, most = lg.zeros(()), 0
    for _ in range(40):
        batch = lg.zeros(750, 1000).realize()  # 3 MB
        pending_sum = batch.sum()
        other = lg.zeros(3).realize()
        for _ in range(40):
            other.add_(1)  # with looks, which do not see the sum
        total += pending_sum
        del batch, pending_sum
        most = max(most, held_bytes(total))
    assert most < 3 * pending.MOST_BYTES
    assert total.item() == 0


def test_several_counts_are_computed_together() -> None:
    counts = [lg.zeros(()) for _ in range(3)]
    for _ in range(12):
        batch = lg.ones(750, 1000).realize()
        for count in counts:
            count += batch.sum()
    assert all(held_bytes(count) < 2 * pending.MOST_BYTES for count in counts)
    assert [count.item() for count in counts] == [12 * 750_000.0] * 3


def test_large_parameters_do_not_cut_a_network_with_writes_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MOST_BYTES", 1 << 10)
    layers = [lg.nn.Linear(32, 32) for _ in range(8)]
    lg.realize_all([parameter for layer in layers for parameter in layer.parameters()])
    x = first = lg.ones(4, 32)
    with lg.no_grad():
        for layer in layers:
            x = layer(x)
            x.relu_()
    assert first.node().value is None and waiting(x) > 16
    expected = first.numpy()
    for layer in layers:
        expected = (expected @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()).clip(0)
    assert x.numpy() == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_values_of_a_parameter_before_its_updates_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MOST_BYTES", 1 << 14)
    w, total, most = lg.ones(1000, requires_grad=True), lg.zeros(()), 0
    for _ in range(40):
        with lg.no_grad():
            w.mul_(0.5).realize()
            total += w.sum()
        most = max(most, held_bytes(total))
    assert most < 10 * pending.MOST_BYTES
    assert total.item() == pytest.approx(1000.0, rel=1e-5)


def test_an_update_loop_without_a_read_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MOST_NODES", 100)
    w = lg.ones(3)
    for _ in range(400):
        w.mul_(0.5).add_(1)
        assert waiting(w) < 400
    assert w.tolist() == [2.0] * 3


def test_a_recurrence_without_a_read_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MOST_NODES", 100)
    monkeypatch.setattr(pending.counts, "serial_at", 0)
    x, most = lg.ones(3), 0
    for _ in range(300):
        x = x * 0.5 + 1
        most = max(most, waiting(x))
    assert most < 200
    assert x.tolist() == [2.0] * 3


def test_a_cut_keeps_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MOST_NODES", 20)
    w = lg.tensor(1.5, requires_grad=True)
    x = lg.tensor(1.0)
    for _ in range(30):
        monkeypatch.setattr(pending.counts, "serial_at", 0)
        x = x * w * 0.5 + 1
    x.backward()
    value, slope = 1.0, 0.0
    for _ in range(30):
        slope = 0.5 * (value + 1.5 * slope)
        value = value * 0.75 + 1
    assert x.item() == pytest.approx(value, rel=1e-6)
    assert w.grad is not None and w.grad.item() == pytest.approx(slope, rel=1e-5)


def test_writes_that_gradients_flow_through_stay_together() -> None:
    w = lg.ones(3, requires_grad=True)
    out = lg.zeros(16, 3)
    for i in range(16):
        out[i] = w * i
    assert out.node().value is None
    out.sum().backward()
    assert w.grad is not None and w.grad.tolist() == [120.0] * 3


def looks_in(step: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> int:
    """How often one step looks at what waits."""
    looks: list[int] = []

    def counted(roots: Sequence[Node]) -> bool:
        looks.append(len(roots))
        return pending.is_too_much(roots)

    # The attribute of the package that has this name is PyTorch's module of storages.
    monkeypatch.setattr(import_module("lazygrad.storage"), "is_too_much", counted)
    step()
    return len(looks)


def test_steps_that_write_the_same_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = [lg.zeros(8, dtype=lg.int64) for _ in range(12)]  # small floats are updated in their memory

    def step() -> None:
        for count in counts:
            count.mul_(1).add_(1)
        lg.realize_all([])

    step()
    step()
    pending.counts.known.clear()
    assert looks_in(step, monkeypatch) > 0
    assert looks_in(step, monkeypatch) == 0
    assert sum([looks_in(step, monkeypatch) for _ in range(100)]) > 0  # now and then it looks again
    assert counts[0].tolist() == [104] * 8


def test_a_loop_after_steps_that_write_little_keeps_few_inputs() -> None:
    counts = [lg.zeros((), dtype=lg.int64) for _ in range(40)]
    for _ in range(3):
        for count in counts:
            count += (lg.zeros(4).realize() == 0).sum()
        lg.realize_all([])
    correct, most = lg.zeros(1, dtype=lg.int64), 0
    for _ in range(40):
        batch = lg.zeros(750, 1000).realize()
        correct += (batch == 0).sum()
        most = max(most, held_bytes(correct))
    assert most < 2 * pending.MOST_BYTES
    assert correct.item() == 40 * 750_000


def test_inside_vmap_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MOST_NODES", 10)
    monkeypatch.setattr(pending.counts, "serial_at", 0)

    def chain(x: Tensor) -> Tensor:
        for _ in range(50):
            x = x * 0.5 + 1
        return x

    assert lg.vmap(chain)(lg.ones(4)).tolist() == pytest.approx([2.0] * 4)


class _Cropped(Dataset[tuple[Tensor, Tensor]]):
    """Samples that are computed, each in its own way."""

    def __init__(self) -> None:
        self.x = lg.arange(64.0).realize()

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        crop = self.x[index : index + 4] * 2
        return (crop.flip(0) if index % 3 else crop), crop.sum()


def test_the_samples_of_a_dataset_are_computed_before_they_are_joined() -> None:
    from lazygrad.runtime.realize import cache

    loader = DataLoader(_Cropped(), batch_size=8, shuffle=True)
    for x, y in loader:
        x.realize(), y.realize()
    cache.clear()
    for x, y in loader:
        x.realize(), y.realize()
    assert cache.misses <= 4  # two kinds of samples, and two ways to join eight
    for x, y in loader:
        x.realize(), y.realize()
    assert cache.misses <= 4
