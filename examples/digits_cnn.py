"""Train a convolutional network on handwritten digits, then look at what one training step became.

python examples/digits_cnn.py
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import lazygrad as lg
from lazygrad import data, nn, optim
from lazygrad.inspect import Forms
from lazygrad.runtime.plan import Plan

DUMP_FOLDER = Path("dumps/digits_cnn")


def digits() -> tuple[data.TensorDataset, data.TensorDataset]:
    """1,347 training and 450 test images of shape [1, 8, 8] with values in [0, 1], and their labels."""
    images, labels = load_digits(return_X_y=True)
    images = images.reshape(-1, 1, 8, 8).astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.25, stratify=labels, random_state=0)
    train_images, test_images, train_labels, test_labels = map(lg.tensor, parts)
    return data.TensorDataset(train_images, train_labels), data.TensorDataset(test_images, test_labels)


def network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, kernel_size=3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Dropout(0.5),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )


def train(model: nn.Module, dataset: data.TensorDataset, epochs: int) -> Forms:
    """Train with Adam; returns the forms of the last step."""
    loader = data.DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    model.train()
    with tqdm(total=epochs * len(loader), desc="training", unit="step") as progress:
        for epoch in range(epochs):
            if epoch == 2 * epochs // 3:
                optimizer.param_groups[0]["lr"] /= 10  # a number, not part of the plan: nothing is compiled again
            for images, labels in loader:
                optimizer.zero_grad()
                loss = criterion(model(images), labels)
                loss.backward()
                optimizer.step()  # only recorded until here; now one plan computes loss and gradients, another updates
                progress.set_postfix(epoch=epoch + 1, loss=f"{loss.item():.4f}", refresh=False)
                progress.update()
    return lg.last_step()


def accuracy(model: nn.Module, dataset: data.TensorDataset) -> float:
    images, labels = dataset.tensors
    model.eval()
    with lg.no_grad():
        return (model(images).argmax(dim=1) == labels).float().mean().item()


def describe(step: Forms) -> str:
    """What one training step became, in numbers."""
    fused = step.plan_object
    unfused = Plan(step.recorded.value, fusion=False)
    cache = lg.cache_info()
    files = step.save(DUMP_FOLDER)
    return "\n".join(
        [
            "one training step (batch, forward, backward):",
            f"  nodes recorded               {len(step.recorded.value):5}",
            f"  nodes after differentiation  {len(step.differentiated.value):5}",
            f"  primitive nodes              {len(step.primitive.value):5}",
            f"  kernels without fusion       {unfused.kernel_calls:5}",
            f"  kernels fused                {fused.kernel_calls:5}",
            f"  library calls                {fused.library_calls:5}",
            f"plan cache: {cache.hits} hits, {cache.misses} misses, {cache.restored} plans of earlier runs",
            f"all forms: {', '.join(path.name for path in files)} in {DUMP_FOLDER}/",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0, help="of the initial weights, the batches and the dropout")
    arguments = parser.parse_args()

    lg.manual_seed(arguments.seed)
    training_set, test_set = digits()
    model = network()
    started = time.perf_counter()
    step = train(model, training_set, arguments.epochs)
    seconds = time.perf_counter() - started
    print(f"test accuracy {accuracy(model, test_set):.2%} after {seconds:.1f} s of training")
    print(describe(step))


if __name__ == "__main__":
    main()
