"""autocast and GradScaler, beside PyTorch where it has the same on the CPU."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


@pytest.mark.parametrize("t", [lg, torch], ids=["lazygrad", "torch"])
@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_products_are_lowered_and_the_rest_is_not(t: Any, name: str) -> None:
    x, w = t.ones(2, 3), t.ones(3, 3)
    linear, conv = t.nn.Linear(3, 3), t.nn.Conv2d(1, 1, 1)
    with t.autocast("cpu", dtype=getattr(t, name)):
        assert t.is_autocast_enabled("cpu") and t.get_autocast_dtype("cpu") is getattr(t, name)
        lowered = [x @ w, linear(x), conv(t.ones(1, 1, 2, 2)), t.bmm(x[None], w[None]), t.addmm(x, x, w)]
        assert {_dtype(y) for y in lowered} == {name}
        assert _dtype(t.sin(x)) == _dtype((x + 1).sum()) == "float32"
        assert _dtype(x.double() @ w.double()) == "float64"
        assert _dtype((x @ w) @ w) == name  # a 16-bit result meets a 32-bit weight
        with t.autocast("cpu", enabled=False):
            assert _dtype(x @ w) == "float32"
    assert not t.is_autocast_enabled("cpu") and _dtype(x @ w) == "float32"


def test_gradients_arrive_in_the_parameters_dtype() -> None:
    model = nn.Linear(3, 2)
    with lg.autocast("cpu"):
        loss = model(lg.ones(4, 3)).float().pow(2).mean()
    loss.backward()
    assert model.weight.grad.dtype is lg.float32 and bool(lg.isfinite(model.weight.grad).all())


def test_as_a_decorator_and_without_a_gpu() -> None:
    @lg.autocast("cpu")
    def product(x: lg.Tensor) -> lg.Tensor:
        return x @ x

    assert product(lg.ones(2, 2)).dtype is lg.bfloat16
    with pytest.warns(UserWarning, match="no CUDA device"), lg.autocast("cuda"):
        assert (lg.ones(2, 2) @ lg.ones(2, 2)).dtype is lg.float32
    with pytest.warns(UserWarning, match="float16 and bfloat16"):
        lg.autocast("cpu", dtype=lg.float64)
    with pytest.raises(RuntimeError, match="unsupported autocast device_type"):
        lg.autocast("nonsense")


def test_a_compiled_function_notices_autocast() -> None:
    product = lg.compile(lambda x: x @ x)
    x = lg.ones(2, 2)
    for _ in range(3):
        assert product(x).dtype is lg.float32
    with lg.autocast("cpu"):
        for _ in range(3):
            assert product(x).dtype is lg.bfloat16
    assert product(x).dtype is lg.float32


@pytest.mark.parametrize("t", [lg, torch], ids=["lazygrad", "torch"])
def test_loss_scaling(t: Any) -> None:
    weight = t.ones(2, requires_grad=True)
    optimizer = t.optim.SGD([weight], lr=0.5)
    scaler = t.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    for factor in (1.0, float("inf"), 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert weight.tolist() == [-0.5, -0.5]  # the step with an infinite gradient was left out
    assert scaler.get_scale() == 4.0  # halved once, doubled once
    state = scaler.state_dict()
    other = t.amp.GradScaler("cpu")
    other.load_state_dict(state)
    assert other.state_dict() == state


def test_unscaling_before_clipping() -> None:
    weight = lg.ones(2, requires_grad=True)
    optimizer = lg.optim.SGD([weight], lr=1.0)
    scaler = lg.amp.GradScaler("cpu", init_scale=1024.0)
    scaler.scale((weight * 3).sum()).backward()
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    assert weight.tolist() == [-2, -2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        off = lg.amp.GradScaler(enabled=False)
    assert off.scale(weight) is weight and off.get_scale() == 1.0 and off.state_dict() == {}


def _first_steps_of_a_scaler(t: Any) -> list[str]:
    """What a scaler answers, in an order in which programs misuse it."""
    weight, alone = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
    optimizer, without = t.optim.SGD([weight], lr=1.0), t.optim.SGD([alone], lr=1.0)
    scaler = t.amp.GradScaler("cpu", init_scale=8.0)
    said: list[str] = []

    def tell(call: Any) -> None:
        try:
            said.append(str(call()))
        except (AssertionError, RuntimeError, ValueError) as error:
            said.append(f"{type(error).__name__}: {error}")

    (weight * 2).sum().backward()
    for call in (scaler.step, scaler.unscale_):
        tell(lambda call=call: call(optimizer))
    tell(scaler.update)
    tell(lambda: scaler.update(2.0))
    tell(lambda: scaler.load_state_dict(scaler.state_dict()))
    tell(lambda: scaler.step(optimizer))
    scaled = scaler.scale([weight.detach(), iter([weight.detach()])])
    tell(lambda: [scaled[0].tolist(), [each.tolist() for each in scaled[1]]])
    tell(lambda: scaler.step(without))
    tell(scaler.update)
    tell(lambda: scaler.step(optimizer, closure=None))
    tell(lambda: scaler.step(optimizer))
    tell(lambda: scaler.step(optimizer))
    tell(lambda: scaler.unscale_(optimizer))
    tell(scaler.update)
    tell(lambda: scaler.scale(3))
    tell(lambda: t.amp.GradScaler("cpu", init_scale=131072.0).scale(t.full((1,), 0.25).half()).tolist())
    return [*said, str(weight.tolist()), str(scaler.state_dict())]


def test_a_scaler_refuses_the_calls_that_pytorch_refuses() -> None:
    assert _first_steps_of_a_scaler(lg) == _first_steps_of_a_scaler(torch)


@pytest.mark.skipif(lg.cuda.is_available() or torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_scaler_for_a_device_that_is_absent_is_disabled() -> None:
    for t in (lg, torch):
        with pytest.warns(UserWarning, match="GradScaler is enabled, but CUDA is not available.  Disabling."):
            scaler = t.amp.GradScaler()
        assert not scaler.is_enabled() and scaler.state_dict() == {}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_former_names_say_what_they_are_called_now(device: str) -> None:
    seen = []
    for t in (lg, torch):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            amp = getattr(t, device).amp
            usual, chosen, scaler = amp.autocast(), amp.autocast(dtype=t.bfloat16), amp.GradScaler(enabled=False)
        texts = [str(each.message).replace("lazygrad", "torch") for each in found if each.category is FutureWarning]
        kinds = [isinstance(usual, t.amp.autocast), isinstance(scaler, t.amp.GradScaler)]
        seen.append([texts, kinds, [str(each.fast_dtype).rpartition(".")[2] for each in (usual, chosen)]])
    assert seen[0] == seen[1]
