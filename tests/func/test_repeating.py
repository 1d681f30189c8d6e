"""What programs import that compute parts again by hand, in a reversible network as public programs write them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_close


def _reversible(framework: Any) -> Any:
    repeating = import_module(f"{framework.__name__}.utils.checkpoint")

    class Block(framework.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, part: Any) -> Any:
            ctx.state, ctx.devices = framework.get_rng_state(), repeating.get_device_states(x, {"more": [x]})
            ctx.part = part
            first, second = x.chunk(2, -1)
            with framework.no_grad():
                ctx.y = framework.cat([first + part(second), second], -1)
            return ctx.y.detach()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            first, second = gradient.chunk(2, -1)
            (known,) = repeating.detach_variable((ctx.y.chunk(2, -1)[1].requires_grad_(),))
            with framework.enable_grad(), framework.random.fork_rng(devices=ctx.devices[0]):
                framework.set_rng_state(ctx.state)
                repeating.set_device_states(*ctx.devices)
                again = ctx.part(known)
            framework.autograd.backward(again, first)
            return framework.cat([first, second + known.grad], -1), None

    return Block.apply


@pytest.mark.host_memory("the masks of other devices are drawn inside graphs, by Philox")
def test_a_reversible_block_draws_its_dropout_again(torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        framework.manual_seed(0)
        part = framework.nn.Sequential(framework.nn.Linear(3, 3), framework.nn.Tanh(), framework.nn.Dropout(0.5))
        x = framework.randn(4, 6, requires_grad=True)
        _reversible(framework)(x * 2, part).square().sum().backward()
        seen.append([x.grad, *[parameter.grad for parameter in part.parameters()]])
    assert_close(seen[0], seen[1])


def test_variables_are_detached_as_in_torch(torch: Any) -> None:
    for framework in (lg, torch):
        repeating = import_module(f"{framework.__name__}.utils.checkpoint")
        x = framework.ones(2, requires_grad=True)
        first, second, third = repeating.detach_variable((x * 2, framework.ones(2), "name"))
        assert (first.requires_grad, first.is_leaf, second.requires_grad, third) == (True, True, False, "name")
        with pytest.raises(RuntimeError, match="Only tuple of tensors is supported"):
            repeating.detach_variable([x])
        repeating.check_backward_validity((framework.ones(2), x))
        with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
            repeating.check_backward_validity((framework.ones(2), 3))
        with repeating.set_checkpoint_early_stop(False), repeating.set_checkpoint_debug_enabled(None):
            assert repeating.get_device_states(x, 3) == ([], [])
            assert repeating.set_device_states([0], [x], device_type="meta") is None
