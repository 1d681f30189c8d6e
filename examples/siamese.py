"""Learn when two digits are the same, from triplets of images, and try it on images that were not trained on.

    python examples/siamese.py            # ends with: 97.3% of unseen triplets in order
    python examples/siamese.py --short    # ends with: 97.3% of unseen triplets in order

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import lazygrad as torch
import lazygrad.nn.functional as F
from lazygrad import nn, optim
from lazygrad.utils.data import DataLoader, Dataset

try:
    from tqdm import tqdm
except ImportError:  # the bar is for those who watch

    def tqdm(batches: Any, **options: Any) -> Any:
        return batches


TEST_IMAGES = 297


class Triplets(Dataset[Any]):
    """An image, another one of the same digit, and one of another digit: each [1, 8, 8]."""

    def __init__(self, images: np.ndarray, labels: np.ndarray) -> None:
        self.images, self.labels = images, labels
        self.same = [np.flatnonzero(labels == label) for label in labels]
        self.other = [np.flatnonzero(labels != label) for label in labels]

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        # From PyTorch's generator, so that the one seed decides this too, in worker processes as well.
        same, other = torch.randint(2**31, (2,)).tolist()
        positive = self.same[index][same % len(self.same[index])]
        negative = self.other[index][other % len(self.other[index])]
        return self.images[index], self.images[positive], self.images[negative]


class Embedding(nn.Module):
    """Maps images [batch, 1, 8, 8] to points on the unit sphere [batch, 16]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, stride=2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 4 * 4, 16),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.layers(images), dim=1)


def train(model: nn.Module, dataset: Triplets, epochs: int) -> list[float]:
    """Adam with a margin of a half between the same and the other digit; returns the losses."""
    loader = DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
    criterion = nn.TripletMarginLoss(margin=0.5)
    optimizer = optim.Adam(model.parameters(), lr=2e-3)
    losses = []
    for epoch in range(epochs):
        progress = tqdm(loader, desc=f"epoch {epoch + 1}/{epochs}", unit="batch", leave=False)
        for anchors, positives, negatives in progress:
            # The three go through the one network as one batch.
            points = model(torch.cat([anchors, positives, negatives])).chunk(3)
            loss = criterion(*points)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if hasattr(progress, "set_postfix"):
                progress.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    if torch.__name__ == "lazygrad":
        print(f"{torch.cache_info().planned_runs} of {len(losses)} steps ran a plan, the first were interpreted")
    return losses


@torch.no_grad()
def ordered(model: nn.Module, dataset: Triplets) -> float:
    """How often an image is nearer to one of its own digit than to one of another, in percent."""
    (images,) = DataLoader(dataset, batch_size=len(dataset))
    anchors, same, other = model(torch.cat(list(images))).chunk(3)
    nearer = (anchors - same).norm(dim=1) < (anchors - other).norm(dim=1)
    return 100 * nearer.float().mean().item()


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    values, labels = load_digits(return_X_y=True)
    images = (values / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    unseen = Triplets(images[-TEST_IMAGES:], labels[-TEST_IMAGES:])
    model = Embedding()
    print(f"before training, {ordered(model, unseen):.1f}% of unseen triplets in order")
    losses = train(model, Triplets(images[:-TEST_IMAGES], labels[:-TEST_IMAGES]), epochs=2 if short else 12)
    print(f"{ordered(model, unseen):.1f}% of unseen triplets in order")
    return losses


if __name__ == "__main__":
    main()
