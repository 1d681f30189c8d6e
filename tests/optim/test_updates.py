"""The numbers of every optimizer over several steps, compared with PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import nn, optim
from tests.oracle.comparing import assert_equal, outcome_of

OPTIMIZERS = [
    "SGD(p, lr=0.1)",
    "SGD(p, lr=0.1, weight_decay=0.2, maximize=True)",
    "SGD(p, lr=0.1, momentum=0.9)",
    "SGD(p, lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1)",
    "SGD(p, lr=0.1, momentum=0.9, nesterov=True)",
    "SGD(p, lr=t.tensor(0.1))",
    "Adam(p)",
    "Adam(p, lr=0.1, betas=(0.3, 0.9), eps=1e-3)",
    "Adam(p, lr=0.1, weight_decay=0.1, maximize=True)",
    "Adam(p, lr=0.1, amsgrad=True)",
    "Adam(p, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)",
    "AdamW(p, lr=0.1)",
    "AdamW(p, lr=0.1, weight_decay=0.3, amsgrad=True)",
]

START = np.random.default_rng(0).standard_normal((4, 3)).astype("float32")
SCALES = np.random.default_rng(1).standard_normal((6, 4, 3)).astype("float32")


def trajectory(source: str, framework: Any, modules: Any, optimizers: Any, is_complex: bool) -> list[dict[str, Any]]:
    """A parameter and its optimizer's state after every step on a loss that differs from step to step."""
    parameter = modules.Parameter(framework.tensor(START + 1j * START[::-1] if is_complex else START))
    unused = modules.Parameter(framework.ones(2))
    optimizer = eval(f"o.{source}", {"o": optimizers, "p": [parameter, unused], "t": framework})
    seen = []
    for scale in SCALES:
        optimizer.zero_grad()
        distance = parameter - framework.tensor(scale)
        ((distance.abs() if is_complex else distance) ** 2 * framework.tensor(scale)).sum().backward()
        optimizer.step()
        state = optimizer.state_dict()["state"].get(0, {})
        seen.append(outcome_of((parameter, dict(sorted(state.items())))))
    assert unused.tolist() == [1.0, 1.0]
    return seen


@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("source", OPTIMIZERS)
def test_every_step_is_torchs(source: str, is_complex: bool, torch: Any) -> None:
    have = trajectory(source, lg, nn, optim, is_complex)
    want = trajectory(source, torch, torch.nn, torch.optim, is_complex)
    for values, expected in zip(have, want, strict=True):
        assert_equal(expected, values, slack=0.2)


def test_changed_learning_rate_is_used() -> None:
    parameter = nn.Parameter(lg.zeros(1))
    optimizer = optim.SGD([parameter], lr=1.0)
    for rate in (1.0, 0.5):
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        parameter.sum().backward()
        optimizer.step()
    assert parameter.item() == -1.5


def test_gradient_cleared_in_place_leaves_the_velocity() -> None:
    parameter = nn.Parameter(lg.zeros(1))
    optimizer = optim.SGD([parameter], lr=1.0, momentum=0.5)
    parameter.sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    assert parameter.grad.item() == 0.0
    optimizer.step()
    assert parameter.item() == -1.5


def test_groups_have_options_of_their_own() -> None:
    fast, slow = nn.Parameter(lg.zeros(1)), nn.Parameter(lg.zeros(1))
    optimizer = optim.SGD([{"params": fast, "lr": 1.0}, {"params": [slow]}], lr=0.25)
    (fast + slow).sum().backward()
    optimizer.step()
    assert (fast.item(), slow.item()) == (-1.0, -0.25)


def test_step_changes_the_parameter_in_place() -> None:
    parameter = nn.Parameter(lg.zeros(2))
    alias = parameter.detach()
    parameter.sum().backward()
    optim.SGD([parameter], lr=1.0).step()
    assert alias.tolist() == [-1.0, -1.0]
    assert parameter.is_leaf
    assert parameter.requires_grad
    assert parameter.grad.tolist() == [1.0, 1.0]


def test_closure_runs_with_gradients() -> None:
    parameter = nn.Parameter(lg.ones(1))
    optimizer = optim.SGD([parameter], lr=0.5)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (parameter * 2).sum()
        loss.backward()
        return loss

    with lg.no_grad():
        loss = optimizer.step(closure)
    assert loss.item() == 2.0
    assert parameter.item() == 0.0
