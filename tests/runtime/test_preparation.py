"""What a program prepares by chance does not keep it from being planned (`lazygrad.runtime.preparation`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import lazygrad as lg
from lazygrad import Tensor, nn
from lazygrad.host import background
from lazygrad.runtime.preparation import prepared
from lazygrad.runtime.realize import cache
from lazygrad.runtime.recording import Recording
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs


@pytest.fixture(autouse=True)
def _plans_are_made_in_the_background(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    before = get_interpreted_runs()
    set_interpreted_runs(None)
    cache.clear()
    yield
    set_interpreted_runs(before)


def flipped_and_cropped(images: Tensor, number: int) -> Tensor:
    """Another program for every number."""
    crops = []
    for place, image in enumerate(images):
        crop = image[:, number % 3 : number % 3 + 6, place % 2 : place % 2 + 6]
        for _ in range(number >> place & 3):
            crop = lg.flip(crop * 1.5, (-1,)) + 0.5
        crops.append(crop)
    return lg.stack(crops)


def step_with(prepare: Callable[[Tensor, int], Tensor]) -> Callable[[int], float]:
    lg.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
    optimizer = lg.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = lg.randn(5, 3, 9, 9)

    def step(number: int) -> float:
        optimizer.zero_grad()
        loss = model(prepare(images, number)).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def test_a_step_behind_an_augmentation_is_planned_once() -> None:
    step = step_with(flipped_and_cropped)
    for number in range(40):
        step(number)
        background.wait_for_all()
    info = lg.cache_info()
    assert info.hits >= 20, info
    before = info.hits
    for number in range(40, 60):
        step(number)
    assert lg.cache_info().hits >= before + 20


def test_losses_are_those_of_the_whole_program() -> None:
    def early(images: Tensor, number: int) -> Tensor:
        return flipped_and_cropped(images, number).realize()

    lazily, eagerly = step_with(flipped_and_cropped), step_with(early)
    assert [lazily(number) for number in range(12)] == pytest.approx([eagerly(number) for number in range(12)])


def names(order: list[Tensor]) -> list[str]:
    return [node.op.name for node in prepared(Recording([tensor.node() for tensor in order]).order)]


def test_what_goes_before_the_first_gradient_is_found() -> None:
    weight = lg.ones(3, requires_grad=True)
    x = lg.arange(6.0).realize()
    batch = (x * 2).reshape(2, 3)
    mask = lg.ones(2, 3).tril()
    loss = (batch * weight * mask).sum()
    assert names([loss]) == ["mul"]


def test_what_comes_later_or_reads_nothing_is_left_to_the_program() -> None:
    weight, velocity = lg.ones(3, requires_grad=True), lg.ones(3).realize()
    loss = (weight * lg.zeros(3)).sum()
    loss.backward()
    assert weight.grad is not None
    assert names([loss, velocity * 0.9 + weight.grad]) == []
    assert names([velocity * 0.9 + 1]) == []  # no gradient anywhere
