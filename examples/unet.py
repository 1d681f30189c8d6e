"""Train a small U-Net to find discs in noisy pictures, with intersection over union as the loss.

    python examples/unet.py            # ends with: intersection over union on new pictures: 0.790
    python examples/unet.py --short    # ends with: intersection over union on new pictures: 0.510

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse

import lazygrad as torch
from lazygrad import nn, optim

SIZE, BATCH = 32, 8


def pictures(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Three bright discs each under noise, and where they are: both [count, 1, SIZE, SIZE]."""
    middles = SIZE * (0.15 + 0.7 * torch.rand(count, 3, 2, 1, 1))
    radii = SIZE * (0.08 + 0.1 * torch.rand(count, 3, 1, 1))
    line = torch.arange(SIZE) + 0.5
    distances = ((line.view(-1, 1) - middles[:, :, 0]) ** 2 + (line - middles[:, :, 1]) ** 2).sqrt()
    masks = (distances < radii).any(dim=1, keepdim=True).float()
    return masks + torch.randn(count, 1, SIZE, SIZE), masks


def block(channels: int, new_channels: int) -> nn.Sequential:
    """Two convolutions that keep the size."""
    return nn.Sequential(
        nn.Conv2d(channels, new_channels, 3, padding=1, bias=False),
        nn.BatchNorm2d(new_channels),
        nn.ReLU(),
        nn.Conv2d(new_channels, new_channels, 3, padding=1, bias=False),
        nn.BatchNorm2d(new_channels),
        nn.ReLU(),
    )


class UNet(nn.Module):
    """Maps pictures [batch, 1, height, width] to logits of the same shape; height and width are multiples of 4."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.fine, self.middle, self.coarse = block(1, width), block(width, 2 * width), block(2 * width, 4 * width)
        self.smaller = nn.MaxPool2d(2)
        self.to_middle = nn.ConvTranspose2d(4 * width, 2 * width, kernel_size=2, stride=2)
        self.join_middle = block(4 * width, 2 * width)
        self.to_fine = nn.ConvTranspose2d(2 * width, width, kernel_size=2, stride=2)
        self.join_fine = block(2 * width, width)
        self.logits = nn.Conv2d(width, 1, kernel_size=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        fine = self.fine(x)
        middle = self.middle(self.smaller(fine))
        coarse = self.coarse(self.smaller(middle))
        # On the way up, each size sees again what was seen at that size on the way down.
        middle = self.join_middle(torch.cat([middle, self.to_middle(coarse)], dim=1))
        return self.logits(self.join_fine(torch.cat([fine, self.to_fine(middle)], dim=1)))


def overlap(chances: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Intersection over union of each picture [batch], between 0 and 1; smooth in the chances."""
    intersection = (chances * masks).sum(dim=(1, 2, 3))
    union = (chances + masks - chances * masks).sum(dim=(1, 2, 3))
    return (intersection + 1) / (union + 1)


def train(model: nn.Module, steps: int) -> list[float]:
    """Adam on new pictures in every step; returns the losses."""
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for step in range(steps):
        images, masks = pictures(BATCH)
        optimizer.zero_grad()
        loss = 1 - overlap(torch.sigmoid(model(images)), masks).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % (steps // 5) == 0:
            print(f"step {step:4}  loss {losses[-1]:.3f}")
    return losses


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    model = UNet()
    if torch.__name__ == "lazygrad":
        # The shapes of all layers are known without computing.
        print(torch.summary(model, input_data=torch.zeros(BATCH, 1, SIZE, SIZE), depth=1))
    losses = train(model, steps=30 if short else 200)

    model.eval()
    with torch.no_grad():
        images, masks = pictures(64)
        found = (model(images) > 0).float()
        print(f"intersection over union on new pictures: {overlap(found, masks).mean().item():.3f}")
    return losses


if __name__ == "__main__":
    main()
