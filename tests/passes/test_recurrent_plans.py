"""Recurrent layers are planned once, whatever the number of steps, and lengths of sequences are no part of a plan."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from lazygrad.runtime.realize import cache
from tests.passes.programs import calls, calls_with_gradients, realized

LAYERS = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}


@pytest.mark.parametrize("steps", [8, 256])
@pytest.mark.parametrize("layer", LAYERS)
def test_calls_do_not_grow_with_steps(layer: str, steps: int) -> None:
    module = LAYERS[layer](8, 16)
    lg.realize_all(list(module.parameters()))
    x = realized(steps, 4, 8)
    # Zeros of the first states, biases, the total; the product of the inputs, and all steps.
    assert calls(module(x)[0].sum()) == ((4, 2) if layer != "gru" else (3, 2))


@pytest.mark.parametrize("steps", [8, 256])
@pytest.mark.parametrize("layer", LAYERS)
def test_calls_of_gradients_do_not_grow_with_steps(layer: str, steps: int) -> None:
    module = LAYERS[layer](8, 16)
    lg.realize_all(list(module.parameters()))
    x = realized(steps, 4, 8, requires_grad=True)
    found = calls_with_gradients(module(x)[0].sum(), [x, *module.parameters()])
    assert found == ((6, 6) if layer != "gru" else (7, 7))


@pytest.mark.parametrize("layer", LAYERS)
def test_last_states_and_outputs_have_their_gradients_in_one_call(layer: str) -> None:
    """Whatever of the results is differentiated, nothing is spelled out step by step."""
    module = LAYERS[layer](8, 16, bidirectional=True, num_layers=2)
    lg.realize_all(list(module.parameters()))
    for reads_output in (True, False):
        found = []
        for steps in (64, 256):
            module.zero_grad()
            x = realized(steps, 4, 8, requires_grad=True)
            output, states = module(x)
            listed = states if isinstance(states, tuple) else (states,)
            loss = sum([state.pow(3).sum() for state in listed]) + (output.square().sum() if reads_output else 0)
            found.append(calls_with_gradients(loss, [x, *module.parameters()]))
        assert found[0] == found[1]
        assert found[0][1] <= 31  # library calls: four layers and directions, with some products each


def _train(module: Any, inputs: list[Any]) -> int:
    misses = cache.misses
    for x in inputs:
        output, _ = module(x)
        padded = pad_packed_sequence(output)[0] if isinstance(output, nn.utils.rnn.PackedSequence) else output
        loss = padded.square().mean()
        module.zero_grad()
        loss.backward()
        lg.realize_all([loss, *[parameter.grad for parameter in module.parameters()]])
    return int(cache.misses - misses)


def test_a_long_layer_makes_one_plan() -> None:
    module = nn.LSTM(4, 6)
    lg.realize_all(list(module.parameters()))
    assert _train(module, [realized(256, 3, 4) for _ in range(3)]) == 1


@pytest.mark.parametrize("layer", LAYERS)
def test_lengths_are_no_part_of_a_plan(layer: str) -> None:
    module = LAYERS[layer](4, 6, 2, bidirectional=True)
    lg.realize_all(list(module.parameters()))
    lengths = [[5, 3, 1], [5, 5, 5], [5, 4, 2]]
    assert _train(module, [pack_padded_sequence(realized(5, 3, 4), each) for each in lengths]) == 1
