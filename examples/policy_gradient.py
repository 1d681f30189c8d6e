"""Balance poles on carts by policy gradient: what was followed by more time upright becomes more likely.

    python examples/policy_gradient.py            # ends with: upright for 200.0 of 200 moments on average
    python examples/policy_gradient.py --short    # ends with: upright for 54.4 of 200 moments on average

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse

import lazygrad as torch
from lazygrad import nn, optim
from lazygrad.distributions import Categorical

CARTS, MOMENTS = 16, 200
GRAVITY, CART, POLE, HALF_LENGTH, FORCE, SECONDS = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02


def move(state: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """The states [carts, 4] one moment later (Barto, Sutton & Anderson 1983); action 0 pushes left, 1 right."""
    _, speed, angle, turning = state.unbind(dim=1)
    push = FORCE * (2 * actions - 1)
    force = (push + POLE * HALF_LENGTH * turning**2 * torch.sin(angle)) / (CART + POLE)
    inertia = HALF_LENGTH * (4 / 3 - POLE * torch.cos(angle) ** 2 / (CART + POLE))
    angular = (GRAVITY * torch.sin(angle) - torch.cos(angle) * force) / inertia
    linear = force - POLE * HALF_LENGTH * angular * torch.cos(angle) / (CART + POLE)
    return state + SECONDS * torch.stack([speed, linear, turning, angular], dim=1)


def is_upright(state: torch.Tensor) -> torch.Tensor:
    """Whether each pole [carts] leans less than 12 degrees, and its cart is on the track."""
    return (state[:, 2].abs() < 0.2095) & (state[:, 0].abs() < 2.4)


@torch.no_grad()
def play(policy: nn.Module) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """One try of all carts: states [MOMENTS, CARTS, 4], actions and who was still upright [MOMENTS, CARTS]."""
    states, taken = torch.zeros(MOMENTS, CARTS, 4), torch.zeros(MOMENTS, CARTS)
    upright = torch.zeros(MOMENTS, CARTS)
    state, alive = 0.1 * torch.rand(CARTS, 4) - 0.05, torch.ones(CARTS, dtype=torch.bool)
    for moment in range(MOMENTS):
        actions = Categorical(logits=policy(state)).sample()
        states[moment], taken[moment], upright[moment] = state, actions, alive
        state = move(state, actions)
        alive = alive & is_upright(state)
        if not alive.any():
            break
    return states, taken, upright


def train(policy: nn.Module, tries: int) -> tuple[list[float], float]:
    """REINFORCE (Williams 1992) with the carts' mean as baseline; returns the losses and the last mean time."""
    optimizer = optim.Adam(policy.parameters(), lr=0.02)
    losses = []
    for number in range(tries):
        states, actions, upright = play(policy)
        # What follows a moment is the sum of all rewards from there on, counted backwards.
        to_come = upright.flip(0).cumsum(0).flip(0)
        carts = upright.sum(dim=1, keepdim=True).clamp(min=1)
        advantage = (to_come - (to_come * upright).sum(dim=1, keepdim=True) / carts) * upright
        advantage = advantage / ((advantage.square().sum() / upright.sum()).sqrt() + 1e-8)

        loss = -(Categorical(logits=policy(states)).log_prob(actions) * advantage).sum() / upright.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        mean_time = upright.sum().item() / CARTS
        if number % (tries // 5) == 0:
            print(f"try {number:3}  upright for {mean_time:.0f} moments")
    return losses, mean_time


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    losses, mean_time = train(policy, tries=5 if short else 40)
    if torch.__name__ == "lazygrad":
        print(f"{torch.cache_info().hits} programs ran as they had before, {torch.cache_info().misses} were new")
    print(f"upright for {mean_time:.1f} of {MOMENTS} moments on average")
    return losses


if __name__ == "__main__":
    main()
