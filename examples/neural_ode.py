"""Learn how points move from where they are seen: a network is the velocity, a solver its integral.

    python examples/neural_ode.py            # ends with: mean distance from the true curve: 0.115
    python examples/neural_ode.py --short    # ends with: mean distance from the true curve: 2.024

The solver is an autograd Function of its own. It keeps none of its steps: its gradient is found on the way back from
the end to the start, as in the adjoint method (Chen et al. 2018).

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import lazygrad as torch
from lazygrad import nn, optim

STEPS, SECONDS, BATCH = 5, 0.01, 64
Field = Callable[[torch.Tensor], torch.Tensor]


def runge_kutta(field: Field, y: torch.Tensor, h: float) -> torch.Tensor:
    """One step of the classical fourth-order method."""
    k1 = field(y)
    k2 = field(y + h / 2 * k1)
    k3 = field(y + h / 2 * k2)
    k4 = field(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class Velocity(nn.Module):
    """Maps places [batch, 2] to velocities [batch, 2]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))

    def forward(self, y: torch.Tensor) -> torch.Tensor:
        return self.layers(y**3)


class Solve(torch.autograd.Function):
    """Where points [batch, 2] are after STEPS steps of a field; its parameters are arguments that gradients reach."""

    @staticmethod
    def forward(ctx: Any, field: nn.Module, y: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        for _ in range(STEPS):
            y = runge_kutta(field, y, SECONDS)
        ctx.field = field
        ctx.save_for_backward(y, *parameters)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        """Solves the step backwards, and with it what the gradients of the place and of the parameters obey."""
        y, *parameters = ctx.saved_tensors
        gradients = [gradient, *(torch.zeros_like(parameter) for parameter in parameters)]
        for _ in range(STEPS):
            y = runge_kutta(ctx.field, y, -SECONDS).detach()  # where the points were before this step
            with torch.enable_grad():
                start = y.requires_grad_()
                end = runge_kutta(ctx.field, start, SECONDS)
            found = torch.autograd.grad(end, (start, *parameters), gradients[0])
            gradients = [found[0], *(total + part for total, part in zip(gradients[1:], found[1:], strict=True))]
        return None, *gradients


def true_field(y: torch.Tensor) -> torch.Tensor:
    """A spiral inwards, the one of Chen et al."""
    return (y**3) @ torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


def follow(field: Field, y: torch.Tensor, moments: int) -> torch.Tensor:
    """Where points are at each moment, [moments, batch, 2]."""
    places = []
    with torch.no_grad():
        for _ in range(moments):
            places.append(y)
            for _ in range(STEPS):
                y = runge_kutta(field, y, SECONDS)
    return torch.stack(places)


def train(field: nn.Module, starts: torch.Tensor, ends: torch.Tensor, steps: int) -> list[float]:
    """Adam on random pairs of what was seen and what was seen next; returns the losses."""
    optimizer = optim.Adam(field.parameters(), lr=1e-2)
    losses = []
    for step in range(steps):
        rows = torch.randint(len(starts), (BATCH,))
        predicted = Solve.apply(field, starts[rows], *field.parameters())
        loss = (predicted - ends[rows]).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % (steps // 5) == 0:
            print(f"step {step:4}  loss {losses[-1]:.4f}")
    return losses


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    curves = follow(true_field, 4 * torch.rand(40, 2) - 2, 40)
    field = Velocity()
    losses = train(field, curves[:-1].flatten(0, 1), curves[1:].flatten(0, 1), steps=50 if short else 400)

    start = torch.tensor([[2.0, 0.0]])
    distances = (follow(field, start, 40) - follow(true_field, start, 40)).norm(dim=-1)
    if torch.__name__ == "lazygrad":
        forms = torch.stages(runge_kutta(field, start, SECONDS))  # one step: what was recorded, and its kernels
        print(f"{len(forms.recorded.value)} nodes of a step become {forms.plan_object.kernel_calls} kernels")
    print(f"mean distance from the true curve: {distances.mean().item():.3f}")
    return losses


if __name__ == "__main__":
    main()
