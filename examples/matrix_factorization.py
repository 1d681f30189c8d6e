"""Predict ratings: an embedding for each user and each film, whose product says how well they go together.

    python examples/matrix_factorization.py            # ends with: test error 0.277, of which the noise is 0.25
    python examples/matrix_factorization.py --short    # ends with: test error 0.595, of which the noise is 0.25

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse

import lazygrad as torch
import lazygrad.nn.functional as F
from lazygrad import nn, optim

USERS, FILMS, TASTES = 200, 300, 4
RATINGS, BATCH = 20_000, 500
NOISE = 0.25


class Ratings(nn.Module):
    """Maps users [batch] and films [batch] to ratings [batch]."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.films = nn.Embedding(USERS, TASTES), nn.Embedding(FILMS, TASTES)
        self.generosity, self.quality = nn.Embedding(USERS, 1), nn.Embedding(FILMS, 1)
        for table in (self.users, self.films, self.generosity, self.quality):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, users: torch.Tensor, films: torch.Tensor) -> torch.Tensor:
        affinity = (self.users(users) * self.films(films)).sum(dim=1)
        return affinity + self.generosity(users)[:, 0] + self.quality(films)[:, 0]


def made_ratings() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Who rated what, and how: three vectors [RATINGS] from hidden tastes and some noise."""
    tastes, styles = torch.randn(USERS, TASTES), torch.randn(FILMS, TASTES)
    users, films = torch.randint(USERS, (RATINGS,)), torch.randint(FILMS, (RATINGS,))
    affinity = (tastes[users] * styles[films]).sum(dim=1) / TASTES**0.5
    return users, films, affinity + NOISE * torch.randn(RATINGS)


def train(model: nn.Module, data: tuple[torch.Tensor, ...], epochs: int) -> list[float]:
    """Adam with a one-cycle learning rate; returns the loss of each step."""
    count = len(data[0])
    optimizer = optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.01)
    steps = epochs * count // BATCH
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.03, total_steps=steps, cycle_momentum=False)

    def step(users: torch.Tensor, films: torch.Tensor, ratings: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.mse_loss(model(users, films), ratings)
        loss.backward()
        optimizer.step()
        return loss.detach()

    if torch.__name__ == "lazygrad":
        step = torch.compile(step)  # recorded once, then replayed: the numbers of the schedule are arguments

    losses = []
    for epoch in range(epochs):
        for rows in torch.randperm(count).split(BATCH):
            losses.append(step(*(part[rows] for part in data)).item())
            schedule.step()
        if epoch % (epochs // 5) == 0:
            print(f"epoch {epoch + 1:3}  loss {losses[-1]:.3f}")
    return losses


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    data = made_ratings()
    known, hidden = zip(*(part.split(RATINGS * 9 // 10) for part in data), strict=True)
    model = Ratings()
    losses = train(model, known, epochs=5 if short else 20)
    with torch.no_grad():
        users, films, ratings = hidden
        error = F.mse_loss(model(users, films), ratings).sqrt().item()
    print(f"test error {error:.3f}, of which the noise is {NOISE}")
    return losses


if __name__ == "__main__":
    main()
