"""The rest of nn.functional against torch, and what is random in it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.cases import Case, ErrorCase, assert_agrees, assert_raises_alike

from .cases_functional import CASES, ERRORS

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_torch(case: Case, torch: Any, candidate: Any) -> None:
    assert_agrees(case, torch, candidate)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.name)
def test_raises_as_torch(case: ErrorCase, torch: Any, candidate: Any) -> None:
    assert_raises_alike(case, torch, candidate)


def test_manual_seed_repeats_dropout(candidate: Any) -> None:
    def draw() -> list[Any]:
        x = candidate.ones(64)
        dropped = [candidate.nn.functional.dropout(x), candidate.nn.functional.alpha_dropout(x, training=True)]
        return [tensor.tolist() for tensor in dropped]

    candidate.manual_seed(11)
    first = draw()
    other = draw()
    candidate.manual_seed(11)
    assert draw() == first
    assert other != first


@pytest.mark.parametrize(("name", "shape", "lead"), [("dropout1d", (40, 3), 1), ("dropout1d", (10, 40, 3), 2),
                                                     ("dropout2d", (10, 40, 2, 2), 2), ("dropout3d", (40, 2, 1, 2), 1),
                                                     ("dropout3d", (10, 40, 2, 1, 2), 2)])  # fmt: skip
def test_channels_are_dropped_together(name: str, shape: tuple[int, ...], lead: int, candidate: Any) -> None:
    candidate.manual_seed(3)
    values = getattr(candidate.nn.functional, name)(candidate.ones(shape), 0.5).numpy()
    channels = values.reshape(*shape[:lead], -1)
    assert (channels == channels[..., :1]).all()
    assert set(channels.ravel().tolist()) == {0.0, 2.0}


def test_alpha_dropout_keeps_mean_and_variance(candidate: Any) -> None:
    candidate.manual_seed(5)
    values = candidate.nn.functional.alpha_dropout(candidate.randn(40_000), 0.3, training=True).numpy()
    assert abs(values.mean()) < 0.03
    assert abs(values.std() - 1) < 0.03


def test_rrelu_draws_slopes_between_its_limits(candidate: Any) -> None:
    candidate.manual_seed(5)
    slopes = -candidate.nn.functional.rrelu(-candidate.ones(1000), 0.2, 0.4, training=True).numpy()
    assert slopes.min() >= 0.2
    assert slopes.max() < 0.4
    assert slopes.std() > 0.04


def test_gumbel_softmax_samples_in_proportion(candidate: Any) -> None:
    candidate.manual_seed(8)
    probabilities = candidate.tensor([0.2, 0.5, 0.3])
    samples = candidate.nn.functional.gumbel_softmax(probabilities.log().expand(20_000, 3), hard=True).numpy()
    assert (samples.max(1) > 0.999).all()
    assert abs(samples.mean(0) - probabilities.numpy()).max() < 0.02


def test_attention_with_dropout_keeps_its_mean(candidate: Any) -> None:
    candidate.manual_seed(2)
    attend = candidate.nn.functional.scaled_dot_product_attention
    query, key, value = (candidate.randn(4000, 2, 3) for _ in range(3))
    exact = attend(query, key, value, is_causal=True).numpy()
    dropped = attend(query, key, value, is_causal=True, dropout_p=0.25).numpy()
    assert abs((dropped - exact).mean()) < 0.02
    assert abs(dropped - exact).max() > 0.1


def test_a_graph_with_dropout_is_compiled_once(candidate: Any) -> None:
    """Seed and counter are arguments of the program: the second call finds the first one's plan."""
    from lazygrad.runtime.realize import cache

    def step() -> Any:
        return candidate.nn.functional.dropout(candidate.ones(7, 3), 0.25).numpy()

    step()
    misses = cache.misses
    assert not (step() == step()).all()
    assert cache.misses == misses
