"""Train a generator and a discriminator against each other on points around eight places of a circle.

    python examples/gan.py            # ends with: 86% of the points lie at one of the places
    python examples/gan.py --short    # ends with: 17% of the points lie at one of the places

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse
import math

import lazygrad as torch
from lazygrad import nn, optim

PLACES, SPREAD = 8, 0.1
NOISE, BATCH = 8, 256


def places() -> torch.Tensor:
    """The middles of the eight clouds, [PLACES, 2]."""
    angles = torch.arange(PLACES) * (2 * math.pi / PLACES)
    return 2 * torch.stack([torch.cos(angles), torch.sin(angles)], dim=1)


def real_points(count: int) -> torch.Tensor:
    """Points [count, 2] that the generator is to learn to make."""
    return places()[torch.randint(PLACES, (count,))] + SPREAD * torch.randn(count, 2)


def network(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, outputs)
    )


def train(generator: nn.Sequential, discriminator: nn.Module, steps: int) -> list[float]:
    """Both learn in turns (Goodfellow et al. 2014, with the loss that does not saturate); returns both losses."""
    criterion = nn.BCEWithLogitsLoss()
    generator_optimizer = optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    discriminator_optimizer = optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    real, made_up = torch.ones(BATCH, 1), torch.zeros(BATCH, 1)
    losses = []
    for step in range(steps):
        points = generator(torch.randn(BATCH, NOISE))

        # `detach`: the discriminator's mistakes are not the generator's to learn from.
        discriminator_loss = criterion(discriminator(real_points(BATCH)), real)
        discriminator_loss = discriminator_loss + criterion(discriminator(points.detach()), made_up)
        discriminator_optimizer.zero_grad()
        discriminator_loss.backward()
        discriminator_optimizer.step()

        generator_loss = criterion(discriminator(points), real)
        generator_optimizer.zero_grad()
        generator_loss.backward()
        generator_optimizer.step()

        losses += [discriminator_loss.item(), generator_loss.item()]
        if step % (steps // 5) == 0:
            print(f"step {step:5}  discriminator {losses[-2]:.3f}  generator {losses[-1]:.3f}")
    return losses


def describe(points: torch.Tensor) -> str:
    """How many places have points, and how many points lie at one of them."""
    distances, nearest = torch.cdist(points, places()).min(dim=1)
    close = distances < 4 * SPREAD
    shares = torch.bincount(nearest[close], minlength=PLACES) / len(points)
    lines = ["share of the points at each place: " + " ".join(f"{100 * share:.0f}%" for share in shares.tolist())]
    return "\n".join([*lines, f"{100 * close.float().mean().item():.0f}% of the points lie at one of the places"])


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    generator, discriminator = network(NOISE, 2), network(2, 1)
    losses = train(generator, discriminator, steps=120 if short else 3000)
    if torch.__name__ == "lazygrad":
        product = generator[0](torch.randn(BATCH, NOISE))
        print(torch.explain_fusion(product, generator[1](product)))  # do a layer and its activation share a kernel?
    with torch.no_grad():
        print(describe(generator(torch.randn(2000, NOISE))))
    return losses


if __name__ == "__main__":
    main()
