"""Two tasks on a shared trunk: learned uncertainties weigh the losses, a task is left out now and then."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiTaskLossWrapper(nn.Module):
    def __init__(self, task_num):
        super().__init__()
        self.log_vars = nn.Parameter(torch.zeros((task_num)))

    def forward(self, losses):
        total = 0
        for i, loss in losses.items():
            precision = torch.exp(-self.log_vars[i])
            total = total + torch.sum(precision * loss + self.log_vars[i], -1)
        return total


class MultiTaskNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU())
        self.heads = nn.ModuleDict({
            "regression": nn.Sequential(nn.Linear(40, 16), nn.ReLU(), nn.Linear(16, 1)),
            "classification": nn.Sequential(nn.Linear(40, 16), nn.ReLU(), nn.Linear(16, 3)),
        })  # fmt: skip

    def forward(self, x):
        shared = self.trunk(x)
        return {name: head(shared) for name, head in self.heads.items()}


def main():
    torch.manual_seed(0)
    random.seed(0)
    x = torch.randn(200, 10)
    y_reg = x[:, :1] * 2 - x[:, 1:2]
    y_cls = (x[:, 2] > 0.3).long() + (x[:, 3] > 0).long()
    model, wrapper = MultiTaskNet(), MultiTaskLossWrapper(2)
    optimizer = torch.optim.Adam(
        [{"params": model.parameters()}, {"params": wrapper.parameters(), "lr": 1e-2}], lr=1e-3
    )
    for epoch in range(10000):
        for i in range(0, 200, 40):
            out = model(x[i : i + 40])
            losses = {0: F.mse_loss(out["regression"], y_reg[i : i + 40])}
            if random.random() < 0.8:
                losses[1] = F.cross_entropy(out["classification"], y_cls[i : i + 40])
            loss = wrapper(losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item(), float(len(losses)), wrapper.log_vars[0].item()
