"""Programs on a GPU beside the same programs on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: (x.exp() * 2 + x.sigmoid()).tanh(),
    "strided": lambda x: x.t()[1:, ::2] * x[::2, 1:].t(),
    "sums": lambda x: [x.sum(), x.sum(0), x.mean(1), x.amax(1), x.var(0)],
    "softmax": lambda x: lg.softmax(x, 1),
    "layer norm": lambda x: nn.functional.layer_norm(x, x.shape[1:]),
    "gather": lambda x: x[lg.tensor([3, 0, 3], device=x.device)],
    "scan": lambda x: x.cumsum(1),
    "sort": lambda x: x.sort(1),
    "product": lambda x: x @ x.t(),
    "where": lambda x: lg.where(x > 0, x, -x).argmax(1),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_values_are_those_of_the_cpu(program: Callable[[Any], Any]) -> None:
    x = lg.randn(64, 48)
    found, wanted = program(x.cuda()), program(x)
    for ours, theirs in zip(_listed(found), _listed(wanted), strict=True):
        assert ours.is_cuda
        np.testing.assert_allclose(ours.cpu().numpy(), theirs.numpy(), rtol=2e-5, atol=2e-5)


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def step_losses(device: str, compiled: bool) -> list[float]:
    lg.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10)).to(device)
    optimizer = lg.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = lg.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    x, y = lg.randn(128, 32).to(device), lg.randint(0, 10, (128,)).to(device)

    def step() -> Any:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    run = lg.compile(step) if compiled else step
    losses = []
    for _ in range(14):
        losses.append(run().item())
        schedule.step()
    return losses


@pytest.mark.parametrize("compiled", [False, True])
def test_training_is_that_of_the_cpu(compiled: bool) -> None:
    np.testing.assert_allclose(step_losses("cuda", compiled), step_losses("cpu", False), rtol=1e-3)


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [(lg.float64, 1e-13), (lg.float32, 1e-5), (lg.float16, 2e-2), (lg.bfloat16, 1e-1), (lg.complex64, 1e-5)],
)
@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_products_beside_float64(dtype: Any, tolerance: float, batch: tuple[int, ...]) -> None:
    """The tolerance is that of one sum of 96 products, relative to the largest."""
    wide = lg.complex128 if dtype.is_complex else lg.float64
    a, b = (lg.randn(*batch, rows, 96, dtype=wide).to(dtype) for rows in (64, 48))
    wanted = (a.to(wide) @ b.to(wide).mT).numpy()
    found = (a.cuda() @ b.cuda().mT).cpu().to(wide).numpy()
    assert np.abs(found - wanted).max() <= tolerance * np.abs(wanted).max()


def test_tf32_is_less_exact_and_only_when_asked_for(hardware: None) -> None:
    a, b = lg.randn(256, 512, dtype=lg.float64), lg.randn(512, 256, dtype=lg.float64)
    wanted = (a @ b).numpy()

    def error() -> float:
        found = (a.float().cuda() @ b.float().cuda()).cpu().double().numpy()
        return float(np.abs(found - wanted).max() / np.abs(wanted).max())

    exact = error()
    assert exact < 1e-6
    if lg.cuda.is_tf32_supported():
        lg.set_float32_matmul_precision("high")
        try:
            assert exact < error() < 1e-2
        finally:
            lg.set_float32_matmul_precision("highest")
