"""Training and inference in PyTorch's words, on random data."""

import torch
import torch.nn.functional as F


def examples(task, batch, size, outputs):
    """What a network is given, and what it should answer."""
    if task == "tokens":
        tokens = torch.randint(0, outputs, (batch, size + 1))
        return tokens[:, :-1], tokens[:, 1:]
    targets = (batch, size, size) if task == "masks" else (batch,)
    return torch.randn(batch, 3, size, size), torch.randint(0, outputs, targets)


def loss_of(outputs, targets):
    if outputs.ndim == 3:
        return F.cross_entropy(outputs.reshape(-1, outputs.shape[-1]), targets.reshape(-1))
    return F.cross_entropy(outputs, targets)


def train(make, task, optimizer, rate, batch, size, outputs, compiled=False):
    """Yields the loss of step after step; four batches take turns."""
    torch.manual_seed(0)
    model = make()
    batches = [examples(task, batch, size, outputs) for _ in range(4)]
    options = {"momentum": 0.9} if optimizer == "SGD" else {}
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), lr=rate, **options)
    model.train()
    forward = torch.compile(model) if compiled else model
    yield 0.0
    while True:
        for inputs, targets in batches:
            loss = loss_of(forward(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()


def infer(make, task, batch, size, outputs, compiled=False):
    """Yields the sum of the outputs for input after input."""
    torch.manual_seed(0)
    model = make()
    batches = [examples(task, batch, size, outputs) for _ in range(4)]
    model.eval()
    forward = torch.compile(model) if compiled else model
    yield 0.0
    with torch.no_grad():
        while True:
            for inputs, _ in batches:
                yield forward(inputs).mean().item()
