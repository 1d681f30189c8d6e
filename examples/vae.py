"""Train a variational autoencoder on handwritten digits, then draw new ones.

    python examples/vae.py            # ends with: test loss 24.28 nats per image
    python examples/vae.py --short    # ends with: test loss 25.60 nats per image

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse

from sklearn.datasets import load_digits

import lazygrad as torch
import lazygrad.nn.functional as F
from lazygrad import nn, optim
from lazygrad.utils.data import DataLoader, TensorDataset

PIXELS, HIDDEN, CODE = 64, 128, 8
TEST_IMAGES = 297


class VAE(nn.Module):
    """Maps images [batch, PIXELS] to a Gaussian over codes [batch, CODE], and codes back to images."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(PIXELS, HIDDEN), nn.ReLU())
        self.mean = nn.Linear(HIDDEN, CODE)
        self.log_variance = nn.Linear(HIDDEN, CODE)
        self.decoder = nn.Sequential(nn.Linear(CODE, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, PIXELS))

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The logits of the images drawn again from a random code, and the Gaussian that the code is from."""
        hidden = self.encoder(images)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        # The chance is in the noise alone, so that gradients flow through mean and variance.
        code = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(code), mean, log_variance


def loss_of(model: nn.Module, images: torch.Tensor) -> torch.Tensor:
    """The negative evidence lower bound per image (Kingma & Welling 2014, appendix B for the divergence)."""
    logits, mean, log_variance = model(images)
    reconstruction = F.binary_cross_entropy_with_logits(logits, images, reduction="sum")
    divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum()
    return (reconstruction + divergence) / len(images)


def train(model: nn.Module, images: torch.Tensor, epochs: int) -> list[float]:
    """Adam over shuffled batches of 100; returns the loss of each step."""
    loader = DataLoader(TensorDataset(images), batch_size=100, shuffle=True)
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for epoch in range(epochs):
        for (batch,) in loader:
            optimizer.zero_grad()
            loss = loss_of(model, batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if epoch % (epochs // 5) == 0:
            print(f"epoch {epoch + 1:3}  loss {losses[-1]:.2f}")
    return losses


def drawing(image: torch.Tensor) -> list[str]:
    """The eight rows of an image, two characters a pixel."""
    return ["".join(" .:*#"[min(int(pixel * 5), 4)] * 2 for pixel in row) for row in image.view(8, 8).tolist()]


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    images = torch.tensor(load_digits().data / 16, dtype=torch.float32)
    model = VAE()
    losses = train(model, images[:-TEST_IMAGES], epochs=6 if short else 40)
    if torch.__name__ == "lazygrad":
        plan = torch.last_step().plan_object
        print(f"a training step is {plan.kernel_calls} kernels and {plan.library_calls} library calls")

    with torch.no_grad():
        new = torch.sigmoid(model.decoder(torch.randn(5, CODE)))
        print("\n".join(map("  ".join, zip(*map(drawing, new), strict=True))))
        print(f"test loss {loss_of(model, images[-TEST_IMAGES:]).item():.2f} nats per image")
    return losses


if __name__ == "__main__":
    main()
