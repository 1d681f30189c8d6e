"""Mixup with a beta distribution from numpy, label smoothing, and a count of what was right."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

num_classes = 6


class MLPMixerBlock(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.token(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, stride=4)
        self.blocks = nn.Sequential(MLPMixerBlock(9, dim), MLPMixerBlock(9, dim))
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        return self.head(self.blocks(x).mean(dim=1))


def mixup_data(x, y, alpha=1.0):
    lam = np.random.beta(alpha, alpha) if alpha > 0 else 1
    index = torch.randperm(x.size()[0])
    mixed_x = lam * x + (1 - lam) * x[index, :]
    y_a, y_b = y, y[index]
    return mixed_x, y_a, y_b, lam


def mixup_criterion(criterion, pred, y_a, y_b, lam):
    return lam * criterion(pred, y_a) + (1 - lam) * criterion(pred, y_b)


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    targets = torch.randint(0, num_classes, (96,))
    images = torch.randn(num_classes, 3, 12, 12)[targets] + torch.randn(96, 3, 12, 12)
    net = Mixer()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    for epoch in range(10000):
        net.train()
        train_loss, correct, total = 0, 0, 0
        order = torch.randperm(96)
        for i in range(0, 96, 24):
            inputs, labels = images[order[i : i + 24]], targets[order[i : i + 24]]
            inputs, targets_a, targets_b, lam = mixup_data(inputs, labels)
            outputs = net(inputs)
            loss = mixup_criterion(criterion, outputs, targets_a, targets_b, lam)
            train_loss += loss.item()
            _, predicted = torch.max(outputs.data, 1)
            total += labels.size(0)
            correct += (
                lam * predicted.eq(targets_a.data).cpu().sum().float()
                + (1 - lam) * predicted.eq(targets_b.data).cpu().sum().float()
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield train_loss, float(correct) / total
        net.eval()
        with torch.no_grad():
            probabilities = F.softmax(net(images), dim=1)
        yield probabilities.max(dim=1).values.mean().item(), 0.0
