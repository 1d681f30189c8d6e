"""Inference tensors behave as PyTorch's, and cost nothing where there are none."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

from .scenarios_inference import REFUSED, SCENARIOS

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")


def _plain(value: Any) -> Any:
    if isinstance(value, (torch.Tensor, lg.Tensor)):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_equals_torch(scenario: Callable[[Any], Any]) -> None:
    assert _plain(scenario(lg)) == _plain(scenario(torch))


@pytest.mark.parametrize(("message", "program"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused_as_by_torch(message: str, program: Callable[[Any], Any]) -> None:
    for framework in (torch, lg):
        with pytest.raises(RuntimeError) as caught:
            program(framework)
        assert message in str(caught.value), framework.__name__


def test_other_threads_are_outside() -> None:
    made: list[lg.Tensor] = []
    with lg.inference_mode():
        thread = threading.Thread(target=lambda: made.append(lg.ones(2)))
        thread.start()
        thread.join()
    assert not made[0].is_inference()


def test_a_compiled_call_makes_them_too() -> None:
    double = lg.compile(lambda x: x * 2)
    with lg.inference_mode():
        results = [double(lg.ones(3)) for _ in range(4)]
    assert "replayed" in double.explain() and all(result.is_inference() for result in results)
    assert not double(lg.ones(3)).is_inference()
