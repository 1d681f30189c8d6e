"""Random losses of a network whose values were read: gradients are PyTorch's where they are taken in two parts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazygrad
from lazygrad.runtime import loss_apart
from lazygrad.runtime.loss_apart import LossApart
from lazygrad.runtime.plan_cache import PlanCache
from lazygrad.runtime.realize import cache
from lazygrad.runtime.tiers import get_interpreted_runs, set_interpreted_runs

Values = list[np.ndarray | None]
_STEPS = 4


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[LossApart]]:
    """The losses that were taken apart: each that can be, as if its program were new, in networks of any size."""
    found: list[LossApart] = []
    join = LossApart.join
    monkeypatch.setattr(LossApart, "join", lambda self: (found.append(self), join(self))[1])
    monkeypatch.setattr(loss_apart, "_LEAST_NODES", 1)
    monkeypatch.setattr(loss_apart, "_LEAST_VALUES", 1)
    monkeypatch.setattr(PlanCache, "is_first_sight", lambda self, key: True)
    monkeypatch.setattr(PlanCache, "_is_due", lambda self, seen: False)
    monkeypatch.setattr(PlanCache, "runs_of", lambda self, key: 2)  # every program is known
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    before = get_interpreted_runs()
    set_interpreted_runs(None)
    cache.clear()
    with lazygrad.backend("auto"):
        yield found
    set_interpreted_runs(before)


class _Training:
    """Random layers, some of whose values are read, random losses of them, and gradients asked for in some way."""

    def __init__(self, framework: Any, seed: int) -> None:
        self.framework, self.choices, self.numbers = framework, random.Random(seed), np.random.default_rng(seed)
        self.matrices = [self.tensor(5, 5).requires_grad_() for _ in range(self.choices.randint(2, 4))]
        self.vectors = [self.tensor(5).requires_grad_() for _ in range(2)]
        self.parameters = [*self.matrices, *self.vectors]
        self.optimizer = framework.optim.SGD(self.parameters, lr=0.1, momentum=self.choices.choice([0, 0.9]))
        self.seen: Values = []

    def tensor(self, *shape: int) -> Any:
        return self.framework.tensor(self.numbers.standard_normal(shape) * 0.5, dtype=self.framework.float64)

    def run(self) -> Values:
        """The gradients and losses that it sees, and its parameters in the end."""
        for _ in range(_STEPS):
            self.optimizer.zero_grad()
            layers = self.layers()
            terms = [self.term(layers) for _ in range(self.choices.randint(1, 3))]
            loss = sum((term**2).mean() if self.choices.random() < 0.6 else term.abs().sum() for term in terms)
            loss = loss + 0.01 * (self.choices.choice(self.parameters) ** 2).sum()
            if self.choices.random() < 0.3:
                loss.item()
            self.differentiate(loss, layers, terms)
        return [*self.seen, *[parameter.detach().numpy().copy() for parameter in self.parameters]]

    def layers(self) -> list[Any]:
        framework, choices, found = self.framework, self.choices, []
        value = self.tensor(6, 5)
        for _ in range(choices.randint(3, 6)):
            kind = choices.choice(["product", "product", "bias", "tanh", "norm", "skip", "sigmoid"])
            if kind == "product":
                value = value @ choices.choice(self.matrices)
            elif kind == "bias":
                value = value + self.vectors[0]
            elif kind == "norm":
                value = framework.nn.functional.layer_norm(value, (5,), *self.vectors)
            elif kind == "skip" and found:
                value = value + choices.choice(found)
            else:
                value = framework.tanh(value) if kind == "tanh" else framework.sigmoid(value * 1.5)
            found.append(value)
            if choices.random() < 0.4:
                value.tolist()
        if choices.random() < 0.8:
            value.tolist()
        return found

    def term(self, layers: list[Any]) -> Any:
        choices, value = self.choices, self.choices.choice(layers)
        kind = choices.choice(["rows", "slice", "where", "detached", "written", "masked", "product"])
        if kind == "rows":
            return value[choices.sample(range(6), choices.randint(1, 5))]
        if kind == "slice":
            return value[: choices.randint(1, 6)] * 2
        if kind == "where":
            return self.framework.where(value > 0, value, value * 0.1)
        if kind == "detached":
            return value * choices.choice(layers).detach()
        if kind == "masked":
            return value.masked_fill(value < 0, 0.0)
        if kind == "product":
            return value @ choices.choice(self.matrices)
        value = value.clone()
        value[0] = value[1] * 2
        return value

    def differentiate(self, loss: Any, layers: list[Any], terms: list[Any]) -> None:
        way = self.choices.choice(["backward", "backward", "retained gradient", "twice", "grad"])
        if way == "grad":
            asked = [self.choices.choice(terms), self.choices.choice(layers), *self.parameters]
            asked = [each for each in asked if each.requires_grad]
            self.look(self.framework.autograd.grad(loss, asked, allow_unused=True))
            return
        watched = self.choices.choice([*terms, *layers])
        if way == "retained gradient" and watched.requires_grad:
            watched.retain_grad()
        loss.backward(retain_graph=way == "twice")
        if way == "twice":
            if self.choices.random() < 0.5:
                self.look([parameter.grad for parameter in self.parameters])
            (loss * 1).backward()
        if way == "retained gradient" and watched.requires_grad:
            self.look([watched.grad])
        if self.choices.random() < 0.6:
            self.look([parameter.grad for parameter in self.parameters])
        self.optimizer.step()
        self.seen.append(np.asarray(loss.item()))

    def look(self, gradients: Any) -> None:
        order = list(range(len(gradients)))
        self.choices.shuffle(order)
        self.seen += [None if gradients[i] is None else gradients[i].numpy().copy() for i in order]


def test_random_losses(torch: Any, joined: list[LossApart]) -> None:
    for seed in range(60):
        reference, ours = _Training(torch, seed).run(), _Training(lazygrad, seed).run()
        assert len(ours) == len(reference)
        for position, (found, expected) in enumerate(zip(ours, reference, strict=True)):
            assert (found is None) == (expected is None), (seed, position)
            if found is not None:
                np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=f"{seed}: {position}")
    assert len(joined) > 60
