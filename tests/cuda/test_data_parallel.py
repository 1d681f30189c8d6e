"""DataParallel on two devices, beside the module itself on the CPU."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.nn.parallel import data_parallel, gather, replicate, scatter
from tests.cuda.host_driver import host_devices


@pytest.fixture(autouse=True)
def devices() -> Iterator[None]:
    with host_devices(2):
        yield


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 3)
        self.first_again = self.first
        self.register_buffer("shift", lg.ones(3))
        self.seen: list[Any] = []

    def forward(self, x: Any, scale: float = 1.0) -> dict[str, Any]:
        self.seen.append((x.device.index, len(x)))
        y = self.last(self.norm(self.first(x).relu())) * scale + self.shift
        return {"y": y, "first": (y[:, 0], self.first_again(x))}


def made() -> tuple[Network, Any]:
    lg.manual_seed(0)
    return Network(), lg.randn(5, 3)


def test_results_and_gradients_are_those_of_the_module() -> None:
    alone, x = made()
    wanted = alone(x, scale=2.0)
    wanted["y"].square().sum().backward()
    network = made()[0].cuda()
    parallel = nn.DataParallel(network)
    found = parallel(x.cuda(), scale=2.0)
    assert found["y"].device == lg.device("cuda:0") and isinstance(found["first"], tuple)
    np.testing.assert_allclose(found["y"].detach().cpu().numpy(), wanted["y"].detach().numpy(), rtol=1e-5)
    np.testing.assert_allclose(found["first"][1].detach().cpu().numpy(), wanted["first"][1].detach().numpy(), rtol=1e-5)
    found["y"].square().sum().backward()
    for (name, ours), theirs in zip(network.named_parameters(), alone.parameters(), strict=True):
        assert ours.grad is not None and theirs.grad is not None and ours.grad.is_cuda, name
        np.testing.assert_allclose(ours.grad.cpu().numpy(), theirs.grad.numpy(), rtol=1e-4, atol=1e-5)
    assert network.seen == [(0, 3), (1, 2)], "the copies share what is no tensor, as in PyTorch"
    assert [name for name in parallel.state_dict() if "shift" in name] == ["module.shift"]


def test_it_trains() -> None:
    network, x = made()
    parallel = nn.DataParallel(network.cuda())
    optimizer = lg.optim.SGD(parallel.parameters(), lr=0.1)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = parallel(x.cuda())["y"].square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.9 * losses[0]


def test_fewer_rows_than_devices_and_one_device() -> None:
    network, x = made()
    wanted = network(x)["y"].tolist()
    parallel = nn.DataParallel(network.cuda(), output_device=1)
    assert parallel(x[:1].cuda())["y"].device == lg.device("cuda:1")
    alone = nn.DataParallel(network, device_ids=[0])
    np.testing.assert_allclose(alone(x)["y"].tolist(), wanted, rtol=1e-5)
    np.testing.assert_allclose(data_parallel(network, x.cuda(), [0, 1])["y"].tolist(), wanted, rtol=1e-5)
    network.to("cuda:1")
    with pytest.raises(RuntimeError, match=r"on device cuda:0 \(device_ids\[0\]\) but found .* on device: cuda:1"):
        parallel(x)


def test_containers_are_split_and_put_together() -> None:
    pair = namedtuple("pair", "a b")
    x = lg.arange(4.0)
    parts = scatter({"x": [x, "word"], "pair": pair(x, None), "empty": ()}, [0, 1])
    assert [part["x"][0].tolist() for part in parts] == [[0, 1], [2, 3]] and parts[1]["pair"].a.get_device() == 1
    assert parts[0]["x"][1] == "word" and type(parts[0]["pair"]) is pair and parts[0]["empty"] == ()
    outputs = [OrderedDict(p=pair(part["pair"].a, None), s=part["x"][0].sum()) for part in parts]
    whole = gather(outputs, 1)
    assert type(whole) is OrderedDict and whole["p"].a.tolist() == [0, 1, 2, 3] and whole["p"].b is None
    assert whole["s"].tolist() == [1, 5] and whole["s"].get_device() == 1
    with pytest.raises(ValueError, match="same number of keys"):
        gather([{"a": x}, {"a": x, "b": x}], 0)


def test_replicas_share_nothing_but_gradients() -> None:
    network = nn.Linear(2, 2).cuda()
    first, second = replicate(network, [0, 1])
    assert first is not network and first.weight is network.weight and not list(first.parameters())
    assert second.weight.get_device() == 1 and not second.weight.is_leaf
    second(lg.ones(1, 2, device="cuda:1")).sum().backward()
    assert network.weight.grad is not None and network.weight.grad.tolist() == [[1, 1], [1, 1]]
    assert not replicate(network, [0], detach=True)[0].weight.requires_grad
