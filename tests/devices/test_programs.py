"""Programs on a device whose memory the host cannot see, and on two of them."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.ir.device import Device
from lazygrad.nn import functional as F
from tests.simulated_device import Counts, counts_of

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

FIRST, SECOND = Device("simulated:0"), Device("simulated:1")


@pytest.fixture
def counts() -> Counts:
    return counts_of(FIRST)


@pytest.fixture
def on_the_device() -> Iterator[None]:
    with FIRST:
        yield


def test_values_go_there_and_back(counts: Counts) -> None:
    x = lg.arange(6.0).reshape(2, 3).to(FIRST)
    assert x.device is FIRST
    y = (x * 2 + 1).t()
    assert y.tolist() == [[1, 7], [3, 9], [5, 11]]
    assert (counts.copies_in, counts.copies_out) == (1, 1) and counts.launches >= 1
    assert y.cpu().device == lg.device("cpu") and y.cpu().tolist() == y.tolist()
    assert y[0, 1].item() == 7 and float(x.sum()) == 15 and bool((x >= 0).all())


def test_a_device_without_an_ordinal_is_the_first(counts: Counts) -> None:
    x = lg.ones(2, device="simulated")
    assert x.device is FIRST and x.get_device() == 0 and x.to("simulated:0") is x
    assert repr(x) == "tensor([1., 1.], device='simulated:0')"


def test_one_program_is_one_launch_and_frees_what_it_made(counts: Counts) -> None:
    x = lg.ones(1000, device=FIRST).realize()
    before = counts_of(FIRST).live_bytes
    y = lg.exp(x * 2).sum().realize()
    assert counts.launches == 1 and counts.live_bytes == before + 4
    del x, y
    assert counts.live_bytes == before - 4000


def test_numpy_asks_for_a_copy_first() -> None:
    """In PyTorch's words, whatever else would stand in the way; its meta device is as far from the host."""
    x = lg.ones(2, device=FIRST)
    for change in (lambda x: x, lambda x: x.requires_grad_(), lambda x: (x * 1j).conj()):
        with pytest.raises(TypeError) as wanted:
            change(torch.ones(2, device="meta")).numpy()
        for read in (lambda x: x.numpy(), np.asarray):
            with pytest.raises(TypeError) as raised:
                read(change(lg.ones(2, device=FIRST)))
            assert str(raised.value) == str(wanted.value).replace("meta", str(FIRST))
    assert x.numpy(force=True).tolist() == x.cpu().numpy().tolist() == [1, 1]
    with pytest.raises(BufferError, match="DLPack"):
        np.from_dlpack(x)


def test_devices_of_one_type_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match="simulated:0 and simulated:1"):
        lg.ones(2, device=FIRST) + lg.ones(2, device=SECOND)


def test_copies_between_devices_do_not_pass_the_host() -> None:
    x = lg.ones(3, device=FIRST).realize()
    first, second = counts_of(FIRST), counts_of(SECOND)
    assert (x.to(SECOND) * 2).realize().device is SECOND
    assert (first.copies_across, first.copies_out, second.copies_in) == (1, 0, 0)


def test_copy_from_another_device() -> None:
    x = lg.zeros(2, 3, device=FIRST)
    assert x.copy_(lg.arange(3)) is x and x.device is FIRST and x.dtype is lg.float32
    assert x.tolist() == [[0, 1, 2]] * 2
    x[1] = lg.tensor([7.0, 8.0, 9.0], device=SECOND)
    x[0, 1:] = lg.tensor(5.0)
    assert x.tolist() == [[0, 5, 5], [7, 8, 9]]


def test_indices_of_the_cpu() -> None:
    x = lg.arange(5.0).to(FIRST)
    assert x[lg.tensor([3, 1])].tolist() == [3, 1] and x[lg.tensor(2)].item() == 2
    assert x[lg.tensor([True, False, False, True, False])].tolist() == [0, 3]
    with pytest.raises(IndexError):
        x[lg.tensor([5])].tolist()


def test_numbers_of_the_cpu_join_and_get_their_gradient() -> None:
    scale = lg.tensor(3.0, requires_grad=True)
    x = lg.arange(3.0).to(FIRST).requires_grad_()
    (x * scale).sum().backward()
    assert scale.grad is not None and scale.grad.device.type == "cpu" and scale.grad.item() == 3
    assert x.grad is not None and x.grad.device is FIRST and x.grad.tolist() == [3, 3, 3]


def test_gradients_flow_back_through_copies() -> None:
    x = lg.arange(4.0).requires_grad_()
    y = (x.sin() * 2).to(FIRST).exp()
    z = (y.to(SECOND) * x.to(SECOND).sum()).cpu()
    z.sum().backward()
    given = torch.arange(4.0, requires_grad=True)
    ((given.sin() * 2).exp() * given.sum()).sum().backward()
    assert given.grad is not None and x.grad is not None
    assert x.grad.tolist() == pytest.approx(given.grad.tolist(), rel=1e-5)


def test_second_derivatives_through_a_copy() -> None:
    x = lg.tensor([0.5, 2.0], requires_grad=True)
    (first,) = lg.autograd.grad((x.to(FIRST) ** 3).sum(), x, create_graph=True)
    (second,) = lg.autograd.grad(first.sum(), x)
    assert second.tolist() == pytest.approx([3, 12])


def test_transforms_of_functions_go_through_copies() -> None:
    def function(x: Any) -> Any:
        return (x.to(FIRST).sin() * 2).cpu()

    x = lg.tensor([0.3, 0.7])
    _, tangent = lg.func.jvp(function, (x,), (lg.ones(2),))
    assert tangent.tolist() == pytest.approx((2 * x.cos()).tolist())
    stack = lg.arange(6.0).reshape(3, 2)
    assert lg.func.vmap(function)(stack).tolist() == function(stack).tolist()
    np.testing.assert_allclose(lg.func.jacrev(function)(x).numpy(), np.diag(2 * np.cos(x.numpy())), rtol=1e-6)


def model_of(t: Any) -> Any:
    t.manual_seed(3)
    return t.nn.Sequential(t.nn.Linear(4, 8), t.nn.GELU(), t.nn.LayerNorm(8), t.nn.Linear(8, 3))


def batch_of(t: Any) -> tuple[Any, Any]:
    t.manual_seed(5)
    return t.randn(6, 4), t.randint(0, 3, (6,))


def losses(t: Any, model: Any, place: Any, steps: int = 4, kind: str = "Adam") -> list[float]:
    optimizer = getattr(t.optim, kind)(model.parameters(), lr=0.05)
    x, y = batch_of(t)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = t.nn.functional.cross_entropy(model(x.to(place)), y.to(place))
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW"])
def test_training_on_the_device_is_training(kind: str) -> None:
    expected = losses(torch, model_of(torch), "cpu", kind=kind)
    assert losses(lg, model_of(lg).to(FIRST), FIRST, kind=kind) == pytest.approx(expected, rel=1e-4)


class Split(nn.Module):
    """Two halves on two devices."""

    def __init__(self, first: Any, second: Any) -> None:
        super().__init__()
        whole = model_of(lg)
        self.places = first, second
        self.below, self.above = whole[:2].to(first), whole[2:].to(second)

    def forward(self, x: Any) -> Any:
        return self.above(self.below(x.to(self.places[0])).to(self.places[1]))


@pytest.mark.parametrize("places", [(FIRST, SECOND), ("cpu", FIRST), (FIRST, "cpu")])
def test_a_model_on_two_devices_trains(places: tuple[Any, Any]) -> None:
    expected = losses(torch, model_of(torch), "cpu")
    assert losses(lg, Split(*places), places[1]) == pytest.approx(expected, rel=1e-4)


def test_a_step_on_two_devices_is_one_plan_with_parts() -> None:
    model = Split(FIRST, SECOND)
    x, y = batch_of(lg)
    optimizer = lg.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        first = counts_of(FIRST)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y.to(SECOND)).backward()
        optimizer.step()
    plan: Any = lg.last_step().plan_object
    assert [part.schedule.steps[0].nodes[0].device for part in plan.plans] == [FIRST, SECOND, FIRST]
    assert first.launches == 3 and first.copies_across == 1  # of the layer, of its gradient, and of its update


def test_reading_a_loss_before_backward() -> None:
    model = Split(FIRST, SECOND)
    x, y = batch_of(lg)
    loss = F.cross_entropy(model(x), y.to(SECOND))
    value = loss.item()
    loss.backward()
    again = Split(FIRST, SECOND)
    F.cross_entropy(again(x), y.to(SECOND)).backward()
    assert value > 0
    for parameter, other in zip(model.parameters(), again.parameters(), strict=True):
        assert parameter.grad is not None and other.grad is not None
        assert parameter.grad.tolist() == pytest.approx(other.grad.tolist(), rel=1e-5) if parameter.ndim == 1 else True


def test_modules_move_with_their_gradients_and_buffers() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model(lg.randn(4, 2)).sum().backward()
    parameters = list(model.parameters())
    assert model.to(FIRST) is model
    assert all(now is before for now, before in zip(model.parameters(), parameters, strict=True))
    assert {p.device for p in model.parameters()} == {b.device for b in model.buffers()} == {FIRST}
    assert {p.grad.device for p in model.parameters() if p.grad is not None} == {FIRST}
    model(lg.randn(4, 2, device=FIRST))
    assert model.cpu()[1].running_mean.device.type == "cpu"


def test_checkpoints_go_from_device_to_device() -> None:
    model = model_of(lg).to(FIRST)
    optimizer = lg.optim.Adam(model.parameters())
    x, y = batch_of(lg)
    F.cross_entropy(model(x.to(FIRST)), y.to(FIRST)).backward()
    optimizer.step()
    file = io.BytesIO()
    lg.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    for place in (FIRST, SECOND, lg.device("cpu")):
        file.seek(0)
        loaded = lg.load(file, map_location=None if place is FIRST else place)
        assert {tensor.device for tensor in loaded["model"].values()} == {place}
        other = model_of(lg).to(place)
        other.load_state_dict(loaded["model"])
        state = lg.optim.Adam(other.parameters())
        state.load_state_dict(loaded["optimizer"])
        for a, b in zip(model.parameters(), other.parameters(), strict=True):
            assert a.tolist() == b.tolist() and b.device is place
            assert state.state[b]["exp_avg"].device is place


def test_random_numbers_are_those_of_the_cpu(on_the_device: None) -> None:
    for make in (lambda t: t.randn(5), lambda t: t.rand(2, 3), lambda t: t.randperm(7), lambda t: t.randint(9, (4,))):
        lg.manual_seed(1)
        torch.manual_seed(1)
        found = make(lg)
        assert found.device is FIRST
        np.testing.assert_allclose(found.tolist(), make(torch).tolist(), rtol=1e-6)


def test_the_default_device(on_the_device: None) -> None:
    made = [lg.zeros(2), lg.arange(3), lg.tensor([1.0]), lg.eye(2), lg.linspace(0, 1, 3), lg.full((2,), 3), lg.empty(1)]
    made += [lg.tensor(4), lg.ones_like(made[0]), nn.Linear(2, 2).weight, lg.randn(2), lg.tril_indices(2, 2)]
    assert {x.device for x in made} == {FIRST}
    assert lg.from_numpy(np.ones(2)).device.type == "cpu"
    assert lg.zeros(1, device="cpu").device.type == "cpu"


def test_compile_on_the_device() -> None:
    model = model_of(lg).to(FIRST)
    expected = losses(torch, model_of(torch), "cpu", kind="SGD", steps=6)
    optimizer = lg.optim.SGD(model.parameters(), lr=0.05)

    @lg.compile
    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    x, y = (part.to(FIRST) for part in batch_of(lg))
    assert [step(x, y).item() for _ in range(6)] == pytest.approx(expected, rel=1e-4)


def test_compile_across_devices() -> None:
    @lg.compile
    def function(x: Any) -> Any:
        return ((x * 2).to(FIRST).exp() + 1).cpu()

    for number in range(5):
        x = lg.full((3,), float(number))
        assert function(x).tolist() == pytest.approx([np.exp(2.0 * number) + 1] * 3, rel=1e-6)


def test_copies_of_objects_stay_on_their_device() -> None:
    x = lg.arange(3.0, device=FIRST).requires_grad_()
    for other in (copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x)), x.clone(), x.detach()):
        assert other.device is FIRST and other.tolist() == x.tolist()
    model = copy.deepcopy(nn.Linear(2, 2).to(FIRST))
    assert model.weight.device is FIRST


def test_batches_are_moved() -> None:
    data = lg.utils.data.TensorDataset(lg.arange(6.0).reshape(6, 1), lg.arange(6))
    for x, y in lg.utils.data.DataLoader(data, batch_size=3):
        moved = x.to(FIRST, non_blocking=True), y.to(FIRST)
        assert [part.device for part in moved] == [FIRST, FIRST]
        assert moved[0].flatten().tolist() == y.tolist()


def test_sparse_tensors_move_with_their_places() -> None:
    values = lg.tensor([3.0, 4.0], requires_grad=True)
    moved = lg.sparse_coo_tensor(lg.tensor([[0, 1], [2, 0]]), values, (2, 3)).to(FIRST)
    assert moved.device is moved._indices().device is FIRST
    (lg.sparse.mm(moved, lg.ones(3, 1, device=FIRST)) * lg.tensor([[1.0], [2.0]], device=FIRST)).sum().backward()
    assert values.grad.tolist() == [1, 2]
    assert moved.cpu().to_dense().tolist() == [[0, 0, 3], [4, 0, 0]]
    assert moved.detach().coalesce().to_dense().device is FIRST


def test_memory_of_a_device_counts_as_shared_and_stays() -> None:
    x = lg.arange(3.0, device=FIRST)
    assert x.is_shared() and x.share_memory_() is x
    x.add_(1)
    assert x.device is FIRST and x.tolist() == [1, 2, 3]


def test_in_place_writes_and_views() -> None:
    x = lg.zeros(3, 4, device=FIRST)
    row = x[1]
    row += 5
    x[:, 0] = 7
    x.t()[2].mul_(3)
    given = torch.zeros(3, 4)
    given[1] += 5
    given[:, 0] = 7
    given.t()[2].mul_(3)
    assert x.tolist() == given.tolist() and row.tolist() == given[1].tolist()


def test_updates_reuse_the_memory_of_what_they_replace() -> None:
    x = lg.ones(1000, device=FIRST).realize()
    counts = counts_of(FIRST)
    for _ in range(4):
        x.mul_(2)
        x.realize()
    assert counts.allocations == 0 and x[0].item() == 16


def test_checkpointed_regions_and_custom_functions_on_two_devices() -> None:
    class Double(lg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return (x * 2).to(SECOND)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return (gradient * 2).to(FIRST)

    x = lg.arange(3.0, device=FIRST).requires_grad_()
    Double.apply(x).exp().sum().backward()
    assert x.grad is not None and x.grad.device is FIRST
    assert x.grad.tolist() == pytest.approx([2 * np.exp(2.0 * i) for i in range(3)], rel=1e-5)
    z = lg.arange(3.0).requires_grad_()
    lg.utils.checkpoint.checkpoint(lambda v: v.to(FIRST).sin().cpu(), z, use_reentrant=False).sum().backward()
    assert z.grad is not None and z.grad.tolist() == pytest.approx(np.cos([0, 1, 2]).tolist(), rel=1e-5)


def test_hooks_see_gradients_where_values_are() -> None:
    seen = []
    x = lg.ones(2, requires_grad=True)
    y = x.to(FIRST)
    y.register_hook(lambda g: seen.append(g.device))
    (y * 3).sum().backward()
    assert seen == [FIRST] and x.grad is not None and x.grad.tolist() == [3, 3]


def test_forms_and_comparisons_of_programs_on_devices() -> None:
    x = lg.arange(4.0).to(FIRST).realize()
    y = ((x * 2).exp().to(SECOND) + 1).sum().cpu()
    forms = lg.stages(y)
    assert "copy" in str(forms.recorded) and "part 1 on simulated:1" in str(forms.plan)
    assert list(forms.sources) == ["0_simulated", "1_simulated"]
    assert lg.compare(y, repeats=1).max_difference == 0
    assert lg.compare(lg.exp(x), repeats=1).max_difference == 0
    assert y.item() == pytest.approx(4 + sum(np.exp(2.0 * i) for i in range(4)), rel=1e-6)
