"""Train with checkpoints: stop it wherever you like, start it again, and it ends with the same weights to the last bit.

    python examples/resume.py            # ends with: test accuracy 91.2%
    python examples/resume.py --short    # ends with: test accuracy 82.5%

Delete the checkpoint, or name another one, to begin anew. Whatever decides what comes next is in it: weights, the
optimizer's averages, the schedule, the loss's scale, and the generators behind dropout and the order of the batches.
Bits are the same where one backend computes it all: LAZYGRAD_BACKEND=numpy keeps C from taking over in the middle.
A loss that is shown may differ in its last bit: it is computed alone or together with the gradients.

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from pathlib import Path
from typing import Any

from sklearn.datasets import load_digits

import lazygrad as torch
import lazygrad.nn.functional as F
from lazygrad import nn, optim
from lazygrad.utils.data import DataLoader, TensorDataset

TEST_IMAGES = 297


class Training:
    """A model and all that its training consists of."""

    def __init__(self, images: torch.Tensor, labels: torch.Tensor, epochs: int) -> None:
        self.epochs = epochs
        self.order = torch.Generator().manual_seed(1)
        self.loader = DataLoader(TensorDataset(images, labels), batch_size=100, shuffle=True, generator=self.order)
        self.model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10))
        self.optimizer = optim.AdamW(self.model.parameters(), lr=1e-2)
        self.schedule = optim.lr_scheduler.CosineAnnealingLR(self.optimizer, epochs * len(self.loader))
        # bfloat16 needs no scale of the loss; float16 on a GPU does, and a checkpoint has it either way.
        self.scaler = torch.amp.GradScaler("cpu", init_scale=128.0, growth_interval=20)
        self.losses: list[float] = []
        self.epoch = 0

    def run_epoch(self) -> None:
        self.model.train()
        for images, labels in self.loader:
            self.optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = self.model(images)
            loss = F.cross_entropy(logits.float(), labels)
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.schedule.step()
            self.losses.append(loss.item())
        self.epoch += 1

    def save(self, path: Path) -> None:
        """Writes a checkpoint under another name first, so that a stop in the middle leaves the last one whole."""
        parts = {name: getattr(self, name).state_dict() for name in ("model", "optimizer", "schedule", "scaler")}
        generators = {"order": self.order.get_state(), "default": torch.get_rng_state()}
        unfinished = path.with_suffix(".unfinished")
        torch.save({**parts, **generators, "losses": self.losses, "epoch": self.epoch}, unfinished)
        os.replace(unfinished, path)

    def load(self, path: Path) -> None:
        checkpoint: dict[str, Any] = torch.load(path)
        for name in ("model", "optimizer", "schedule", "scaler"):
            getattr(self, name).load_state_dict(checkpoint[name])
        self.order.set_state(checkpoint["order"])
        torch.set_rng_state(checkpoint["default"])
        self.losses, self.epoch = checkpoint["losses"], checkpoint["epoch"]

    def digest(self) -> str:
        """A few characters that differ when any bit of any weight does."""
        weights = b"".join(weight.numpy().tobytes() for weight in self.model.state_dict().values())
        return hashlib.sha256(weights).hexdigest()[:16]


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    parser.add_argument("--checkpoint", type=Path, help="the file; without it nothing is kept")
    given = parser.parse_args(arguments)

    torch.manual_seed(0)
    values, targets = load_digits(return_X_y=True)
    images, labels = torch.tensor(values / 16, dtype=torch.float32), torch.tensor(targets)
    training = Training(images[:-TEST_IMAGES], labels[:-TEST_IMAGES], epochs=4 if given.short else 20)
    if given.checkpoint and given.checkpoint.exists():
        training.load(given.checkpoint)
        print(f"{given.checkpoint} was written after epoch {training.epoch}")
    while training.epoch < training.epochs:
        training.run_epoch()
        loss, scale = training.losses[-1], training.scaler.get_scale()
        print(f"epoch {training.epoch:3}  loss {loss:.4f}  scale {scale:.0f}", flush=True)
        if given.checkpoint:
            training.save(given.checkpoint)

    training.model.eval()
    with torch.no_grad():
        found = (training.model(images[-TEST_IMAGES:]).argmax(dim=1) == labels[-TEST_IMAGES:]).float().mean().item()
    print(f"weights {training.digest()}")
    print(f"test accuracy {100 * found:.1f}%")
    return training.losses


if __name__ == "__main__":
    main()
