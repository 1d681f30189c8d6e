"""Gradient accumulation over microbatches, the norm of gradients by hand, clipping, a schedule by LambdaLR's rule."""

import torch
import torch.nn as nn
import torch.nn.functional as F

accumulation_steps = 4


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.layers = nn.ModuleList([nn.Linear(8 + 6, 48), nn.Linear(48, 48), nn.Linear(48, 48)])
        self.norms = nn.ModuleList([nn.LayerNorm(48) for _ in range(3)])
        self.out = nn.Linear(48, 1)

    def forward(self, categories, numbers):
        x = torch.cat([self.embedding(categories), numbers], dim=1)
        for layer, norm in zip(self.layers, self.norms):
            h = F.silu(norm(layer(x)))
            x = h if h.shape != x.shape else x + h
        return self.out(x).squeeze(1)


def main():
    torch.manual_seed(0)
    categories = torch.randint(0, 12, (256,))
    numbers = torch.randn(256, 6)
    targets = numbers.sum(dim=1) * (categories.float() / 12) + 0.1 * torch.randn(256)
    model = Regressor()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    base_lrs = [group["lr"] for group in optimizer.param_groups]
    updates = 0
    for epoch in range(10000):
        optimizer.zero_grad()
        running_loss = 0.0
        for i, batch in enumerate(torch.randperm(256).split(16)):
            loss = F.huber_loss(model(categories[batch], numbers[batch]), targets[batch])
            loss = loss / accumulation_steps
            loss.backward()
            running_loss += loss.item()
            if (i + 1) % accumulation_steps == 0:
                total_norm = 0.0
                for p in model.parameters():
                    param_norm = p.grad.detach().data.norm(2)
                    total_norm += param_norm.item() ** 2
                total_norm = total_norm**0.5
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
                optimizer.step()
                optimizer.zero_grad()
                updates += 1
                for group, base_lr in zip(optimizer.param_groups, base_lrs):
                    group["lr"] = base_lr * 0.99**updates
                yield running_loss, total_norm
                running_loss = 0.0
