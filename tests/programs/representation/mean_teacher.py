"""Mean teacher with EMA weights: consistency between two noisy views, its weight ramped up."""

import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class EMA:
    def __init__(self, model, decay):
        self.module = copy.deepcopy(model)
        self.module.eval()
        self.decay = decay
        self.updates = 0
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        msd = model.state_dict()
        for k, v in self.module.state_dict().items():
            if v.dtype.is_floating_point:
                v *= decay
                v += (1.0 - decay) * msd[k].detach()
            else:
                v.copy_(msd[k])


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 8, 5, padding=2), nn.BatchNorm1d(8), nn.LeakyReLU(0.1), nn.MaxPool1d(2),
            nn.Conv1d(8, 16, 5, padding=2), nn.BatchNorm1d(16), nn.LeakyReLU(0.1), nn.AdaptiveAvgPool1d(1),
        )  # fmt: skip
        self.fc = nn.Linear(16, 3)

    def forward(self, x):
        return self.fc(self.features(x).squeeze(-1))


def sigmoid_rampup(current, rampup_length):
    current = max(0.0, min(current, rampup_length))
    phase = 1.0 - current / rampup_length
    return math.exp(-5.0 * phase * phase)


def main():
    torch.manual_seed(0)
    frequency = torch.randint(1, 4, (120,))
    t = torch.linspace(0, 6.283, 32)
    waves = torch.sin(frequency[:, None] * t + torch.rand(120, 1) * 6.283).unsqueeze(1)
    targets = frequency - 1
    labeled, unlabeled = torch.arange(24), torch.arange(24, 120)
    model = SmallNet()
    ema = EMA(model, 0.99)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    step = 0
    for epoch in range(10000):
        for chosen in unlabeled[torch.randperm(96)].split(24):
            x = torch.cat([waves[labeled], waves[chosen]])
            logits = model(x + 0.1 * torch.randn_like(x))
            with torch.no_grad():
                ema_logits = ema.module(x + 0.1 * torch.randn_like(x))
            class_loss = F.cross_entropy(logits[:24], targets[labeled])
            weight = 10.0 * sigmoid_rampup(step, 100)
            consistency = weight * F.mse_loss(logits.softmax(dim=1), ema_logits.softmax(dim=1))
            loss = class_loss + consistency
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ema.update(model)
            step += 1
            yield class_loss.item(), consistency.item()
        with torch.no_grad():
            accuracy = (ema.module(waves).argmax(1) == targets).float().mean()
        assert 0 <= accuracy.item() <= 1
