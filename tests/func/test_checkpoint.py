"""Checkpointing: less memory at the same values, whether or not the loss is read before the backward pass."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.func import grad, hessian, jvp, vmap
from lazygrad.memory.plan import MemoryUse
from lazygrad.runtime.realize import plan_for
from lazygrad.runtime.recording import Recording
from lazygrad.utils.checkpoint import checkpoint, checkpoint_sequential

from .numbers import floats

pytestmark = pytest.mark.filterwarnings("ignore")
BLOCKS = 6


def network() -> list[nn.Module]:
    lg.manual_seed(0)
    return [
        nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Dropout(0.2), nn.Linear(64, 16), nn.Tanh())
        for _ in range(BLOCKS)
    ]


def memory(tensors: Sequence[lg.Tensor]) -> MemoryUse:
    return plan_for(Recording([tensor.node() for tensor in tensors])).memory_use


def assert_close(actual: Sequence[lg.Tensor], expected: Sequence[lg.Tensor], *, rtol: float, atol: float) -> None:
    """All of one list are computed by one plan: read one by one, each would have a plan of its own."""
    for tensors in (actual, expected):
        lg.realize_all(tensors)
    for a, b in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=rtol, atol=atol)


def loss_and_gradients(blocks: list[nn.Module], checkpointed: bool, read: bool = False) -> list[lg.Tensor]:
    lg.manual_seed(3)
    h = floats(lg, 256, 16, dtype="float32")
    for block in blocks:
        h = checkpoint(block, h, use_reentrant=False) if checkpointed else block(h)
    loss = h.square().mean()
    if read:
        loss.item()
    return [loss, *lg.autograd.grad(loss, [p for block in blocks for p in block.parameters()])]


def test_the_peak_goes_down_and_the_values_stay() -> None:
    blocks = network()
    plain, saved = (loss_and_gradients(blocks, checkpointed) for checkpointed in (False, True))
    assert memory(saved).arena < memory(plain).arena / 2
    assert_close(saved, plain, rtol=1e-5, atol=1e-7)


def test_a_loss_that_was_read_keeps_only_what_lies_between_the_blocks() -> None:
    blocks = network()
    plain, saved = (loss_and_gradients(blocks, checkpointed, read=True)[1:] for checkpointed in (False, True))
    assert memory(saved).inputs < memory(plain).inputs / 2
    assert_close(saved, plain, rtol=1e-5, atol=1e-7)


def test_training_steps_agree() -> None:
    def trained(checkpointed: bool) -> list[np.ndarray]:
        blocks = network()
        optimizer = lg.optim.SGD([p for block in blocks for p in block.parameters()], lr=0.1)
        x = floats(lg, 32, 16, dtype="float32")
        for _ in range(3):
            optimizer.zero_grad()
            h = x
            for block in blocks:
                h = checkpoint(block, h, use_reentrant=False) if checkpointed else block(h)
            h.square().mean().backward()
            optimizer.step()
        return [p.detach().numpy().copy() for block in blocks for p in block.parameters()]

    for a, b in zip(trained(False), trained(True), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def _pair(a: lg.Tensor) -> tuple[lg.Tensor, dict[str, lg.Tensor]]:
    return a.sin() * a, {"e": a.exp()}


def _energy(part: Callable[[lg.Tensor], Any]) -> Callable[[lg.Tensor], lg.Tensor]:
    def energy(a: lg.Tensor) -> lg.Tensor:
        first, second = part(a)
        return (first * second["e"]).sum()

    return energy


def test_transforms_look_through() -> None:
    plain = _energy(_pair)
    saved = _energy(lambda a: checkpoint(_pair, a, use_reentrant=False))
    x, stack = floats(lg, 4), floats(lg, 3, 4)
    transforms: list[tuple[Callable[..., Any], lg.Tensor]] = [
        (grad, x),
        (hessian, x),
        (lambda f: vmap(grad(f)), stack),
        (lambda f: vmap(hessian(f)), stack),
    ]
    for transform, at in transforms:
        np.testing.assert_allclose(transform(saved)(at).numpy(), transform(plain)(at).numpy(), rtol=1e-9, atol=1e-12)
    pushed = [jvp(f, (x,), (x.cos(),))[1].item() for f in (saved, plain)]
    assert pushed[0] == pytest.approx(pushed[1])


def test_several_outputs_are_computed_again_together() -> None:
    x = floats(lg, 4).requires_grad_()
    (gradient,) = lg.autograd.grad(_energy(lambda a: checkpoint(_pair, a, use_reentrant=False))(x), x)
    again = [node for node in Recording([gradient.node()]).program().nodes if node.op.name == "checkpoint"]
    assert len(again) == 1


def test_nested_checkpoints() -> None:
    def inner(a: lg.Tensor) -> lg.Tensor:
        return (a.sin() * 2).tanh()

    def outer(a: lg.Tensor) -> lg.Tensor:
        return checkpoint(inner, a.exp(), use_reentrant=False) * a

    x = floats(lg, 4).requires_grad_()
    (plain,) = lg.autograd.grad((inner(x.exp()) * x).sum(), x)
    (saved,) = lg.autograd.grad(checkpoint(outer, x, use_reentrant=False).sum(), x)
    np.testing.assert_allclose(saved.numpy(), plain.numpy(), rtol=1e-9)


def test_custom_functions_inside_keep_their_values() -> None:
    class Double(lg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: lg.Tensor) -> lg.Tensor:
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: lg.Tensor) -> lg.Tensor:
            return g * 2

    x = floats(lg, 4).requires_grad_()
    (found,) = lg.autograd.grad(checkpoint(lambda a: Double.apply(a.sin()), x, use_reentrant=False).sum(), x)
    np.testing.assert_allclose(found.numpy(), 2 * x.cos().detach().numpy())


Function = Callable[[lg.Tensor, lg.Tensor], lg.Tensor]


def _parts(x: lg.Tensor, w: lg.Tensor) -> tuple[lg.Tensor, lg.Tensor]:
    return x * w, (x * w)[1:] + 1


_VIEWS: dict[str, Function] = {
    "slice": lambda x, w: (x * w)[1:],
    "reshape": lambda x, w: (x * w).reshape(2, 2),
    "expand": lambda x, w: (x * w).sum().expand(3),
    "0-dim": lambda x, w: (x * w).prod(),
    "transpose": lambda x, w: (x * w).reshape(2, 2).t(),
    "view of the argument": lambda x, w: x[1:],
    "several outputs": lambda x, w: sum(part.sum() for part in checkpoint(_parts, x, w, use_reentrant=False)),
}


@pytest.mark.parametrize("function", _VIEWS.values(), ids=_VIEWS)
@pytest.mark.parametrize("read", [False, True])
def test_an_output_may_be_a_view(function: Function, read: bool) -> None:
    def outcome(saved: bool) -> list[list[float]]:
        x, w = (floats(lg, 4).requires_grad_() for _ in range(2))
        y = checkpoint(function, x, w, use_reentrant=False) if saved else function(x, w)
        y.square().sum().backward()
        if read:
            y.tolist()
        return [[] if leaf.grad is None else leaf.grad.tolist() for leaf in (x, w)]

    for plain, found in zip(outcome(False), outcome(True), strict=True):
        assert found == pytest.approx(plain)


@pytest.mark.parametrize("seen", [lambda h: h, lambda h: h.detach(), lambda h: h.detach()[1:], lambda h: h[1:]])
def test_what_the_function_puts_aside_may_be_read_first(seen: Callable[[lg.Tensor], lg.Tensor]) -> None:
    aside: list[lg.Tensor] = []

    def function(x: lg.Tensor) -> lg.Tensor:
        h = x.exp()
        aside.append(seen(h))
        return h.sin()

    x = floats(lg, 4).requires_grad_()
    y = checkpoint(function, x, use_reentrant=False)
    aside[0].tolist()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), (x.exp() * x.exp().cos()).detach().numpy(), rtol=1e-9)


def test_what_the_function_puts_aside_has_a_gradient() -> None:
    aside: list[lg.Tensor] = []

    def function(x: lg.Tensor) -> lg.Tensor:
        aside.append(x.exp())
        return aside[0].sin()

    x = floats(lg, 4).requires_grad_()
    y = checkpoint(function, x, use_reentrant=False)
    (y.sum() + aside[0].sum()).backward()
    np.testing.assert_allclose(x.grad.numpy(), (x.exp() * (x.exp().cos() + 1)).detach().numpy(), rtol=1e-9)


def test_checkpoint_sequential() -> None:
    blocks, x = network(), floats(lg, 8, 16, dtype="float32").requires_grad_()
    model = nn.Sequential(*blocks).eval()
    plain = lg.autograd.grad(model(x).sum(), [x, *model.parameters()])
    for segments in (1, 2, BLOCKS):
        output = checkpoint_sequential(model, segments, x, use_reentrant=False)
        saved = lg.autograd.grad(output.sum(), [x, *model.parameters()])
        assert_close(saved, plain, rtol=1e-4, atol=1e-6)


def test_arguments_are_checked() -> None:
    x = floats(lg, 3).requires_grad_()
    with pytest.raises(ValueError, match="Unexpected keyword"):
        checkpoint(lambda a, b=1: a * b, x, use_reentrant=True, b=2)
    with pytest.raises(ValueError, match="determinism_check"):
        checkpoint(lg.sin, x, use_reentrant=False, determinism_check="strict")
    with pytest.raises(ValueError, match="context_fn"):
        checkpoint(lg.sin, x, use_reentrant=True, context_fn=lambda: (None, None))
    with pytest.raises(ValueError, match="Unexpected keyword"):
        checkpoint_sequential([lg.sin], 1, x, use_reentrant=False, other=1)
    with pytest.raises(ValueError, match="segments"):
        checkpoint_sequential([lg.sin], 2, x, use_reentrant=False)
    with pytest.warns(UserWarning, match="use_reentrant"):
        assert checkpoint(lg.sin, x).requires_grad
    with lg.no_grad():
        assert not checkpoint(lg.sin, x, use_reentrant=False).requires_grad


def test_datasets_go_by_their_name_in_torch_too() -> None:
    assert lg.utils.data.DataLoader is lg.data.DataLoader


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_batch_is_counted_once_where_torch_counts_it_again_in_backward(reentrant: bool) -> None:
    """A known difference: the graph repeats what is computed, and not what is written on the way."""
    torch = pytest.importorskip("torch")
    states = []
    for t in (lg, torch):
        layer, plain = t.nn.BatchNorm1d(3), t.nn.BatchNorm1d(3)
        x = t.arange(12.0).reshape(4, 3).requires_grad_()
        checkpoint = importlib.import_module(f"{t.__name__}.utils.checkpoint").checkpoint
        y = checkpoint(layer, x, use_reentrant=reentrant)
        before = layer.num_batches_tracked.item()
        y.square().sum().backward()
        plain(x)
        states.append((before, layer.num_batches_tracked.item()))
        if t is lg:
            assert layer.running_mean.tolist() == plain.running_mean.tolist()
        else:
            plain(x)
            assert layer.running_mean.tolist() == pytest.approx(plain.running_mean.tolist())
    assert states == [(1, 1), (1, 2)]
